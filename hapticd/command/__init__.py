"""The commands of the command line, one file each; `hapticd/cli.py` lists them and imports one when it is called."""
