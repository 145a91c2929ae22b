"""Log messages of the slow side: one line each on stderr; never used inside the servo loop.

Under systemd (JOURNAL_STREAM names our stderr) lines start with the priority that journald understands and carry no
time of their own; on a terminal they start with a clock time. Modules use `logging.getLogger(__name__)`.
"""

import logging
import os
import sys

# sd-daemon(3): the number in angle brackets is the syslog priority of the line
JOURNAL_PRIORITY = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
LEVEL = {-1: logging.WARNING, 0: logging.INFO, 1: logging.DEBUG}


class JournalFormatter(logging.Formatter):
    """`<4>hapticd.servo: ...`; a message of several lines gets the prefix on each, or journald would lose it."""

    def format(self, record: logging.LogRecord) -> str:
        prefix = f"<{JOURNAL_PRIORITY.get(record.levelno, 6)}>"
        return "\n".join(prefix + line for line in super().format(record).splitlines())


def set_up(verbosity: int = 0) -> None:
    """Send the log of hapticd to stderr: -1 warnings, 0 what happens, 1 details, 2 those of the libraries, too."""
    handler = logging.StreamHandler(sys.stderr)
    if stderr_is_journal():
        handler.setFormatter(JournalFormatter("%(name)s: %(message)s"))
    else:
        handler.setFormatter(
            logging.Formatter("%(asctime)s.%(msecs)03d %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S")
        )
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbosity > 1 else logging.WARNING, force=True)
    logging.getLogger("hapticd").setLevel(LEVEL[max(-1, min(verbosity, 1))])
    logging.captureWarnings(True)


def stderr_is_journal() -> bool:
    """Whether stderr is the stream that systemd connected: JOURNAL_STREAM is its device:inode."""
    try:
        info = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return False  # closed or replaced by an object without a descriptor
    return os.environ.get("JOURNAL_STREAM") == f"{info.st_dev}:{info.st_ino}"
