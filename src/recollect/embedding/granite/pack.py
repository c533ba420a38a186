"""The file with the weights of granite: its tensors, its tokenizer, and its layers made float32.

It begins with a mark, the length of a JSON header, and the header. The tokenizer follows, then the
tensors: float32, or int8 with one float32 scale for each group of numbers, after all of them.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from recollect.core.named_tuple import NamedTuple
from recollect.embedding.transformer import (
    DIMENSIONS,
    WIDE,
    Affine,
    Layer,
    block_width,
    query_scale,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# Rows and columns of the matrices of a layer.
SHAPES = (
    (DIMENSIONS, 3 * DIMENSIONS),
    (DIMENSIONS, DIMENSIONS),
    (DIMENSIONS, WIDE),
    (WIDE, DIMENSIONS),
)
_NAMES = ("qkv", "ao", "f1", "f2")
_MARK = b"HMSEMB01"


class Stored(NamedTuple):
    """A layer as it is in the file."""

    # Each transposed, with its scales and its bias.
    matrices: Sequence[tuple[NDArray[Any], Floats, Floats]]
    join_norm: Affine
    narrow_norm: Affine


class Pack:
    """Tensors by their name in the file, and the tokenizer."""

    def __init__(self, data: memoryview) -> None:
        """Raise `ValueError` or `KeyError` if the file is not as expected, as all methods do."""
        if data[:8] != _MARK:
            raise ValueError("it begins with another mark")
        start = 16 + int.from_bytes(data[8:16], "little")
        header: dict[str, Any] = json.loads(bytes(data[16:start]))
        self.tokenizer = data[start : start + header["tokenizer_len"]]
        at = start + header["tokenizer_len"]
        self._tensors: dict[str, tuple[memoryview, list[int], int]] = {}
        for entry in header["tensors"]:
            raw = data[at : at + entry["len"]]
            self._tensors[entry["name"]] = raw, entry["shape"], entry["group"]
            at += entry["len"]
        if at != len(data):
            raise ValueError(f"it has {len(data)} bytes, its header says {at}")

    def floats(self, name: str, *shape: int) -> Floats:
        """Return a tensor that is stored as it is used."""
        import numpy as np

        raw, given, _ = self._tensors[name]
        if math.prod(given) * 4 != len(raw) or (shape and tuple(given) != shape):
            raise ValueError(f"{name} has an unexpected shape")
        return np.frombuffer(raw, dtype="<f4").reshape(given)

    def grouped(self, name: str, rows: int, columns: int) -> tuple[NDArray[Any], Floats]:
        """Return the stored rows of a matrix, and the scales of each row."""
        import numpy as np

        raw, shape, group = self._tensors[name]
        count = rows * columns
        if shape != [rows, columns] or not group or columns % group:
            raise ValueError(f"{name} has an unexpected shape")
        if len(raw) != count + 4 * (count // group):
            raise ValueError(f"{name} has {len(raw)} bytes, its shape says otherwise")
        narrow = np.frombuffer(raw[:count], dtype=np.int8).reshape(rows, columns)
        return narrow, np.frombuffer(raw[count:], dtype="<f4").reshape(rows, columns // group)

    def norm(self, name: str) -> Affine:
        """Return scale and shift of a layer normalisation."""
        return Affine(self.floats(f"{name}.w", DIMENSIONS), self.floats(f"{name}.b", DIMENSIONS))

    def layer(self, number: int) -> Stored:
        """Return a layer as it is in the file."""
        prefix = f"l{number}."
        matrices = [
            (
                *self.grouped(f"{prefix}{name}.w", columns, rows),
                self.floats(f"{prefix}{name}.b", columns),
            )
            for name, (rows, columns) in zip(_NAMES, SHAPES, strict=True)
        ]
        return Stored(matrices, self.norm(f"{prefix}aln"), self.norm(f"{prefix}fln"))


def rooms(count: int) -> list[Floats]:
    """Return memory for so many layers, all in one piece.

    The system gives a large piece in large pages, which takes a third less time in all.
    """
    import numpy as np

    room = np.empty(count * sum(rows * columns for rows, columns in SHAPES), dtype=np.float32)
    return np.split(room, count)


def widened(stored: Stored, room: Floats) -> Layer:
    """Return a layer in float32, in the memory that it gets."""
    import numpy as np

    ends = np.cumsum([rows * columns for rows, columns in SHAPES])
    three, join, widen, narrow = (
        _widened(*matrix, own)
        for matrix, own in zip(stored.matrices, np.split(room, ends[:-1]), strict=True)
    )
    # Query, key and value are side by side already, in blocks of columns or in one.
    if three.weight.ndim == 2:
        three.weight[:, :DIMENSIONS] *= query_scale()
    else:
        three.weight[: DIMENSIONS // three.weight.shape[-1]] *= query_scale()
    bias = three.bias.copy()
    bias[:DIMENSIONS] *= query_scale()
    attend = Affine(three.weight, bias)
    return Layer(attend, join, stored.join_norm, widen, narrow, stored.narrow_norm)


def _widened(narrow: NDArray[Any], scales: Floats, bias: Floats, room: Floats) -> Affine:
    """Return a matrix and its bias. The matrix gets the room.

    It is written once, in the order that it is used in: new pages of memory take long, and a copy
    that is transposed afterwards would need them twice. What is read is put into that order before,
    while it is small: so a quarter less time goes into single numbers that are far apart.
    """
    import numpy as np

    columns, rows = narrow.shape
    groups, width = scales.shape[1], block_width(rows) or columns
    parts = narrow.reshape(-1, width, groups, rows // groups).transpose(0, 2, 3, 1)
    of_parts = scales.reshape(-1, width, groups).transpose(0, 2, 1)
    wide = room.reshape(parts.shape)
    np.multiply(
        np.ascontiguousarray(parts),
        np.ascontiguousarray(of_parts)[:, :, None, :],
        out=wide,
        dtype=np.float32,
    )
    weight = wide.reshape(-1, rows, width)
    return Affine(weight if width < columns else weight[0], bias)
