"""Tools for recorded logs, one file each; `hapticd log` is their face. They read through logfile.LogReader only."""
