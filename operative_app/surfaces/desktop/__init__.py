"""The real desktop as a surface: its programs, windows, pointer and keyboard."""
