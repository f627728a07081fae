"""The actions, declared once each."""
