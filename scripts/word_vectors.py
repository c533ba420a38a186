"""Makes `src/recollect/search/word_vectors.bin`: what words mean, for a search without the model.

python -m scripts.word_vectors FOLDER... [--history CLONE...]

Run it after a change of the default model. The words are the most frequent ones of the model's own
vocabulary, and those of `developer_words.txt`: words that occur in at least five of the packages,
manual pages and modules on a machine of ours. What each word adds to the meaning of a text is
learned from sentences in the folders, which are the same sort of text: for the shipped file
`/usr/share/man`, `/usr/share/doc`, Python's library and the packages installed beside it. With
`--history`, it goes on from the vectors in the file instead of those of single words, and learns
from commits and questions, too: the subjects and some sentences of the clones' messages, and
`benchmarks/questions/training`. Words that these often use are added. Only numbers are kept of the
texts. `search/word_vectors.py` describes the file.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.embedding.pairs import NOTHING_TO_SAY, cleaned, commits_of
from benchmarks.prompts import QUESTIONS, read_projects
from recollect.embedding import Embedder, open_embedder
from recollect.index.text import STOP_WORDS, query_terms
from recollect.search.word_vectors import FILE, LONGEST_WORD, record, title

ROOT = Path(__file__).parents[1]
VOCABULARY = ROOT / "src" / "recollect" / "embedding" / "minilm" / "vocab.txt"
# The vocabulary is in order of frequency; what is behind these are mostly names.
FREQUENT = 18_000
BATCH = 256
# Sentences, of one file, and with the same word; a sentence counts for its rarest word.
MOST, MOST_OF_FILE, ENOUGH = 24_000, 60, 6
LONGEST_FILE = 400_000
LEAST_WORDS = 4
# Pulls the vector of a word towards what the model makes of the word alone, which counts half.
RIDGE, ALONE = 1.0, 0.5
# The same for what was learned before, which counts in full.
RIDGE_BEFORE = 3.0
ROUNDS = 12
# Texts of one history; characters of a subject and of the part of a message that is read, and
# sentences of it.
MOST_OF_HISTORY, LONGEST_SUBJECT, LONGEST_MESSAGE, SENTENCES = 9_000, 160, 1_500, 2
LEAST_SENTENCE, MOST_SENTENCE = 40, 240
# A word that so many texts use is added.
OFTEN = 8
_SENTENCE = re.compile(r"[A-Z][^.!?\n<>{}\\|=_*`]{30,220}[.!?](?=\s|$)")
_DOCSTRING = re.compile(r'"""(.{1,5000}?)"""', re.DOTALL)
_ROFF = re.compile(r"^\.\S+ ?|\\f[A-Z]|\\-", re.MULTILINE)
_READ = (".py", ".md", ".rst", ".gz", ".pod", ".pm", ".txt")


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


def sentences(folders: Iterable[Path], known: Iterable[str]) -> list[str]:
    """Return sentences with the words, of as many files as possible."""
    paths = sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in _READ)
    random.Random(1).shuffle(paths)
    wanted, counts = frozenset(known), Counter[str]()
    chosen: dict[str, None] = {}
    for path in paths:
        most = len(chosen) + MOST_OF_FILE
        for sentence in _sentences_of(path):
            own = [word for word in query_terms(sentence) if word in wanted]
            if len(own) >= LEAST_WORDS and min(counts[word] for word in own) < ENOUGH:
                chosen[sentence] = None
                counts.update(set(own))
            if len(chosen) >= most:
                break
    return random.Random(2).sample(list(chosen), min(MOST, len(chosen)))


def _sentences_of(path: Path) -> Iterator[str]:
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", errors="ignore") as file:
                text = _ROFF.sub("", file.read(LONGEST_FILE))
        else:
            text = path.read_text("utf-8", "ignore")[:LONGEST_FILE]
    except OSError:
        return
    parts = _DOCSTRING.findall(text) if path.suffix == ".py" else re.split(r"\n\s*\n", text)
    for part in parts:
        yield from _SENTENCE.findall(" ".join(part.split()))


def told(clone: Path) -> list[str]:
    """Return the subjects of a history, and some sentences of its messages."""
    rng, found = random.Random(4), dict[str, None]()
    for commit in commits_of(clone):
        if len(commit.parents) > 1 or NOTHING_TO_SAY.match(commit.subject):
            continue
        message = " ".join(cleaned(commit.body).split())[:LONGEST_MESSAGE]
        parts = [part.strip() for part in re.split(r"(?<=[.!?:;])\s", message)]
        fit = [part for part in parts if LEAST_SENTENCE <= len(part) <= MOST_SENTENCE]
        chosen = rng.sample(fit, min(SENTENCES, len(fit)))
        found |= dict.fromkeys([commit.subject[:LONGEST_SUBJECT], *chosen])
    return rng.sample(list(found), min(MOST_OF_HISTORY, len(found)))


def asked() -> list[str]:
    """Return the written questions, and the memories that answer them."""
    found = []
    for project in read_projects(QUESTIONS / "training", asked_as=True):
        found += [prompt.text for prompt in project.prompts]
        for own in project.records.values():
            found += [f"{own['summary']}\n{own['body']}", *own.get("asked_as", ())]
    return found


def frequent_words(texts: Iterable[str]) -> set[str]:
    """Return the words that many texts use."""
    counts = Counter(word for text in texts for word in set(query_terms(text)))
    return {
        word
        for word, count in counts.items()
        if count >= OFTEN and word.isascii() and word.isalpha() and 1 < len(word) <= LONGEST_WORD
    }


def rows_in_file() -> Iterator[tuple[str, bytes]]:
    """Yield the words that the file has, each with its row."""
    data, width = FILE.read_bytes(), len(title(""))
    for start in range(width, len(data), width):
        row = data[start : start + width]
        yield row[:LONGEST_WORD].rstrip(b"\0").decode(), row


def before(known: Sequence[str], dimensions: int) -> Any:
    """Return the vectors that the file has, and nothing for other words."""
    import numpy as np

    at = {word: number for number, word in enumerate(known)}
    found = np.zeros((len(known), dimensions), np.float32)
    for word, row in rows_in_file():
        if word in at:
            (step,) = struct.unpack_from("<f", row, LONGEST_WORD)
            digits = row[LONGEST_WORD + 4 :].hex()
            found[at[word]] = [step * (int(digit, 16) - 7.5) for digit in digits]
    return found


def learn(
    known: Sequence[str], prior: Any, texts: Sequence[str], vectors: Any, ridge: float = RIDGE
) -> Any:
    """Return what each word adds, so that the sum for each text is near to its vector.

    Least squares, by conjugate gradients. In a text, a word counts by its rarity, as in a query.
    """
    import numpy as np

    at = {word: number for number, word in enumerate(known)}
    found = [[at[word] for word in set(query_terms(text)) if word in at] for text in texts]
    rows = [number for number, own in enumerate(found) if own]
    vectors = vectors[rows]
    counts = np.array([len(found[row]) for row in rows])
    columns = np.array([column for row in rows for column in found[row]])
    lines = np.repeat(np.arange(len(rows)), counts)
    frequency = np.bincount(columns, minlength=len(known))
    weights = np.log(1 + len(rows) / (1 + frequency))[columns]
    weights = (weights / np.sqrt(np.bincount(lines, weights**2))[lines])[:, None].astype("f4")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    order = np.argsort(columns, kind="stable")
    seen = frequency > 0
    firsts = np.concatenate([[0], np.cumsum(frequency)[:-1]])[seen]

    def sums(of_words: Any) -> Any:
        return np.add.reduceat(of_words[columns] * weights, starts, axis=0)

    def shares(of_texts: Any) -> Any:
        result = np.zeros_like(prior)
        result[seen] = np.add.reduceat(of_texts[lines[order]] * weights[order], firsts, axis=0)
        return result

    prior = prior.astype("f4")
    more = np.zeros_like(prior)
    rest = shares(vectors - sums(prior))
    step = rest.copy()
    size = (rest * rest).sum()
    for _ in range(ROUNDS):
        curve = shares(sums(step)) + ridge * step
        along = size / (step * curve).sum()
        more += along * step
        rest -= along * curve
        size, before = (rest * rest).sum(), size
        step = rest + size / before * step
    return prior + more


def embed(embedder: Embedder, texts: Sequence[str]) -> Any:
    """Return the vectors of some texts, as a matrix."""
    import numpy as np

    made: list[bytes] = []
    for start in range(0, len(texts), BATCH):
        made += embedder.embed(texts[start : start + BATCH])
    return np.frombuffer(b"".join(made), "<f4").reshape(len(texts), -1)


def signs(matrix: Any) -> Any:
    """Return of single words in which direction each dimension is from the mean, with length 1.

    All words have much in common, which says nothing about any of them.
    """
    import numpy as np

    return np.where(matrix > matrix.mean(axis=0), 1.0, -1.0) / np.sqrt(matrix.shape[1])


def write(model: str, known: Sequence[str], matrix: Any) -> None:
    """Write the file."""
    rows = zip(known, matrix.tolist(), strict=True)
    data = title(model) + b"".join(record(word, vector) for word, vector in rows)
    FILE.write_bytes(data)
    sys.stderr.write(f"{FILE}: {len(known)} words, {len(data)} bytes\n")


def main() -> None:
    """Learn from the folders, and write the file."""
    parser = argparse.ArgumentParser(prog="scripts.word_vectors", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--history", nargs="+", type=Path, default=[])
    options = parser.parse_args()
    embedder = open_embedder("default", environment=os.environ)
    assert embedder is not None
    known = words()
    texts = sentences(options.folders, known)
    if not options.history:
        prior = ALONE * signs(embed(embedder, known))
        write(embedder.name, known, learn(known, prior, texts, embed(embedder, texts)))
        return
    texts += [*(text for clone in options.history for text in told(clone)), *asked()]
    known = sorted({*known} | {word for word, _ in rows_in_file()} | frequent_words(texts))
    vectors = embed(embedder, texts)
    prior = before(known, vectors.shape[1])
    write(embedder.name, known, learn(known, prior, texts, vectors, RIDGE_BEFORE))


if __name__ == "__main__":
    main()
