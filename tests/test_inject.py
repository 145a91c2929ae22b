"""Faults on purpose: read as written, refused otherwise, and struck at their tick only."""

import pytest

from hapticd.errors import ConfigError
from hapticd.inject import Injection


def test_words():
    assert Injection.parse("nan@300") == Injection("nan", 300)
    assert Injection.parse("busy:1500@7/5") == Injection("busy", 7, 1500, 5)


@pytest.mark.parametrize("text", ["", "nan", "nan@", "boom@3", "busy:x@3", "nan@3 ", "nan@-1"])
def test_anything_else_is_refused(text):
    with pytest.raises(ConfigError, match="--inject"):
        Injection.parse(text)


def test_when_it_strikes():
    assert [k for k in range(30) if Injection.parse("busy:1@7").strikes(k)] == [7]
    assert [k for k in range(30) if Injection.parse("busy:1@7/10").strikes(k)] == [7, 17, 27]
    assert [k for k in range(6) if Injection.parse("silent@3").strikes(k)] == [3, 4, 5]
