"""Where actions land: the browser and the desktop."""
