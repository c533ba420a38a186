"""Vectors between Python and pgvector, in the binary format of the wire."""

from __future__ import annotations

import struct
from array import array
from typing import Any

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from recollect.errors import MemoryIndexError


class Embedding(bytes):
    """A vector as an embedder returns it: 32-bit numbers, the lowest byte first."""


class _EmbeddingDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        numbers = array("f", obj)
        if struct.pack("=H", 1) == struct.pack("<H", 1):
            numbers.byteswap()
        return struct.pack(">HH", len(numbers), 0) + numbers.tobytes()


def register(connection: psycopg.Connection[Any], schema: str) -> None:
    """Make a connection accept embeddings as parameters."""
    info = TypeInfo.fetch(connection, f"{schema}.vector")
    if info is None:
        raise MemoryIndexError(
            "The database has no extension `vector`.",
            "Install pgvector on its server, then run: CREATE EXTENSION vector",
        )
    info.register(connection)
    dumper = type("VectorDumper", (_EmbeddingDumper,), {"oid": info.oid})
    connection.adapters.register_dumper(Embedding, dumper)


def from_wire(sent: bytes) -> bytes:
    """Return a vector that `vector_send` returned, as an embedder returns it."""
    numbers = array("f", sent[4:])
    if struct.pack("=H", 1) == struct.pack("<H", 1):
        numbers.byteswap()
    return numbers.tobytes()
