"""Our `NamedTuple` makes what that of `typing` makes."""

from __future__ import annotations

import pickle
import typing

import pytest

from recollect.core.named_tuple import NamedTuple


class Ours(NamedTuple):
    """A point."""

    x: int
    y: int = 2
    names: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The sum."""
        return self.x + self.y

    def moved(self, by: int) -> Ours:
        """The point, moved."""
        return self._replace(x=self.x + by)


class Theirs(typing.NamedTuple):
    """A point."""

    x: int
    y: int = 2
    names: tuple[str, ...] = ()


def test_it_is_a_tuple_with_names_and_defaults() -> None:
    """Fields, defaults, methods, properties, equality and the text are as usual."""
    assert Ours(1) == (1, 2, ()) == Theirs(1)
    assert Ours(1).moved(4).total == 7
    assert repr(Ours(1)) == "Ours(x=1, y=2, names=())"
    assert Ours._fields == Theirs._fields
    assert Ours._field_defaults == Theirs._field_defaults
    assert (Ours.__doc__, Ours.__module__) == ("A point.", __name__)
    assert Ours.__qualname__ == "Ours"


def test_it_is_strict() -> None:
    """A missing field is an error, and an instance has no other attributes than a tuple's."""
    with pytest.raises(TypeError, match="x"):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Ours(1).x = 3  # type: ignore[misc]


def test_it_travels() -> None:
    """Copies through `pickle`, and type hints for those who ask."""
    assert pickle.loads(pickle.dumps(Ours(5))) == Ours(5)
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs)
