from __future__ import annotations

import pytest

from operative_app.core.endpoint import Endpoint
from operative_app.core.errors import SettingsError
from operative_app.llm.presets import (
    PRESETS,
    checked_base_url,
    is_azure,
    is_local,
    is_openai,
    needs_encryption,
    wants_strict_schema,
)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        (" https://api.openai.com/v1/ ", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("http://localhost:8080/v1/models", "http://localhost:8080/v1"),
        ("localhost:11434/v1", "http://localhost:11434/v1"),
        ("[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("models.example/v1", "https://models.example/v1"),
        (
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
        ),
    ],
)
def test_addresses_are_taken_as_people_write_them(written: str, address: str) -> None:
    assert checked_base_url(written) == address


@pytest.mark.parametrize(
    "written",
    [
        "",
        "ftp://models.example",
        "https://",
        "https://me:secret@models.example/v1",
        "https://models.example:port/v1",
        "https://{resource}.openai.azure.com/openai/v1",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_address_is_refused_in_words(written: str) -> None:
    with pytest.raises(SettingsError) as caught:
        checked_base_url(written)

    assert "secret" not in str(caught.value)


def test_every_preset_is_an_address_once_it_is_filled_in() -> None:
    for preset in PRESETS:
        assert checked_base_url(preset.base_url.replace("{resource}", "mine")) == preset.base_url.replace(
            "{resource}", "mine"
        )
        assert is_local(preset.base_url) is preset.is_local
        assert bool(preset.key_variable) is not preset.is_local


def test_hosts_are_told_apart_by_their_domain() -> None:
    def at(url: str) -> Endpoint:
        return Endpoint(base_url=url, model="m")

    assert is_openai(at("https://api.openai.com/v1"))
    assert is_openai(at("https://mine.openai.azure.com/openai/v1"))
    assert not is_openai(at("https://api.openai.com.evil.example/v1"))
    assert not is_openai(at("https://notopenai.com/v1"))
    assert is_azure("https://mine.openai.azure.com/openai/v1")
    assert wants_strict_schema(at("https://openrouter.ai/api/v1"))
    assert is_local("http://127.0.0.5:1/v1")
    assert not is_local("http://localhost.evil.example/v1")
    assert needs_encryption("http://models.example/v1")
    assert not needs_encryption("http://localhost/v1")
    assert not needs_encryption("https://models.example/v1")
