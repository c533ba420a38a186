"""The layers of a model come in their order, and none changes while somebody uses it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from recollect.embedding.transformer import LAYERS

pytest.importorskip("numpy")

if TYPE_CHECKING:
    from recollect.embedding.granite.layers import Layers


class Widening:
    """Fills the memory of a layer with its number, which is all that a layer is here."""

    def __init__(self) -> None:
        self.made = [threading.Event() for _ in range(LAYERS)]
        self.places: set[int] = set()

    def __call__(self, number: int, room: Any) -> Any:
        """Make a layer."""
        room[:100] = number
        self.places.add(room.ctypes.data)
        self.made[number].set()
        return room


def layers(widen: Widening, *, once: bool) -> Layers:
    """The layers that it makes."""
    from recollect.embedding.granite.layers import Layers

    return Layers(widen, once=once)


def numbers(found: Any) -> list[int]:
    """Which layers these are, by what their memory says now."""
    return [int(room[99]) for room in found]


def test_all_layers_are_kept() -> None:
    """Each in a place of its own, however often they are asked for."""
    widen = Widening()
    found = layers(widen, once=False)

    assert len(found) == LAYERS
    first = list(found)
    assert numbers(first) == numbers(found) == list(range(LAYERS))
    assert all(one is other for one, other in zip(first, found, strict=True))
    assert found[2] is first[2]
    assert numbers(found[:3]) == [0, 1, 2]
    assert len(widen.places) == LAYERS


def test_layers_for_one_text_take_two_places() -> None:
    """A layer stays as it is until the next one is asked for, whatever is made meanwhile."""
    widen = Widening()
    seen = []
    for number, room in enumerate(layers(widen, once=True)):
        if number + 1 < LAYERS:
            assert widen.made[number + 1].wait(60)
        seen += numbers([room])

    assert seen == list(range(LAYERS))
    assert len(widen.places) == 2


def test_whoever_asks_again_gets_all_layers() -> None:
    """Also while somebody uses those in two places."""
    found = layers(Widening(), once=True)
    passing = iter(found)
    seen = [*numbers([next(passing)]), *numbers([next(passing)])]

    kept = list(found)

    assert numbers(kept) == list(range(LAYERS))
    for room in passing:
        seen += numbers([room])
    assert seen == list(range(LAYERS))
    assert numbers(kept) == numbers(found) == list(range(LAYERS))
    assert found[5] is kept[5]
