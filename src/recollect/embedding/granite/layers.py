"""The layers of granite in float32: all of them, or for one text only those in use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, overload

from recollect.core.meanwhile import in_turn, meanwhile
from recollect.embedding.granite.pack import rooms
from recollect.embedding.transformer import LAYERS, Layer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    # Makes a layer in some memory.
    Widen = Callable[[int, NDArray[np.float32]], Layer]


class Layers(Sequence[Layer]):
    """The layers, which are made one after the other beside whatever else is done.

    All of them take 42 MB, and new memory may take longer than what is written there, most of all
    on a virtual machine. So a process that expects to embed `once` gets them in two places in turn:
    a layer comes where the last but one was. Who asks again gets them all.
    """

    def __init__(self, widen: Widen, *, once: bool) -> None:
        self._widen = widen
        self._lock = threading.Lock()
        self._passing = _passing(widen) if once else None
        self._kept = None if once else _kept(widen)

    def __iter__(self) -> Iterator[Layer]:
        """Return the layers in their order. Use each before you ask for the next."""
        with self._lock:
            passing, self._passing = self._passing, None
        return iter(self._all()) if passing is None else passing

    def __len__(self) -> int:
        return LAYERS

    @overload
    def __getitem__(self, at: int) -> Layer: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Layer]: ...

    def __getitem__(self, at: int | slice) -> Layer | Sequence[Layer]:
        """Return a layer, or some, that stay as they are."""
        return self._all()[at]

    def _all(self) -> Sequence[Layer]:
        with self._lock:
            if self._kept is None:
                self._kept = _kept(self._widen)
            return self._kept


def _kept(widen: Widen) -> Sequence[Layer]:
    own = rooms(LAYERS)
    return in_turn(lambda number: widen(number, own[number]), LAYERS, "layers")


def _passing(widen: Widen) -> Iterator[Layer]:
    """Start with the first two, and return all."""
    places = rooms(2)

    def make(number: int) -> Layer:
        return widen(number, places[number % 2])

    ahead = in_turn(make, 2, "layers")

    def each() -> Iterator[Layer]:
        yield ahead[0]
        coming: Callable[[], Layer] = partial(ahead.__getitem__, 1)
        for number in range(2, LAYERS):
            # Who asks for a layer does not use the one before any more.
            following = meanwhile(partial(make, number), "layers")
            yield coming()
            coming = following
        yield coming()

    return each()
