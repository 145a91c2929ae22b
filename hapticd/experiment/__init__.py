"""The papers' experiments, to be run from the command line or from Python."""
