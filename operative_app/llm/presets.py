"""Known endpoints, addresses as people write them, and what is special about a host."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

from operative_app.core.endpoint import Endpoint
from operative_app.core.errors import SettingsError

_SUFFIXES = ("/chat/completions", "/completions", "/responses", "/models")


@dataclass(frozen=True, slots=True)
class Preset:
    """An endpoint to choose from.

    Attributes:
        base_url: Where it answers; `{…}` is to be filled in by the person.
        key_variable: The environment variable that customarily holds its key, "" when it wants none.
    """

    name: str
    base_url: str
    key_variable: str = ""
    is_local: bool = False


PRESETS: tuple[Preset, ...] = (
    Preset("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    Preset("Azure OpenAI", "https://{resource}.openai.azure.com/openai/v1", "AZURE_OPENAI_API_KEY"),
    Preset("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    Preset("Ollama", "http://localhost:11434/v1", is_local=True),
    Preset("LM Studio", "http://localhost:1234/v1", is_local=True),
    Preset("llama.cpp", "http://localhost:8080/v1", is_local=True),
    Preset("vLLM", "http://localhost:8000/v1", is_local=True),
)


def checked_base_url(text: str) -> str:
    """An address as the client wants it: scheme and host, no path of a single call, no slash at the end.

    A missing scheme is http for this machine and https for all others.

    Raises:
        SettingsError: It cannot be an address of an endpoint; the sentence says why.
    """
    written = text.strip()
    if not written:
        raise SettingsError("The address of the model is missing; it is like https://api.openai.com/v1.")
    if "{" in written:
        raise SettingsError(f"Fill in the part in braces of the address {written}.")
    if "://" not in written:
        written = f"{'http' if _is_here(urlsplit('//' + written).hostname or '') else 'https'}://{written}"
    try:
        parts = urlsplit(written)
        port = parts.port
    except ValueError as error:
        raise SettingsError(f"“{text}” is not an address: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise SettingsError(f"“{text}” is not the address of a model; it is like https://api.openai.com/v1.")
    if parts.username or parts.password:
        raise SettingsError("The address holds a name or password; give the key in its own field instead.")
    path = parts.path.rstrip("/")
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def is_local(base_url: str) -> bool:
    """Whether an address is one of this machine."""
    return _is_here(_split(base_url).hostname or "")


def is_openai(endpoint: Endpoint) -> bool:
    """OpenAI itself or Azure: newer parameter names, the Responses API, strict schemas."""
    return _under(_split(endpoint.base_url).hostname, "openai.com", "openai.azure.com", "services.ai.azure.com")


def is_azure(base_url: str) -> bool:
    return _under(_split(base_url).hostname, "azure.com", "azure-api.net")


def wants_strict_schema(endpoint: Endpoint) -> bool:
    """Whether schemas are kept to the letter there only in their strict form."""
    return is_openai(endpoint) or _under(_split(endpoint.base_url).hostname, "openrouter.ai")


def needs_encryption(base_url: str) -> bool:
    """Whether a key would travel readable over a network."""
    return _split(base_url).scheme == "http" and not is_local(base_url)


def _split(base_url: str) -> SplitResult:
    return urlsplit(base_url)


def _under(host: str | None, *domains: str) -> bool:
    name = (host or "").lower()
    return any(name == domain or name.endswith("." + domain) for domain in domains)


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
