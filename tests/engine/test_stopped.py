"""What a stop found under way is told with the end of the run."""

from __future__ import annotations

from operative_app.core.events import StepStarted
from operative_app.core.run import RunState, Stopped
from tests.engine.world import FakePage, ScriptedPlanner, World


def test_the_action_that_was_cut_off_is_told_with_what_was_held() -> None:
    page = FakePage(buttons=["One"], click_takes_s=60, held={"Shift"})
    with World(page, ScriptedPlanner("One")) as world:
        world.start()
        world.listener.wait(lambda event: isinstance(event, StepStarted))
        world.control.stop("The stop key was pressed")
        end = world.listener.wait_end()
    assert end.state is RunState.STOPPED
    assert end.stopped == Stopped(interrupted="Click button “One”", step=1, held=("Shift",))
    assert end.reason.startswith("The stop key was pressed.")
    assert page.is_released


def test_a_stop_between_actions_cuts_nothing_off() -> None:
    with World(FakePage(buttons=["Place order"]), ScriptedPlanner("Place order")) as world:
        world.start()
        world.listener.wait_request()
        world.control.stop()
        assert world.listener.wait_end().stopped == Stopped()


def test_what_was_perhaps_not_let_go_of_is_said() -> None:
    class Stuck(FakePage):
        async def release(self) -> None:
            raise RuntimeError("the program is gone")

    with World(Stuck(buttons=["Place order"]), ScriptedPlanner("Place order")) as world:
        world.start()
        world.listener.wait_request()
        world.control.stop()
        assert world.listener.wait_end().stopped == Stopped(is_released=False)


def test_a_run_that_was_not_stopped_tells_nothing_of_it() -> None:
    page = FakePage(buttons=["One"], on_click={"One": lambda page: page.texts.append("Pressed")})
    with World(page, ScriptedPlanner("One")) as world:
        end = world.run()
    assert (end.state, end.stopped) == (RunState.DONE, None)
