"""A marker secret is filled in, the page repeats it in every way it can, and every byte the program wrote is searched.

What repeats it on the page is written in red: no picture that was kept or sent may hold any red.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from operative_app.core.endpoint import KeySource
from operative_app.safety.redaction import Redactor
from operative_app.store.folders import app_folders
from operative_app.store.runs import RunStore
from operative_app.store.secret_book import SecretEntry, SecretStore
from tests.e2e.test_command import run
from tests.e2e.test_model_command import number_of, steps
from tests.llm.endpoint_server import EndpointServer, Received
from tests.planning.model.scripted import act, click, fill, finish, plan, summary
from tests.surfaces.pages import Pages

MARKER = "Marker+7Qx!4&value"
NAMED = "{{secret:shop password}}"
PAGE = """<style>body{font:20px sans-serif;margin:20px} .e{color:#f00} input{width:300px}</style>
<h1>Shop</h1><form onsubmit="return false"><label>Password <input id=p type=password></label>
<label><input type=checkbox id=c onchange="p.type = c.checked ? 'text' : 'password'">Show it</label>
<button onclick="signIn()">Sign in</button></form>
<div id=out></div><p class=e id=again></p>
<script>
p.oninput = () => { again.textContent = 'So far ' + p.value; };
function signIn() {
  const pw = p.value, q = encodeURIComponent(pw);
  document.title = 'Shop of ' + pw;
  history.pushState({}, '', '?pw=' + q + '&b=' + btoa(pw));
  console.log('typed', pw); console.error(new Error(pw));
  localStorage.pw = pw; document.cookie = 'pw=' + q;
  out.innerHTML = '<p>Signed in</p><p class=e></p><p class=e></p><a class=e></a><button class=e></button>'
    + '<button onclick="alert(p.value)">Remind me</button><a href="/attach?name=' + q + '.txt">Get the file</a>'
    + '<div class=e></div>';
  out.querySelectorAll('.e').forEach((one, n) => { one.append(n % 2 ? btoa('ada:' + pw) : 'Your password is ' + pw); });
  const half = document.createElement('p'); half.className = 'e';
  half.append(pw.slice(0, 8), document.createElement('br'), pw.slice(8)); out.append(half);
}
</script>"""


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture
def home(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = isolation / "home" / "operative"
    monkeypatch.setenv("OPERATIVE_HOME", str(place))
    monkeypatch.setenv("SHOP_PASSWORD", MARKER)
    store = SecretStore(app_folders().create().config)
    store.save(
        SecretEntry(name="shop password", sites=("127.0.0.1",), source=KeySource.ENVIRONMENT, variable="SHOP_PASSWORD")
    )
    return place


def knowing() -> Redactor:
    redactor = Redactor()
    redactor.add(MARKER)
    return redactor


def search(text: str) -> list[str]:
    """Where a text holds the marker in one of its forms."""
    spans = knowing().spans(text)
    return [text[max(0, begin - 60) : end + 20] for begin, end in spans]


def red_share(data: bytes) -> int:
    with Image.open(io.BytesIO(data)) as image:
        red, green, blue = image.convert("RGB").split()
    strong = red.point([255 * (value > 140) for value in range(256)])
    weak = [part.point([255 * (value < 110) for value in range(256)]) for part in (green, blue)]
    return int(ImageChops.multiply(ImageChops.multiply(strong, weak[0]), weak[1]).histogram()[255])


def is_picture(data: bytes) -> bool:
    return data.startswith((b"\xff\xd8\xff", b"\x89PNG"))


def files_under(folder: Path, without: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and without not in path.parents]


def pictures_in(request: Received) -> list[bytes]:
    return [base64.b64decode(found) for found in re.findall(r"data:image/\w+;base64,([\w+/=]+)", request.text)]


def leaks_of(home: Path, profile: Path) -> tuple[list[str], int]:
    """What holds the marker under the home but for the browser's own profile, and how many pictures were looked at."""
    found, pictures = [], 0
    for path in files_under(home, profile):
        data = path.read_bytes()
        found += [f"name of {path}"] * bool(search(path.name))
        if is_picture(data):
            pictures += 1
            found += [f"{path} shows it"] * (red_share(data) > 0)
            continue
        for coding in ("utf-8", "latin-1", "utf-16-le"):
            found += [f"{path}: {part!r}" for part in search(data.decode(coding, errors="ignore"))]
    return found, pictures


def all_events(data: Path) -> str:
    store = RunStore(data)
    try:
        return "\n".join(event.model_dump_json() for one in store.list_runs() for event in store.events(one.run_id))
    finally:
        store.close()


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0\1" + base64.b64encode(f"x{MARKER}y".encode()))
    Image.new("RGB", (9, 9), (255, 0, 0)).save(tmp_path / "b.png")
    found, pictures = leaks_of(tmp_path, tmp_path / "profile")
    assert pictures == 1
    assert {Path(one.split(": ")[0].removesuffix(" shows it")).name for one in found} == {"a.bin", "b.png"}


def test_no_byte_that_was_written_or_sent_holds_the_secret(home: Path, chromium_path: Path, pages: Pages) -> None:
    script = (
        plan("Sign in to the shop"),
        lambda request: act(fill(number_of(request, "Password"), NAMED)),
        lambda request: act(click(number_of(request, "Show it"))),
        {"route": "show", "show": "picture", "thought": "look"},
        lambda request: act(click(number_of(request, "Sign in"))),
        {"route": "show", "show": "picture", "thought": "look"},
        lambda request: act({"do": "get_text"}),
        lambda request: act({"do": "execute_js", "code": "return document.body.innerText + p.value"}),
        lambda request: act({"do": "take_screenshot"}),
        lambda request: act(click(number_of(request, "Remind me"))),
        lambda request: act(click(number_of(request, "Get the file"))),
        lambda request: finish("Signed in", answer=f"{MARKER} it is"),
        {"achieved": True, "evidence": "Signed in", "reasoning": f"{MARKER} it is", "confidence": 1},
        summary(("It is signed in", 2)),
    )
    record = home.parent / "record"
    with EndpointServer(steps(*script)) as server:
        code, out, err = run(
            "run", "Sign in to the shop with my saved password and get the file", "--url", pages.make(PAGE),
            "--planner", "model", "--base-url", server.base_url, "--model", "stub",
            "--headless", "--json", "--yes", "--record", str(record),
        )  # fmt: skip
        bodies = list(server.requests)

    events = [json.loads(line) for line in out.splitlines()]
    done = [event["action"] for event in events if event["kind"] == "step_started"]
    assert code == 0, (events[-1]["reason"], err, done)
    assert {"fill", "get_text", "execute_js", "take_screenshot"} <= set(done), done
    assert any("•••" in event.get("title", "") for event in events), "the page repeated nothing"

    folders = app_folders()
    found, pictures = leaks_of(home.parent, folders.profile)
    assert found == []
    assert pictures > 3
    assert search(all_events(folders.data)) == []
    assert search(out) + search(err) == []
    texts = [re.sub(r"data:image/[^\"]+", "", body.text) for body in bodies]
    assert [part for text in texts for part in search(text)] == []
    assert any("{{secret:shop password}} for 127.0.0.1" in text for text in texts)
    assert "•••" in texts[-2]
    sent = [picture for body in bodies for picture in pictures_in(body)]
    assert [red_share(picture) for picture in sent] == [0] * len(sent)
    assert sent
    assert [path.name for path in folders.downloads.iterdir()]
