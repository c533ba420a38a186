"""Sentences of conversations, whose vectors must stay where they are.

python -m benchmarks.embedding.talk TOPICAL_CHAT SCHEMA_GUIDED_DIALOGUE > TALK

The folders are clones of alexa/Topical-Chat and
google-research-datasets/dstc8-schema-guided-dialogue; bare ones will do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

FILES = ("conversations/valid_freq.json", "dev/dialogues_001.json", "dev/dialogues_002.json")
LEAST, MOST = 20, 200


def said(dialogue: Any) -> Iterator[str]:
    """Yield what is said in a file of either project."""
    if isinstance(dialogue, dict):
        for name, value in dialogue.items():
            if name in ("message", "utterance") and isinstance(value, str):
                yield " ".join(value.split())
            else:
                yield from said(value)
    elif isinstance(dialogue, list):
        for part in dialogue:
            yield from said(part)


def main() -> None:
    """Print one in each line."""
    found: dict[str, None] = {}
    for folder in sys.argv[1:]:
        for file in FILES:
            show = ["git", "-C", folder, "show", f"HEAD:{file}"]
            done = subprocess.run(show, capture_output=True, check=False)
            if done.returncode == 0:
                texts = said(json.loads(done.stdout))
                found |= dict.fromkeys(text for text in texts if LEAST <= len(text) <= MOST)
    print("\n".join(found))


if __name__ == "__main__":
    main()
