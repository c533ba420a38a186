"""Make `granite/words.txt`: the vocabulary of the default model as a table.

python -m scripts.granite_words

It comes from the `tokenizer.json` in the file with the weights, so it changes only with them. Put
the hash that it prints into `embedding/registry.py`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from recollect.embedding import registry
from recollect.embedding.granite.pack import Pack

FILE = Path(registry.__file__).parent / "granite" / "words.txt"


def table(tokenizer: bytes) -> bytes:
    """Return the lines of a `tokenizer.json`; see `embedding/granite/vocabulary.py`."""
    model = json.loads(tokenizer)["model"]
    numbers: dict[str, list[int]] = {token: [number] for token, number in model["vocab"].items()}
    for rank, merge in enumerate(model["merges"]):
        one, two = merge.split(" ")
        if len(numbers[one + two]) > 1:
            raise ValueError(f"two pairs join to {one + two}")
        numbers[one + two] += rank, len(one)
    rows = sorted((token.encode(), own) for token, own in numbers.items())
    return b"".join(b"%b %b\n" % (token, " ".join(map(str, own)).encode()) for token, own in rows)


def main() -> None:
    """Write the table of the packaged file."""
    file = registry._packaged(registry.MODELS[registry.DEFAULT])
    lines = table(bytes(Pack(memoryview(file.read_bytes())).tokenizer))
    FILE.write_bytes(lines)
    sys.stdout.write(f"{hashlib.sha256(lines).hexdigest()}\n")


if __name__ == "__main__":
    main()
