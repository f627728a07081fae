"""Log records without what is concealed, whoever writes them and whatever hears them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

Cleaner = Callable[[str], str]

_formatter = logging.Formatter()


def keep_out_of_logs(clean: Cleaner) -> Callable[[], None]:
    """From now on every record's message and traceback goes through `clean`. Returns what ends that; any thread."""
    before = logging.getLogRecordFactory()

    def cleaned(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = before(*args, **kwargs)
        try:
            message = record.getMessage()
            fault = _formatter.formatException(record.exc_info) if record.exc_info else ""
        except Exception:  # noqa: BLE001 - a record that cannot be put into words is for its handler to complain about
            return record
        if clean(message) != message:
            record.msg, record.args = clean(message), ()
        if clean(fault) != fault:
            record.exc_info, record.exc_text = None, clean(fault)
        return record

    logging.setLogRecordFactory(cleaned)

    def end() -> None:
        if logging.getLogRecordFactory() is cleaned:
            logging.setLogRecordFactory(before)

    return end
