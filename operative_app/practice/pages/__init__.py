"""The pages of the practice site, one room each."""
