"""What lies outside of the active task is asked about once, and what allowing it adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from operative_app.actions.browser import CloseTab, ExecuteJs, Fill, GetText, GoBack, Navigate, NewTab, SwitchTab
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey, TypeText
from operative_app.actions.mouse import Click, ClickElement, Hover, Scroll
from operative_app.actions.system import FileDialog, OpenApp, RunCommand, SwitchApp
from operative_app.core.plan import Grants
from operative_app.core.run import Oversight
from operative_app.core.screen import ElementState, FramePlace, ScreenState, SurfaceKind, Tab, Window
from operative_app.safety.contract import outside
from operative_app.safety.policy import Decision, Policy, Verdict, decide, may_allow_kind
from operative_app.safety.risk_words import Kind
from operative_app.safety.risks import Known, files_of, risk_of
from operative_app.safety.sites import SiteRules
from tests.safety.screens import box, desktop, element, screen

HOME = Grants(sites=("site.test",))
POLICY = Policy(grants=HOME)


def click(state: ScreenState) -> ClickElement:
    return ClickElement(target=state.ref(state.elements[0]))


def on_link(href: str, policy: Policy = POLICY, role: str = "link") -> Verdict:
    state = screen(element("More", role, href=href))
    return decide(click(state), state, policy)


@pytest.mark.parametrize(
    ("href", "site"),
    [
        ("https://site.test/other", ""),
        ("https://www.site.test/other", ""),
        ("https://a.b.site.test:8443/", ""),
        ("http://site.test/", ""),
        ("https://shop.example/", "shop.example"),
        ("https://www.shop.example/deep", "shop.example"),
        ("https://site.test.evil.example/", "evil.example"),
        ("https://site.test@evil.example/", "evil.example"),
        ("https://evil.example\\@site.test/", "evil.example"),
        ("https://evil-site.test/", "evil-site.test"),
        ("https://s\u0456te.test/", "xn--ste-jhd.test"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://2130706433/", "127.0.0.1:80"),
        ("http://[::1]:9/", "[::1]:9"),
        ("http://localhost/", "localhost:80"),
        ("https://ada.github.io/", "ada.github.io"),
        ("mailto:ada@mail.example", ""),
        ("blob:https://evil.example/1", ""),  # made in the page; the browser holds it to the sites of the run
    ],
)
def test_a_link_to_another_site_is_asked_about(href: str, site: str) -> None:
    verdict = on_link(href)
    if not site:
        assert verdict.decision is Decision.ALLOW
        return
    assert (verdict.decision, verdict.kind, verdict.site) == (Decision.CONFIRM, Kind.LEAVING, site)
    assert verdict.allow_words == f"Allow {site} for this task"
    assert may_allow_kind(verdict)
    assert on_link(href, Policy(grants=HOME | verdict.widening)).decision is Decision.ALLOW


def test_names_below_a_public_suffix_are_sites_of_their_own() -> None:
    policy = Policy(grants=Grants(sites=("ada.github.io",)))
    assert on_link("https://eve.github.io/", policy).site == "eve.github.io"


@pytest.mark.parametrize(
    "action",
    [Navigate(url="https://shop.example/"), NewTab(url="https://shop.example/"), SwitchTab(tab_id=2)],
    ids=lambda one: one.name,
)
def test_every_way_to_another_site_counts(action: Action) -> None:
    state = screen(tabs=(Tab(id=1, url="https://site.test/"), Tab(id=2, url="https://shop.example/")))
    assert decide(action, state, POLICY).kind is Kind.LEAVING


def test_a_form_that_is_sent_to_another_site_counts() -> None:
    state = screen(element("Search", sends_to="https://shop.example/find"))
    assert decide(click(state), state, POLICY).kind is Kind.LEAVING
    within = screen(element("Search", sends_to="https://www.site.test/find"))
    assert decide(click(within), within, POLICY).decision is Decision.ALLOW


AWAY = screen(element("Next"), element("Name", "textbox", states={ElementState.EDITABLE}), url="https://shop.example/x")


@pytest.mark.parametrize(
    ("action", "is_asked"),
    [
        (click(AWAY), True),
        (Fill(target=AWAY.ref(AWAY.elements[1]), text="x"), True),
        (TypeText(text="x"), True),
        (GetText(), False),
        (Scroll(dy_css_px=100), False),
        (Hover(target=AWAY.ref(AWAY.elements[0])), False),
        (GoBack(), False),
        (Navigate(url="https://site.test/"), False),
        (Navigate(url="https://shop.example/other"), False),  # being there is asked about when something is done there
    ],
    ids=lambda one: one.words if isinstance(one, Action) else "",
)
def test_acting_where_a_redirect_has_led_is_asked_about_and_reading_is_not(action: Action, is_asked: bool) -> None:
    verdict = decide(action, AWAY, POLICY)
    assert verdict.kind is (Kind.LEAVING if is_asked else Kind.NONE)
    assert not verdict.is_risky
    assert decide(action, AWAY, POLICY.visiting("shop.example")).decision is Decision.ALLOW
    assert decide(action, AWAY, Policy()).decision is Decision.ALLOW  # before there is a plan


def test_a_visit_is_no_leave_to_come_again() -> None:
    visited = POLICY.visiting("shop.example")
    assert on_link("https://shop.example/", visited).kind is Kind.LEAVING


def test_what_is_riskier_than_leaving_is_told_as_that() -> None:
    state = screen(element("Pay now", sends_to="https://shop.example/pay"))
    assert decide(click(state), state, POLICY).kind is Kind.PAYMENT
    assert decide(ExecuteJs(code="1"), AWAY, POLICY).kind is Kind.SCRIPT
    assert decide(CloseTab(tab_id=1), AWAY, POLICY).kind is Kind.IRREVERSIBLE


def test_never_asking_lets_leave_and_denied_kinds_stay_denied() -> None:
    assert on_link("https://shop.example/", Policy(grants=HOME, oversight=Oversight.NONE)).decision is Decision.ALLOW
    never = Policy(grants=HOME, oversight=Oversight.NONE, denied=frozenset({Kind.LEAVING, Kind.PAYMENT}))
    assert on_link("https://shop.example/", never).decision is Decision.DENY
    state = screen(element("Pay now"))
    assert decide(click(state), state, never).decision is Decision.DENY


def test_what_is_allowed_as_a_kind_is_still_asked_about_as_another_site() -> None:
    asked_for = Policy(grants=HOME | Grants(kinds=("consent",)))
    accept = screen(element("Accept all", sends_to="https://shop.example/"))
    verdict = decide(click(accept), accept, asked_for)
    assert (verdict.decision, verdict.kind, verdict.is_risky) == (Decision.CONFIRM, Kind.LEAVING, True)
    none = asked_for.model_copy(update={"oversight": Oversight.NONE})
    assert decide(click(accept), accept, none).decision is Decision.ALLOW


def test_a_forbidden_kind_is_denied_also_behind_a_graver_or_a_free_one(tmp_path: Path) -> None:
    granted = Grants(apps=("command:cp",), folders=(str(tmp_path / "a"),))

    def decision(action: Action, state: ScreenState, kind: Kind) -> Decision:
        return decide(
            action, state, Policy(denied=frozenset({kind}), oversight=Oversight.NONE, grants=granted)
        ).decision

    booking = screen(element("Book and pay"))
    assert decision(click(booking), booking, Kind.BOOKING) is Decision.DENY
    assert decision(click(booking), booking, Kind.MESSAGE) is Decision.ALLOW
    phone = element("Phone", "textbox", form="f", value="555123456", states={ElementState.EDITABLE})
    sharing = screen(element("Book now", form="f", sends_to="https://site.test/"), phone)
    assert decision(click(sharing), sharing, Kind.SHARING) is Decision.DENY
    assert decision(RunCommand(command="date"), desktop(), Kind.COMMAND) is Decision.DENY
    assert decision(RunCommand(command="cp a b"), desktop(), Kind.COMMAND) is Decision.DENY
    assert decision(FileDialog(paths=(str(tmp_path / "a"),)), screen(), Kind.UPLOAD) is Decision.DENY


def test_an_empty_page_is_no_site() -> None:
    blank = screen(element("Next"), url="about:blank")
    assert decide(click(blank), blank, Policy(grants=Grants())).decision is Decision.ALLOW
    assert decide(Navigate(url="https://shop.example/"), blank, Policy(grants=Grants())).kind is Kind.LEAVING


def test_a_planner_can_only_make_a_step_asked_about() -> None:
    state = screen(element("Next"), element("Pay now"))
    calm, pay = (ClickElement(target=state.ref(one)) for one in state.elements)
    doubted = decide(calm, state, POLICY, is_doubted=True)
    assert (doubted.decision, doubted.kind, doubted.is_risky) == (Decision.CONFIRM, Kind.DOUBT, True)
    assert not may_allow_kind(doubted)
    assert decide(pay, state, POLICY, is_doubted=True).kind is Kind.PAYMENT
    assert decide(GetText(), state, POLICY, is_doubted=True).decision is Decision.ALLOW
    none = Policy(oversight=Oversight.NONE)
    assert decide(calm, state, none, is_doubted=True).decision is Decision.ALLOW


def test_consent_the_person_asked_for_is_not_asked_about_again_and_payment_is() -> None:
    asked_for = Policy(grants=HOME | Grants(kinds=("consent", "payment")))
    state = screen(element("Accept all"), element("Pay now"))
    accept, pay = (ClickElement(target=state.ref(one)) for one in state.elements)
    assert decide(accept, state, asked_for).decision is Decision.ALLOW
    assert decide(accept, state, POLICY).decision is Decision.CONFIRM
    assert decide(pay, state, asked_for).decision is Decision.CONFIRM


@pytest.mark.parametrize(
    ("action", "is_asked"),
    [
        (OpenApp(app="Text Editor"), False),  # in the person's words
        (OpenApp(app="mousepad"), False),  # granted
        (SwitchApp(app="Mousepad – letter.txt"), False),
        (OpenApp(app="Mail"), True),
        (SwitchApp(app="Passwords"), True),
    ],
    ids=lambda one: one.words if isinstance(one, Action) else "",
)
def test_a_program_that_was_not_named_is_asked_about(action: Action, is_asked: bool) -> None:
    policy = Policy(grants=Grants(apps=("mousepad",)), words="Open the text editor and write a letter")
    verdict = decide(action, desktop(), policy)
    assert verdict.kind is (Kind.PROGRAM if is_asked else Kind.NONE)
    if is_asked:
        widened = Policy(grants=verdict.widening, words="")
        assert decide(action, desktop(), widened).decision is Decision.ALLOW


def test_a_window_is_known_by_its_program() -> None:
    state = desktop(app="mousepad", title="Untitled 1")
    assert outside(SwitchApp(app="Untitled 1"), state, Grants(), words="open Mousepad") is None
    assert outside(SwitchApp(app="Untitled 1"), state, Grants(apps=("mousepad",))) is None
    assert outside(SwitchApp(app="Untitled 1"), state, Grants(), words="open the browser") is not None


def test_short_names_are_not_found_in_others() -> None:
    assert outside(OpenApp(app="vi"), desktop(), Grants(apps=("video",))) is not None
    assert outside(OpenApp(app="video"), desktop(), Grants(apps=("vi",))) is not None


def test_files_outside_of_the_folders_are_asked_about(tmp_path: Path) -> None:
    inside, beyond = tmp_path / "work", tmp_path / "private"
    for folder in (inside, beyond):
        folder.mkdir()
        (folder / "a.txt").write_text("a")
    policy = Policy(grants=Grants(folders=(str(inside),)), words="open viewer")
    assert decide(OpenApp(app="viewer", arguments=(str(inside / "a.txt"),)), desktop(), policy).kind is Kind.NONE
    verdict = decide(OpenApp(app="viewer", arguments=(str(beyond / "a.txt"),)), desktop(), policy)
    assert (verdict.kind, verdict.allow_words) == (Kind.FILES, f"Allow the folder {beyond} for this task")
    assert verdict.widening.folders == (str(beyond),)


def test_uploads_ask_but_for_a_file_the_person_named(tmp_path: Path) -> None:
    named, other = tmp_path / "cv.pdf", tmp_path / "other.pdf"
    for file in (named, other):
        file.write_text("x")
    policy = Policy(grants=HOME | Grants(folders=(str(named), str(tmp_path / "downloads"))))
    assert decide(FileDialog(paths=(str(named),)), screen(), policy).decision is Decision.ALLOW
    assert decide(FileDialog(paths=(str(named), str(other))), screen(), policy).kind is Kind.UPLOAD
    folder = Policy(grants=HOME | Grants(folders=(str(tmp_path),)))
    assert decide(FileDialog(paths=(str(named),)), screen(), folder).kind is Kind.UPLOAD


@pytest.mark.parametrize("path", ["/dev/sda", "/proc/self/environ", "relative.txt", "/tmp/a\u202etxt.exe"])
@pytest.mark.parametrize("oversight", list(Oversight))
def test_devices_and_disguised_names_are_denied_at_every_level(path: str, oversight: Oversight) -> None:
    verdict = decide(FileDialog(paths=(path,)), screen(), Policy(oversight=oversight))
    assert verdict.decision is Decision.DENY


def test_a_policy_file_can_limit_folders(tmp_path: Path) -> None:
    limited = Policy(oversight=Oversight.NONE, folder_limit=(str(tmp_path / "work"),))
    assert decide(FileDialog(paths=(str(tmp_path / "a"),)), screen(), limited).decision is Decision.DENY
    assert decide(RunCommand(command="cat /etc/passwd"), desktop(), limited).decision is Decision.DENY
    assert decide(FileDialog(paths=(str(tmp_path / "work/a"),)), screen(), limited).decision is Decision.ALLOW


@pytest.mark.parametrize(
    ("action", "files"),
    [
        (OpenApp(app="x", arguments=("/a", "~/b", "C:\\c", "d", "--e")), ("/a", "~/b", "C:\\c")),
        (GetText(), ()),
    ],
    ids=lambda one: one.name if isinstance(one, Action) else "",
)
def test_the_files_an_action_names(action: Action, files: tuple[str, ...]) -> None:
    assert files_of(action) == files


@pytest.mark.parametrize("oversight", list(Oversight))
def test_what_a_form_or_a_link_leads_to_is_held_to_the_sites_of_the_run(oversight: Oversight) -> None:
    policy = Policy(oversight=oversight, sites=SiteRules.read(["site.test"]))
    for control in (
        element("Go", sends_to="https://evil.example/"),
        element("Go", "link", href="https://evil.example/"),
    ):
        verdict = decide(click(screen(control)), screen(control), policy)
        assert (verdict.decision, verdict.rule) == (Decision.DENY, "not on the allow list")
    fine = screen(element("Go", sends_to="https://site.test/"))
    assert decide(click(fine), fine, policy).decision is not Decision.DENY


def test_a_risk_names_its_controls() -> None:
    state = screen(element("Pay now"))
    assert risk_of(click(state), state, Known()).controls == state.elements


def in_frames(*frames: FramePlace, **fields: object) -> ScreenState:
    field = element("Card", "textbox", frame="0.0", states={ElementState.EDITABLE}, box=box(20, 20), key="card")
    return screen(element("Next"), field, frames=frames, focus="card", **fields)


PAY = in_frames(
    FramePlace(path="0", url="https://pay.example", box=box(10, 10, 100, 100)),
    FramePlace(path="0.0", url="", box=box(15, 15, 50, 50)),
)


@pytest.mark.parametrize(
    ("action", "is_asked"),
    [
        (Fill(target=PAY.ref(PAY.elements[1]), text="x"), True),
        (ClickElement(target=PAY.ref(PAY.elements[1])), True),
        (TypeText(text="x"), True),  # the focus is there
        (Click(x_px=90, y_px=90), True),  # no control is listed there
        (Click(x_px=200, y_px=200), False),
        (ClickElement(target=PAY.ref(PAY.elements[0])), False),
        (Hover(target=PAY.ref(PAY.elements[1])), False),
        (GetText(), False),
    ],
    ids=lambda one: one.words if isinstance(one, Action) else "",
)
def test_acting_in_a_frame_of_another_site_is_asked_about_once(action: Action, is_asked: bool) -> None:
    verdict = decide(action, PAY, POLICY)
    assert verdict.kind is (Kind.LEAVING if is_asked else Kind.NONE)
    if is_asked:
        assert (verdict.site, verdict.allow_words) == ("pay.example", "Allow pay.example for this task")
    assert decide(action, PAY, Policy(grants=HOME | verdict.widening)).decision is Decision.ALLOW
    assert decide(action, PAY, POLICY.visiting("pay.example")).decision is Decision.ALLOW


@pytest.mark.parametrize(
    "url", ["https://www.site.test", "https://site.test:8443", "", "data:text/html,x", "about:srcdoc"]
)
def test_a_frame_of_the_same_site_or_of_none_is_a_part_of_the_page(url: str) -> None:
    state = in_frames(FramePlace(path="0", box=box()), FramePlace(path="0.0", url=url, box=box()))
    assert decide(Fill(target=state.ref(state.elements[1]), text="x"), state, POLICY).decision is Decision.ALLOW


def test_a_kind_that_was_allowed_on_a_site_is_not_allowed_in_its_frames() -> None:
    policy = POLICY.visiting("pay.example").allowing(Kind.CONSENT, "site.test")
    agree = element("Accept all cookies", frame="0", box=box(20, 20))
    page = screen(agree.model_copy(update={"frame": ""}))
    inside = screen(agree, frames=(FramePlace(path="0", url="https://pay.example", box=box(0, 0, 99, 99)),))
    assert decide(click(page), page, policy).decision is Decision.ALLOW
    verdict = decide(click(inside), inside, policy)
    assert (verdict.decision, verdict.site) == (Decision.CONFIRM, "pay.example")


def two_programs() -> ScreenState:
    mine = Window(id=1, title="notes.txt", app="Mousepad", box=box(0, 0, 100, 100), is_active=True)
    hidden = Window(id=3, title="Hidden", app="Bank", box=box(0, 0, 500, 500), is_minimized=True)
    other = Window(id=2, title="Mousepad help", app="Mailer", box=box(50, 0, 200, 100))
    elements = (
        element("Text", "textbox", window=1, states={ElementState.EDITABLE}),
        element("To", "textbox", window=2, box=box(120, 10), states={ElementState.EDITABLE}),
        element("Panel", "generic", window=0, box=box(400, 400)),
    )
    return screen(*elements, surface=SurfaceKind.DESKTOP, url="", windows=(hidden, mine, other))


BOTH = two_programs()


@pytest.mark.parametrize(
    ("action", "is_asked"),
    [
        (TypeText(text="x"), False),
        (PressKey(key="Control+s"), False),
        (Click(x_px=60, y_px=50), False),  # it lies in front there
        (Click(x_px=120, y_px=50), True),
        (Click(x_px=450, y_px=450), False),  # no window is there
        (Fill(target=BOTH.ref(BOTH.elements[0]), text="x"), False),
        (Fill(target=BOTH.ref(BOTH.elements[1]), text="x"), True),
        (ClickElement(target=BOTH.ref(BOTH.elements[2])), False),
        (Scroll(dy_css_px=100, x_px=120, y_px=50), False),
        (GetText(), False),
    ],
    ids=lambda one: one.words if isinstance(one, Action) else "",
)
def test_acting_in_the_window_of_another_program_is_asked_about_once(action: Action, is_asked: bool) -> None:
    granted = Grants(apps=("mousepad",))
    policy = Policy(grants=granted)
    verdict = decide(action, BOTH, policy)
    assert verdict.kind is (Kind.PROGRAM if is_asked else Kind.NONE)
    if is_asked:
        assert verdict.allow_words == "Allow “Mailer” for this task"
        assert decide(action, BOTH, policy.visiting("Mailer")).decision is Decision.ALLOW
        assert verdict.reason == "The window belongs to “Mailer”, which is not among the programs of this task."
    assert decide(action, BOTH, Policy(grants=granted | verdict.widening)).decision is Decision.ALLOW
    assert decide(action, BOTH, policy.model_copy(update={"words": "Write it in the mailer"})).kind is Kind.NONE


def test_a_title_does_not_make_a_program_another_one_and_names_a_window_without_a_program() -> None:
    act = TypeText(text="x")
    policy = Policy(grants=Grants(apps=("mousepad",)))
    assert decide(act, desktop(app="Mailer", title="mousepad"), policy).kind is Kind.PROGRAM
    assert decide(act, desktop(app="", title="Mailer"), policy).site == ""
    assert decide(act, desktop(app="", title="Mailer"), policy).allow_words == "Allow “Mailer” for this task"
    assert decide(act, desktop(app="", title=""), policy).decision is Decision.ALLOW
    assert decide(act, screen(surface=SurfaceKind.DESKTOP, url=""), policy).decision is Decision.ALLOW
