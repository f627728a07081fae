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
    "other case": SECRET.upper(),
    "broken over lines": f"{SECRET[:7]}\n    {SECRET[7:]}",
    "signs of no width": "\u200b".join(SECRET),
    "soft hyphens": "\u00ad".join(SECRET),
    "percent twice": quote(quote(SECRET, safe=""), safe=""),
    "percent in small letters": quote(SECRET, safe="").lower(),
    "JSON in JSON": json.dumps(json.dumps({"q": SECRET})),
    "html twice": html.escape(html.escape(SECRET)),
    "backwards": SECRET[::-1],
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


def test_where_it_stands_is_told_and_how_many_are_known() -> None:
    redactor = knowing(SECRET)
    assert redactor.version == 1
    assert redactor.spans(f"ab {SECRET} cd") == [(3, 3 + len(SECRET))]
    assert redactor.spans("nothing") == []
    assert (Redactor().version, Redactor().spans(SECRET)) == (0, [])


def test_a_quotation_mark_is_found_in_both_of_its_html_forms() -> None:
    redactor = knowing("it's-4-me")
    for form in ("it&#x27;s-4-me", "it&#39;s-4-me", "it's-4-me"):
        assert redactor.text(form) == MASK


def test_a_short_secret_is_found_as_it_is_only() -> None:
    redactor = knowing("abcde")
    assert redactor.text("abcde ABCDE a b c d e") == f"{MASK} ABCDE a b c d e"


def test_a_secret_that_is_known_is_not_taken_in_again() -> None:
    redactor = knowing(SECRET, SECRET)
    assert redactor.version == 1
    assert redactor.text(SECRET) == MASK
