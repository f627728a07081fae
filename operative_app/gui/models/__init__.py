"""Item models for views; each is fed from a view state and never changes it."""
