"""Makes `src/recollect/search/word_vectors.bin`: what words mean, for a search without the model.

python -m scripts.word_vectors

Run it after a change of the default model. The words are the most frequent ones of the model's own
vocabulary, and those of `developer_words.txt`: words that occur in at least five of the packages,
manual pages and modules on a machine of ours. `search/word_vectors.py` describes the file.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from recollect.embedding import open_embedder
from recollect.index.text import STOP_WORDS
from recollect.search.word_vectors import FILE, LONGEST_WORD, record, title

ROOT = Path(__file__).parents[1]
VOCABULARY = ROOT / "src" / "recollect" / "embedding" / "minilm" / "vocab.txt"
# The vocabulary is in order of frequency; what is behind these are mostly names.
FREQUENT = 18_000
BATCH = 512


def words() -> list[str]:
    """Return the words, in the order of their bytes."""
    frequent = VOCABULARY.read_text("utf-8").split("\n")[:FREQUENT]
    own = {word for word in frequent if len(word) > 2}
    own |= set((Path(__file__).parent / "developer_words.txt").read_text("utf-8").split())
    return sorted(
        word
        for word in own - STOP_WORDS
        if word.isascii() and word.isalpha() and len(word) <= LONGEST_WORD
    )


def main() -> None:
    """Write the file."""
    embedder = open_embedder("default", environment=os.environ)
    assert embedder is not None
    import numpy as np

    chosen = words()
    vectors: list[bytes] = []
    for start in range(0, len(chosen), BATCH):
        vectors += embedder.embed(chosen[start : start + BATCH])
    matrix = np.frombuffer(b"".join(vectors), "<f4").reshape(len(chosen), -1)
    # All words have much in common, which says nothing about any of them.
    signs = np.packbits(matrix > matrix.mean(axis=0), axis=1)
    rows = zip(chosen, signs, strict=True)
    data = title(embedder.name) + b"".join(record(word, bits.tobytes()) for word, bits in rows)
    FILE.write_bytes(data)
    sys.stderr.write(f"{FILE}: {len(chosen)} words, {len(data)} bytes\n")


if __name__ == "__main__":
    main()
