"""The browser surface: a managed Chromium, or one that is already open, driven through Playwright and CDP."""
