"""Pure values and ports; imports nothing else of the application."""
