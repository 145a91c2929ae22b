"""`hapticd completion`: the script that lets a shell complete commands and options."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from hapticd.errors import ConfigError

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", required=False, type=click.Choice(SHELLS))
def completion(shell: str | None) -> None:
    """Print the completion script of SHELL (default: that of $SHELL).

    \b
    bash   eval "$(hapticd completion bash)"            in ~/.bashrc
    zsh    eval "$(hapticd completion zsh)"             in ~/.zshrc
    fish   hapticd completion fish > ~/.config/fish/completions/hapticd.fish
    """
    from hapticd.cli import hapticd

    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise ConfigError(f"completion: $SHELL = {os.environ.get('SHELL', '')!r}; name one of {', '.join(SHELLS)}")
    kind = get_completion_class(name)
    assert kind is not None  # click knows the three
    click.echo(kind(hapticd, {}, "hapticd", "_HAPTICD_COMPLETE").source())
