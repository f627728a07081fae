"""The planner port, served by a model."""
