"""A reference means the very element that was seen, or is refused: whatever the page does meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operative_app.core.errors import ActionError, StaleReference
from operative_app.core.screen import ElementRef
from tests.surfaces.work import Work, one

ROWS = ("Ada", "Bob", "Cleo", "Dan")
PAGE = """<h2>People</h2><ul id=list></ul><script>
let rows = %s; window.hits = [];
const hit = (button) => hits.push(button.closest('li').querySelector('b').textContent + ' ' + button.textContent);
const row = (name) => { const li = document.createElement('li');
  li.innerHTML = `<b>${name}</b> <button onclick='hit(this)'>Edit</button> <button onclick='hit(this)'>Delete</button>`;
  return li; };
const draw = () => list.replaceChildren(...rows.map(row));
const at = (n) => list.children[n %% Math.max(1, list.children.length)];
const change = {
  remove: (n) => { if (at(n)) { rows.splice(n %% rows.length, 1); at(n).remove(); } },
  insert: (n) => {
    rows.splice(n, 0, 'New' + n); list.insertBefore(row('New' + n), list.children[n] || null); },
  rerender: () => draw(),
  moveFirst: (n) => {
    const li = at(n); if (li) { rows.unshift(rows.splice(n %% rows.length, 1)[0]); list.prepend(li); } },
  recycle: () => { rows.push(rows.shift()); rows.forEach((name, n) => {
    list.children[n].querySelector('b').firstChild.data = name }); },
  recycleByText: () => { rows.push(rows.shift()); rows.forEach((name, n) => {
    list.children[n].querySelector('b').textContent = name }); },
  swapLabels: (n) => { const li = at(n); if (li) { const [a, b] = li.querySelectorAll('button');
    [a.textContent, b.textContent] = [b.textContent, a.textContent]; } },
  swapButtons: (n) => { const li = at(n); if (li) li.append(li.querySelector('button')); },
  wrap: () => { const section = document.createElement('section'); list.before(section); section.append(list); },
};
draw();</script>""".replace("%s", str(list(ROWS))).replace("%%", "%")
CHANGES = st.lists(
    st.tuples(
        st.sampled_from([
            "remove", "insert", "rerender", "moveFirst", "recycle", "recycleByText", "swapLabels", "swapButtons",
            "wrap",
        ]),
        st.integers(0, 3),
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(changes=CHANGES, target=st.integers(0, 3), verb=st.sampled_from(["Edit", "Delete"]))
def test_a_reference_means_the_very_element_or_nothing(
    work: Work, changes: Sequence[tuple[str, int]], target: int, verb: str
) -> None:
    async def act() -> None:
        if not await work.script("typeof change === 'object'"):
            await work.show(PAGE)
        await work.script(f"(() => {{ rows = {list(ROWS)}; draw(); hits.length = 0 }})()")
        state = (await work.browser.observe(with_picture=False)).state
        ref = state.ref(one(state, "button", verb, within=ROWS[target]))
        for name, place in changes:
            await work.script(f"change.{name}({place})")
        try:
            await work.browser.click(ref)
        except StaleReference:
            assert await work.script("hits") == []
            assert changes, "nothing changed, and the element was not found"
        else:
            assert await work.script("hits") == [f"{ROWS[target]} {verb}"]

    work.run(act(), limit_s=60)


@pytest.mark.parametrize(
    "make_ref",
    [
        lambda ref: ref.model_copy(update={"key": "nonsense", "observation": 1}),
        lambda ref: ref.model_copy(update={"key": "w999n1"}),
        lambda ref: ref.model_copy(update={"fingerprint": ref.fingerprint.model_copy(update={"name": "Buy"})}),
        lambda ref: ref.model_copy(update={"key": "", "fingerprint": ref.fingerprint.model_copy(update={"path": "x"})}),
    ],
)
def test_a_made_up_reference_finds_its_element_by_fingerprint_or_is_refused(work: Work, make_ref) -> None:  # type: ignore[no-untyped-def]
    async def act() -> None:
        state = await work.show("<button onclick='window.sold = true'>Sell</button>")
        ref: ElementRef = make_ref(state.ref(one(state, "button", "Sell")))
        is_right = ref.fingerprint == state.ref(one(state, "button", "Sell")).fingerprint
        if is_right:
            await work.browser.click(ref)
        else:
            with pytest.raises(ActionError):
                await work.browser.click(ref)
        assert bool(await work.script("window.sold")) is is_right

    work.run(act())


def test_a_link_that_leads_elsewhere_since_it_was_seen_is_refused(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<p id=p><a href='/right'>Open</a></p>")
        ref = state.ref(one(state, "link", "Open"))
        await work.script("p.innerHTML = '<a href=\"/wrong\">Open</a>'")
        with pytest.raises(StaleReference, match="among other things"):
            await work.browser.click(ref)
        assert (await work.look()).url == state.url

    work.run(act())
