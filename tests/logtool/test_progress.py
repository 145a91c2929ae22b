"""The bar: silent when nobody looks, and all chunks pass through it."""

from hapticd.logfile import LogReader
from hapticd.logtool import progress
from tests.oracle.testlog import record


def test_all_chunks_pass_and_nothing_shows_without_a_terminal(tmp_path, capsys):
    reader = LogReader(record(tmp_path, "a.mcap", 300))
    assert list(progress.shown_chunks(reader, "reading")) == list(reader.chunks())
    assert capsys.readouterr().err == ""


def test_a_bar_shows_when_it_takes_long(capsys, monkeypatch):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.Shown("counting", 10) as shown:
        for k in range(10):
            shown.at(k)
    assert shown.visible and "counting" in capsys.readouterr().err
