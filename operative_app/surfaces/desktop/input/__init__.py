"""Mouse and keyboard by a process of their own, so that it can be ended at any moment without the application."""
