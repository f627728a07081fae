"""The built-in planner: explicit instructions in ordinary English, without a model, a key or a network."""
