from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from operative_app.core.events import Event, Notice
from operative_app.core.screen import Picture
from operative_app.gui.bridge import BATCH_EVENTS, EventBridge
from tests.gui.sample_run import event_maker


def storm(count: int) -> list[Event]:
    make = event_maker()
    return [make(Notice, text=str(number)) for number in range(count)]


def emit_all(bridge: EventBridge, events: list[Event]) -> None:
    for event in events:
        bridge.emit(event)


def test_a_storm_from_another_thread_arrives_whole_and_in_order_in_bounded_batches(qtbot: QtBot) -> None:
    bridge = EventBridge()
    batches: list[list[Event]] = []
    threads: set[threading.Thread] = set()
    bridge.events_arrived.connect(batches.append)
    bridge.events_arrived.connect(lambda _batch: threads.add(threading.current_thread()))
    events = storm(5_000)
    thread = threading.Thread(target=emit_all, args=(bridge, events))
    thread.start()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == len(events))
    thread.join()
    assert [event for batch in batches for event in batch] == events
    assert max(map(len, batches)) <= BATCH_EVENTS
    assert threads == {threading.main_thread()}


def test_of_many_frames_only_the_newest_arrives(qtbot: QtBot) -> None:
    bridge = EventBridge()
    frames: list[Picture] = []
    bridge.frame_arrived.connect(frames.append)
    pictures = [Picture(data=bytes([number])) for number in range(20)]
    for picture in pictures:
        bridge.frame_listener(picture)
    qtbot.waitUntil(lambda: bool(frames))
    assert frames == [pictures[-1]]


def test_frames_do_not_hold_up_or_drop_events(qtbot: QtBot) -> None:
    bridge = EventBridge()
    seen: list[Event] = []
    bridge.events_arrived.connect(seen.extend)
    events = storm(50)
    for event in events:
        bridge.emit(event)
        bridge.frame_listener(Picture(data=b"x"))
    qtbot.waitUntil(lambda: len(seen) == len(events))
    assert seen == events


def test_after_closing_nothing_arrives_and_closing_twice_is_fine(qtbot: QtBot) -> None:
    bridge = EventBridge()
    seen: list[Event] = []
    bridge.events_arrived.connect(seen.extend)
    (first, second) = storm(2)
    bridge.emit(first)
    bridge.close()
    bridge.close()
    bridge.emit(second)
    other = EventBridge()
    with qtbot.waitSignal(other.events_arrived):  # queued behind what the closed one would have sent
        other.emit(first)
    assert seen == []
