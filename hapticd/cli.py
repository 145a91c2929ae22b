"""The command line: a table of commands; the code of each is in `hapticd/command/` and is imported when it is called.

To add a command: write `hapticd/command/NAME.py` with a click command and add a row to COMMANDS. Heavy imports (numpy,
numba, zmq) belong inside the command's function, so that `--help` and shell completion stay fast.

Exit codes: 0 done; 1 failed; 2 wrong usage, config or scene; 3 device; 4 wire; 5 log (see `errors.py`); 130 stopped by
Ctrl-C.
"""

import difflib
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from hapticd import __version__
from hapticd.errors import HapticdError


class Row(NamedTuple):
    """Where a command is listed, what it does in one line, and where its code is."""

    group: str
    help: str
    home: str


COMMANDS = {
    "run": Row("Daemon", "Run the daemon with a config.", "hapticd.command.run:run"),
    "demo": Row("Daemon", "Run without hardware: a simulated hand among six blocks.", "hapticd.command.run:demo"),
    "top": Row("Look", "Watch the running daemon in the terminal.", "hapticd.command.top:top"),
    "view": Row("Look", "Show the running daemon in a browser.", "hapticd.command.view:view"),
    "check": Row("Files", "List all errors of config and scene files.", "hapticd.command.check:check"),
    "decompose": Row("Files", "Split a mesh into convex parts.", "hapticd.command.decompose:decompose"),
    "devices": Row(
        "Devices",
        "List what is plugged in, the driver for each, and what is missing.",
        "hapticd.command.devices:devices",
    ),
    "calibrate": Row("Devices", "Tell a string device where home is.", "hapticd.command.calibrate:calibrate"),
    "zwidth": Row("Devices", "Map the stiffness that an emulated device can hold.", "hapticd.command.zwidth:zwidth"),
    "record": Row("Logs", "Record the running daemon.", "hapticd.command.record:record"),
    "replay": Row("Logs", "Replay a log exactly, or against a changed world.", "hapticd.command.replay:replay"),
    "hil": Row("Logs", "Play a log through the real driver, judged for CI.", "hapticd.command.hil:hil"),
    "log": Row("Logs", "Look into logs, repair, cut, export, plot and compare them.", "hapticd.command.log:log"),
    "experiment": Row(
        "Experiments", "Run an experiment of the papers and draw it.", "hapticd.command.experiment:experiment"
    ),
    "doctor": Row(
        "Set-up", "Say what stands between this machine and hard real time.", "hapticd.command.doctor:doctor"
    ),
    "warmup": Row(
        "Set-up", "Compile the kernels now, so that the first run starts at once.", "hapticd.command.warmup:warmup"
    ),
    "keys": Row("Set-up", "Make CURVE keys for clients on other machines.", "hapticd.command.keys:keys"),
    "completion": Row("Set-up", "Print the completion script of a shell.", "hapticd.command.completion:completion"),
}

EXAMPLES = """\
  hapticd check my_lab.toml               all errors of a file, with their lines
  hapticd check --json *.toml             the same for scripts
  hapticd warmup                          compile ahead of time
  eval "$(hapticd completion bash)"       complete commands and options with TAB
"""


class Commands(click.Group):
    """A group that lists its commands from the table and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            near = difflib.get_close_matches(cmd_name, COMMANDS, n=1)
            if near and not ctx.resilient_parsing:
                ctx.fail(f"No such command '{cmd_name}'. Did you mean '{near[0]}'?")
            return None
        module, _, name = COMMANDS[cmd_name].home.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group in dict.fromkeys(row.group for row in COMMANDS.values()):
            with formatter.section(group):
                formatter.write_dl([(name, row.help) for name, row in COMMANDS.items() if row.group == group])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            formatter.write(EXAMPLES)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [CompletionItem(n, help=row.help) for n, row in COMMANDS.items() if n.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="hapticd", message="%(prog)s %(version)s")
@click.option("-v", "--verbose", count=True, help="Say more on stderr; twice: everything.")
@click.option("-q", "--quiet", is_flag=True, help="Only warnings and errors on stderr.")
def hapticd(verbose: int, quiet: bool) -> None:
    """A real-time 6-DOF haptic rendering server."""
    from hapticd.log import set_up

    set_up(verbosity=-1 if quiet else verbose)


def main() -> None:
    """Entry point of the console script: every error of ours is a line on stderr and an exit code."""
    try:
        code = hapticd.main(prog_name="hapticd", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except HapticdError as error:
        for line in _lines(error):
            click.echo(line, err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) has gone; without this, Python complains once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _lines(error: HapticdError) -> Iterator[str]:
    problems: tuple[Any, ...] = getattr(error, "problems", ())
    yield from (f"hapticd: {problem}" for problem in problems or (error,))
