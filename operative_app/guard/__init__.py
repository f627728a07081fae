"""The kill switch: a global hotkey heard by a process of its own, so that it works while the application hangs."""
