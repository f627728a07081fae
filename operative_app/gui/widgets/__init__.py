"""Building blocks that know nothing of the application."""
