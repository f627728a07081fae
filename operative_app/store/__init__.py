"""What outlives a run: its record with pictures, the settings, and the folders they are kept in."""
