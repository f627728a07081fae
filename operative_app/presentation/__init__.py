"""Qt-free: folds events into what people read; words, numbers, reports."""
