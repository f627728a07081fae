"""Dialogs that are opened, never executed: nothing waits inside them."""
