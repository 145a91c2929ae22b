"""`hapticd keys` as a user calls it."""

import json

from click.testing import CliRunner

from hapticd.cli import hapticd
from hapticd.keys import read_pair


def keys(*arguments):
    return CliRunner().invoke(hapticd, ["keys", *map(str, arguments)], catch_exceptions=True)


def test_from_nothing_to_a_client_that_may_come_in(tmp_path):
    folder, secret = tmp_path / "keys", tmp_path / "desk.secret"
    assert keys("server", folder).exit_code == 0
    assert "nobody" in keys("list", folder).output
    made = keys("client", folder, "desk", "--role", "control", "--output", secret)
    assert made.exit_code == 0 and str(secret) in made.output
    listed = json.loads(keys("list", folder, "--json").output)
    assert listed == [{"name": "desk", "role": "control", "public": read_pair(secret).public}]
    assert secret.stat().st_mode & 0o777 == 0o600
    assert "secret" not in keys("list", folder).output


def test_a_name_that_is_taken_is_refused(tmp_path):
    keys("server", tmp_path / "keys")
    for expected in (0, 1):
        result = keys("client", tmp_path / "keys", "desk", "--output", tmp_path / f"{expected}.secret")
        assert (result.exit_code != 0) == bool(expected)
    assert "exists" in str(result.exception)
