"""The engine: perceive, think, check, act, verify, record; repeated until the goal is met."""
