"""No known secret passes the redactor, in whatever form it is repeated."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.core.run import RunRequest
from operative_app.core.screen import Box, ScreenState, SurfaceKind, TextBlock
from operative_app.safety.redaction import MASK, Redactor

SECRET = "Zx!placeholder-7781"
FORMS = {
    "plain": SECRET,
    "percent": quote(SECRET, safe=""),
    "form": urlencode({"q": SECRET}),
    "plus": quote_plus(SECRET),
    "html": html.escape(SECRET),
    "json": json.dumps({"q": SECRET}),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "basic": base64.b64encode(f"dana:{SECRET}".encode()).decode(),
    "basic2": base64.b64encode(f"user:{SECRET}".encode()).decode(),
    "urlsafe": base64.urlsafe_b64encode(f"x{SECRET}y".encode()).decode(),
    "hex": SECRET.encode().hex(),
}


def knowing(*secrets: str) -> Redactor:
    redactor = Redactor()
    for secret in secrets:
        redactor.add(secret)
    return redactor


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_in_which_it_is_repeated_is_blotted_out(form: str) -> None:
    redactor = knowing(SECRET)
    text = f"before {form} after"
    cleaned = redactor.text(text)
    assert MASK in cleaned
    assert not redactor.holds_secret(cleaned)
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after")


def test_what_is_no_secret_stays() -> None:
    assert knowing(SECRET).text("placeholder 7781 and more") == "placeholder 7781 and more"
    assert knowing("a").text("a banana, and a pear") == f"{MASK} banana, and {MASK} pear"
    assert Redactor().text(SECRET) == SECRET
    assert not knowing("  ").knows_any


def test_the_longer_of_two_secrets_goes_whole() -> None:
    assert knowing("abcd", "abcdefgh").text("x abcdefgh y") == f"x {MASK} y"


def test_values_are_cleaned_all_the_way_down() -> None:
    box = Box(x_css_px=0, y_css_px=0, width_css_px=9, height_css_px=9)
    state = ScreenState(
        observation=1,
        surface=SurfaceKind.BROWSER,
        url=f"http://a.test/?q={quote(SECRET)}",
        texts=(TextBlock(text=f"you typed {SECRET}", box=box), TextBlock(text="fine", box=box)),
    )
    redactor = knowing(SECRET)
    cleaned = redactor.value(state)
    assert SECRET not in cleaned.model_dump_json()
    assert cleaned.texts[1] is state.texts[1]
    assert cleaned.surface is SurfaceKind.BROWSER
    assert redactor.value({"files": [SECRET, 3, None]}) == {"files": [MASK, 3, None]}
    request = RunRequest(goal="nothing to hide")
    assert redactor.value(request) is request


@given(st.text(min_size=4, max_size=30).filter(lambda text: text.strip()), st.text(max_size=30), st.text(max_size=30))
def test_a_secret_never_passes(secret: str, before: str, after: str) -> None:
    redactor = knowing(secret)
    for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1], html.escape(secret)):
        assert form not in redactor.text(before + form + after) or form in MASK


@given(st.binary(min_size=0, max_size=8), st.text(min_size=8, max_size=20), st.binary(max_size=8))
def test_base64_hides_nothing(before: bytes, secret: str, after: bytes) -> None:
    coded = base64.b64encode(before + secret.encode(errors="ignore") + after).decode()
    if len(secret.encode(errors="ignore")) >= 8:
        assert MASK in knowing(secret.encode(errors="ignore").decode()).text(coded)
