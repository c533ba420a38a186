"""Read tensors from a model file by name, without the runtime that wrote the file.

Two formats are read: the ONNX file of the model package (protobuf; only the tensor list matters)
and `safetensors`, the format of the published model. Nothing is copied: a tensor is a view of the
mapped file. A truncated or different file raises `ValueError`.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    Tensors = dict[str, NDArray[Any]]

# Field numbers of the ONNX protobuf schema, and its numbers for element types.
_MODEL_GRAPH, _GRAPH_TENSOR = 7, 5
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 8, 9
_ONNX_TYPES = {1: "<f4", 3: "|i1", 7: "<i8"}
_SAFETENSORS_TYPES = {"F32": "<f4", "I8": "|i1", "I64": "<i8"}


def read_tensors(data: memoryview) -> Tensors:
    """Return all tensors that numpy can hold; the first bytes tell the format."""
    if bytes(data[8:9]) == b"{":
        return dict(_safetensors(data))
    return dict(_onnx(data))


def _safetensors(data: memoryview) -> Iterator[tuple[str, NDArray[Any]]]:
    """Parse safetensors: eight bytes of length, a JSON header, then the tensors."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(bytes(data[8:start]))
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] in _SAFETENSORS_TYPES:
            first, last = entry["data_offsets"]
            raw = data[start + first : start + last]
            yield name, _array(name, raw, _SAFETENSORS_TYPES[entry["dtype"]], entry["shape"])


def _onnx(data: memoryview) -> Iterator[tuple[str, NDArray[Any]]]:
    """Return the initializers of an ONNX model's graph."""
    for number, graph in _fields(data):
        if number != _MODEL_GRAPH or isinstance(graph, int):
            continue
        for inner, tensor in _fields(graph):
            if inner != _GRAPH_TENSOR or isinstance(tensor, int):
                continue
            shape: list[int] = []
            name, kind, raw = "", 0, memoryview(b"")
            for field, value in _fields(tensor):
                if isinstance(value, int):
                    if field == _TENSOR_DIMS:
                        shape.append(value)
                    elif field == _TENSOR_TYPE:
                        kind = value
                elif field == _TENSOR_DIMS:
                    shape.extend(_varints(value))
                elif field == _TENSOR_NAME:
                    name = bytes(value).decode()
                elif field == _TENSOR_RAW:
                    raw = value
            if kind in _ONNX_TYPES:
                yield name, _array(name, raw, _ONNX_TYPES[kind], shape)


def _array(name: str, raw: memoryview, kind: str, shape: list[int]) -> NDArray[Any]:
    import numpy as np

    dtype: np.dtype[Any] = np.dtype(kind)
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise ValueError(f"tensor {name} has {len(raw)} bytes, its shape says otherwise")
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Return the fields of one protobuf message: numbers decoded, everything else as bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                value, at = _varint(data, at)
                yield tag >> 3, value
                continue
            case 1:
                size = 8
            case 2:
                size, at = _varint(data, at)
            case 5:
                size = 4
            case other:
                raise ValueError(f"no protobuf field has the type {other}")
        if at + size > len(data):
            raise ValueError("the file ends in the middle of a field")
        yield tag >> 3, data[at : at + size]
        at += size


def _varints(data: memoryview) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Decode a protobuf varint, seven bits per byte; return it and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("the file ends in the middle of a number")
