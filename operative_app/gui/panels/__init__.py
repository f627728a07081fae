"""Parts of the window that know the view state."""
