"""Planners: from a goal and what is on the screen to the next action."""
