"""The window: widgets render what the view state says and emit what the person wants. Only this folder imports Qt."""
