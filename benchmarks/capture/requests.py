"""How well wishes in plain words are told from what only sounds alike.

python -m benchmarks.capture.requests [FILE]

`requests.jsonl` has 200 prompts, half of them with wishes and what each should become, half traps.
The rows of the set `second` were written after the rules, and before these were changed for them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from recollect.capture.requests import find_requests

FILE = Path(__file__).with_name("requests.jsonl")


class Prompt(NamedTuple):
    """A prompt, and what it asks to remember: nothing, where it is a trap.

    A wish that is empty points to an earlier prompt. `unkept`: it asks not to keep what it says.
    """

    text: str
    wishes: list[str]
    set: str = "first"
    unkept: bool = False


class Score(NamedTuple):
    """Wishes and traps, how many of them were found, and the prompts in which something is off."""

    wishes: int
    kept: int
    exact: int
    traps: int
    caught: int
    errors: list[tuple[Prompt, list[str]]]


def load(path: Path = FILE) -> list[Prompt]:
    """The prompts, in the order of the file."""
    return [Prompt(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def score(prompts: list[Prompt]) -> Score:
    """Count the wishes that are kept, those kept word for word, and the traps walked into."""
    wishes = kept = exact = traps = caught = 0
    errors: list[tuple[Prompt, list[str]]] = []
    for prompt in prompts:
        found = [request.content for request in find_requests(prompt.text) if request.content]
        wishes += len(prompt.wishes)
        kept += min(len(found), len(prompt.wishes))
        exact += len(set(found) & set(prompt.wishes))
        traps += not prompt.wishes
        caught += not prompt.wishes and bool(found)
        if found != prompt.wishes:
            errors.append((prompt, found))
    return Score(wishes, kept, exact, traps, caught, errors)


def main() -> None:
    """Print the score and every error."""
    prompts = load(Path(sys.argv[1])) if len(sys.argv) > 1 else load()
    for name in dict.fromkeys(prompt.set for prompt in prompts):
        result = score([prompt for prompt in prompts if prompt.set == name])
        print(f"{name}: wishes kept {result.kept} of {result.wishes}", end="")
        print(f" ({result.exact} word for word), traps kept {result.caught} of {result.traps}")
        for prompt, found in result.errors:
            print(f"  {prompt.text!r}\n      should be {prompt.wishes}, is {found}")


if __name__ == "__main__":
    main()
