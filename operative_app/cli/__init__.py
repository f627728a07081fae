"""The command line: one module for each command. Importing the parser is quick; everything heavy is imported on use."""
