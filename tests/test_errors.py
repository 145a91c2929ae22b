"""The error tree: exit codes for scripts, builtin relatives for callers."""

import pytest

from hapticd import errors


def test_every_error_has_its_exit_code_and_builtin_relative() -> None:
    tree = {
        errors.ConfigError: (2, ValueError),
        errors.SceneError: (2, ValueError),
        errors.DeviceOpenError: (3, OSError),
        errors.DeviceTimeout: (3, TimeoutError),
        errors.WireError: (4, ValueError),
        errors.LogError: (5, ValueError),
    }
    for kind, (code, relative) in tree.items():
        assert kind.exit_code == code
        assert issubclass(kind, errors.HapticdError) and issubclass(kind, relative)
        assert str(kind("what failed")) == "what failed"


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (errors.Problem("a.toml", 3, "loop", "rate_hz", "is 5"), "a.toml:3: [loop] rate_hz is 5"),
        (errors.Problem("a.toml", None, "", "x", "is 5"), "a.toml: x is 5"),
        (errors.Problem("a.toml", None, "", "", "is not TOML"), "a.toml: is not TOML"),
    ],
)
def test_a_problem_is_one_line(problem: errors.Problem, text: str) -> None:
    assert str(problem) == text
