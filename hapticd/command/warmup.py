"""`hapticd warmup`: compile all kernels now."""

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Report as JSON on stdout.")
def warmup(as_json: bool) -> None:
    """Compile the kernels now, so that the first run starts at once.

    The result is kept in $HAPTICD_CACHE_DIR, else systemd's $CACHE_DIRECTORY, else ~/.cache/hapticd, and is found again
    until hapticd is changed.
    """
    from hapticd.kernel._jit import cache_root
    from hapticd.warmup import warm_up

    count, seconds = warm_up()
    if as_json:
        click.echo(json.dumps({"compiled": count, "seconds": round(seconds, 3), "cache": str(cache_root())}))
    else:
        click.echo(f"{count} kernels compiled in {seconds:.1f} s; kept in {cache_root()}")
