"""The practice site: small, real web pages on the loopback interface with state that can be read back."""

from __future__ import annotations

from operative_app.practice.server import PAGE_NAMES, PracticeSite, UnknownPageError

__all__ = ["PAGE_NAMES", "PracticeSite", "UnknownPageError"]
