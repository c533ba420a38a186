"""What becomes of a prompt: the wishes that are kept, and what is kept against the user's word.

python -m benchmarks.capture.wishes [FILE ...]

Each file has rows as `wishes_sixth.jsonl` beside this module. They take the whole path of a prompt:
rules, models, what asks not to keep something, and what is noticed without being asked for. First
as a cold hook does it, then with the embedder, as the engine does.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.capture.requests import Prompt, load
from benchmarks.capture.rows import FOLDER
from benchmarks.capture.train_wishes import folded
from recollect.capture.conversation import turns
from recollect.capture.detect import detect
from recollect.capture.hearsay import is_hearsay
from recollect.capture.learned_unkept import part_prompt
from recollect.capture.requests import find_requests, is_covered
from recollect.capture.wish_meaning import Read, reader_with
from recollect.embedding import open_embedder

THRESHOLD = 0.45  # the default of `capture.suggest_threshold`
# A content is without the words that ask if it is hardly longer than what to keep.
LONGER, AT_LEAST = 1.25, 12


def kept_of(text: str, read: Read | None) -> tuple[list[str], list[str]]:
    """Return what a prompt asks to keep, and what is noticed in it."""
    requests = find_requests(text, read=read)
    said = turns([("user", part_prompt(text, read).kept)], failed=False, passed=False)
    noticed = [
        one.sentence
        for one in detect(said, threshold=THRESHOLD)
        if not is_hearsay(one.sentence) and not is_covered(one.sentence, requests)
    ]
    asked = [one for one in requests if one.content]
    maybe = [one.content for one in asked if not one.is_sure]
    return [one.content for one in asked if one.is_sure], [*maybe, *noticed]


def count(prompts: Sequence[Prompt], read: Read | None) -> Counter[str]:
    """Count what becomes of prompts with a wish, without one, and of those not to be kept."""
    found: Counter[str] = Counter()
    for prompt in prompts:
        asked, noticed = kept_of(prompt.text, read)
        if prompt.wishes:
            found["wishes"] += 1
            found["found"] += bool(asked)
            found["found or noticed"] += bool(asked or noticed)
            wanted = [folded(one) for one in prompt.wishes if one]
            inside = [one for one in map(folded, asked) if any(wish in one for wish in wanted)]
            most = LONGER * max(map(len, wanted), default=0) + AT_LEAST
            found["with a content"] += bool(wanted)
            found["content is in it"] += bool(inside)
            found["without the words that ask"] += any(len(one) <= most for one in inside)
        else:
            name = "not to be kept" if prompt.unkept else "without a wish"
            found[name] += 1
            found[f"{name}: taken for a wish"] += bool(asked)
            found[f"{name}: kept or noticed"] += bool(asked or noticed)
    return found


def main() -> None:
    """Print the counts for each file."""
    files = [Path(name) for name in sys.argv[1:]] or [FOLDER / "wishes_sixth.jsonl"]
    read = reader_with(open_embedder("default", threads=1))
    for file in files:
        for name, reader in (("cold", None), ("engine", read)):
            print(f"{file.name}, {name}: {dict(count(load(file), reader))}")


if __name__ == "__main__":
    main()
