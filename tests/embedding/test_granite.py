"""The default model: vectors that must not change, its tokens, and files that are not it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.embedding import Embedder, open_embedder
from recollect.embedding import registry as opening
from recollect.embedding.granite.byte_pairs import BytePairs
from recollect.embedding.granite.model import (
    ADAPTER_MARK,
    TUNED,
    Granite,
    granite,
    read_centre,
)
from recollect.embedding.granite.pack import Pack
from recollect.embedding.granite.vocabulary import Table, Tokenizer
from recollect.embedding.transformer import Affine, _apply, block_width, go_on
from recollect.errors import EmbeddingError
from scripts.granite_words import table

MODEL = opening.MODELS[opening.DEFAULT]
INSTALLED = all(importlib.util.find_spec(name) for name in ("numpy", MODEL.package))
needs_model = pytest.mark.skipif(not INSTALLED, reason="the model is not installed")
FILE = Path(MODEL.file).name
CENTRE, ADAPTER, WORDS = (Path(opening.__file__).parent / name for name in MODEL.ours)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model, opened once."""
    found = open_embedder("default")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def weights() -> Path:
    """The packaged file."""
    return opening._packaged(MODEL)


@pytest.fixture(scope="module")
def words(weights: Path) -> BytePairs:
    """The tokenizer that the file comes with."""
    return BytePairs(Tokenizer(bytes(Pack(memoryview(weights.read_bytes())).tokenizer)))


@pytest.fixture(scope="module")
def quick_words() -> BytePairs:
    """The same as a table."""
    return BytePairs(Table(WORDS.read_bytes()))


def vector(embedder: Embedder, text: str) -> list[float]:
    """The numbers of one text."""
    numbers = array("f", embedder.embed([text])[0])
    if sys.byteorder == "big":
        numbers.byteswap()
    return list(numbers)


def cosine(embedder: Embedder, one: str, other: str) -> float:
    """How near two texts are."""
    return cosine_of(vector(embedder, one), vector(embedder, other))


def cosine_of(one: list[float], other: list[float]) -> float:
    """How near two vectors of unit length are."""
    return sum(a * b for a, b in zip(one, other, strict=True))


@needs_model
def test_it_is_the_default_and_has_a_name_with_a_hash(embedder: Embedder) -> None:
    """The number before the hash is that of the centre and the adapter, which vectors depend on."""
    named = open_embedder("granite-embedding-30m")

    assert named is not None
    assert named.name == embedder.name == "granite-embedding-30m-int8-2@6a1cc24734a5"
    assert (embedder.dimensions, embedder.window) == (384, 254)


@needs_model
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("This is an example sentence", [0.06473, -0.00093, -0.02905, 0.00265, -0.05174, -0.03358]),
        ("Why did we pick PostgreSQL?", [0.0403, 0.01938, 0.06144, -0.00472, 0.01614, 0.08349]),
    ],
)
def test_vectors_do_not_change(embedder: Embedder, text: str, first: list[float]) -> None:
    """Vectors that an index has are compared with new ones."""
    found = vector(embedder, text)

    assert found[: len(first)] == pytest.approx(first, abs=1e-4)
    assert sum(number * number for number in found) == pytest.approx(1, abs=1e-5)


@needs_model
def test_what_has_nothing_in_common_is_not_near(embedder: Embedder) -> None:
    """The centre is taken off: without it, these have a cosine of 0.5."""
    near = cosine(embedder, "How do users sign in?", "Authentication uses OAuth tokens")
    far = cosine(embedder, "How do users sign in?", "bananas are yellow")

    assert far < 0.25
    assert near > 0.4


@needs_model
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("hello world", [42891, 232]),
        (
            "We don't use `snake_case_names`  here\n\n\tat all…",
            [
                170,
                218,
                75,
                304,
                22209,
                22617,
                5113,
                1215,
                11173,
                1215,
                37815,
                12905,
                1437,
                259,
                50140,
                50117,
                415,
                70,
                1174,
            ],
        ),
        (
            "größer 東京 ½ 1234567 naïve_x2",
            [
                6504,
                3671,
                7804,
                254,
                47416,
                46,
                15389,
                46499,
                11582,
                18430,
                17072,
                1898,
                4111,
                39300,
                1215,
                1178,
                176,
            ],
        ),
    ],
)
def test_tokens_are_those_of_the_published_tokenizer(
    words: BytePairs, text: str, ids: list[int]
) -> None:
    """Recorded with `tokenizers` 0.23.3."""
    assert words.encode(text) == ids


@needs_model
def test_the_table_has_what_the_tokenizer_has(words: BytePairs, quick_words: BytePairs) -> None:
    """Every token, every pair, and nothing for a token cut at another place."""
    whole, table = words._vocabulary, quick_words._vocabulary
    assert isinstance(whole, Tokenizer)
    assert len(table) == len(whole)
    assert all(table.number(token) == number for token, number in whole._numbers.items())
    assert all(table.rank(*pair.split()) == rank for pair, rank in whole._ranks.items())
    for token in whole._numbers:
        assert table.rank(token[:2], token[2:]) == whole.rank(token[:2], token[2:])
        assert table.number(f"{token}Ġ") == whole.number(f"{token}Ġ")


@needs_model
def test_the_table_is_that_of_the_tokenizer(weights: Path) -> None:
    """`scripts.granite_words` makes the same again."""
    assert table(bytes(Pack(memoryview(weights.read_bytes())).tokenizer)) == WORDS.read_bytes()


@needs_model
def test_the_table_cuts_texts_like_the_tokenizer(words: BytePairs, quick_words: BytePairs) -> None:
    """Prose, code and names, as the texts of a repository are."""
    root = Path(opening.__file__).parents[3]
    for file in (*root.glob("docs/**/*.md"), *root.glob("src/**/*.py")):
        text = file.read_text(encoding="utf-8")
        assert quick_words.encode(text) == words.encode(text), file


@needs_model
@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=300))
def test_the_table_cuts_any_text_like_the_tokenizer(
    words: BytePairs, quick_words: BytePairs, text: str
) -> None:
    """In any script, and with what is no text at all."""
    assert quick_words.encode(text) == words.encode(text)


@needs_model
@settings(max_examples=50, deadline=None)
@given(text=st.text(max_size=300))
def test_no_character_is_lost(words: BytePairs, text: str) -> None:
    """The tokens of a text spell its bytes."""
    from recollect.embedding.granite.byte_pairs import _letters

    assert isinstance(words._vocabulary, Tokenizer)
    spelled = {number: letters for letters, number in words._vocabulary._numbers.items()}
    back = {letter: byte for byte, letter in enumerate(_letters())}
    read = bytes(back[letter] for number in words.encode(text) for letter in spelled[number])
    assert read == text.encode("utf-8", "surrogatepass")


@needs_model
def test_the_vector_of_a_text_does_not_depend_on_others(embedder: Embedder) -> None:
    """Padding is ignored."""
    short, long = "hello", "a much longer text about the migration of the database " * 5
    together = embedder.embed([short, long])

    assert list(array("f", together[0])) == pytest.approx(vector(embedder, short), abs=1e-5)


@needs_model
def test_the_last_few_texts_are_not_embedded_again(embedder: Embedder) -> None:
    """Two stores may ask with different words of a query, and ask again for weaker matches."""
    first, *others = texts = ["how do users sign in", "users sign in", "sign", "in", "users"]
    vectors = {text: embedder.embed([text])[0] for text in texts[:4]}

    for text in texts[:4]:
        assert embedder.embed([text])[0] is vectors[text]
    embedder.embed([others[-1]])
    assert embedder.embed(["in"])[0] is vectors["in"]
    assert embedder.embed([first])[0] is not vectors[first]
    assert embedder.embed([first])[0] == vectors[first]


@needs_model
def test_a_process_that_embeds_once_gets_the_same_vectors(embedder: Embedder) -> None:
    """Also for a second text, for many, and for the words of a text."""
    np = pytest.importorskip("numpy")
    texts = ["Why did we pick PostgreSQL?", "hello", "the migration of the database " * 60]
    once = open_embedder("default", once=True)
    assert isinstance(once, Granite)
    assert isinstance(embedder, Granite)

    for text in texts:
        assert once.embed([text]) == embedder.embed([text])
    assert once.embed(texts * 30) == embedder.embed(texts * 30)
    for model in (once, open_embedder("default", once=True)):
        assert isinstance(model, Granite)
        _, rows = model.read("keep that", model.first(TUNED))
        assert np.array_equal(rows, embedder.read("keep that", embedder.first(TUNED))[1])


@needs_model
@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "header", "zeros", "longer"])
def test_a_file_that_is_not_the_model(tmp_path: Path, weights: Path, damage: str) -> None:
    """It is an `EmbeddingError`, whatever it is."""
    file, whole = tmp_path / FILE, weights.read_bytes()
    match damage:
        case "truncated":
            file.write_bytes(whole[:10_000_000])
        case "empty":
            file.touch()
        case "text":
            file.write_text("version https://git-lfs.github.com/spec/v1\n")
        case "header":
            head = json.dumps({"tokenizer_len": 0, "tensors": []}).encode()
            file.write_bytes(whole[:8] + len(head).to_bytes(8, "little") + head)
        case "zeros":
            file.write_bytes(bytes(1000))
        case _:
            file.write_bytes(whole + b"\0")

    with pytest.raises(EmbeddingError, match="does not contain the weights"):
        open_embedder("default", str(tmp_path))


@needs_model
def test_a_path_has_the_model_that_its_file_is_named_after(
    tmp_path: Path, weights: Path, embedder: Embedder
) -> None:
    """Whoever names weights need not name the model."""
    shutil.copy(weights, tmp_path / FILE)

    for path in (tmp_path, tmp_path / FILE):
        found = open_embedder("default", str(path))
        assert found is not None
        assert found.name == embedder.name


@needs_model
def test_another_centre_is_another_model(tmp_path: Path, weights: Path, embedder: Embedder) -> None:
    """Vectors with different centres must not be compared."""
    shutil.copy(weights, tmp_path / FILE)
    (tmp_path / "centre.txt").write_text("\n".join(["0"] * 384))

    found = open_embedder("default", str(tmp_path))

    assert found is not None
    assert found.name != embedder.name
    assert cosine(found, "How do users sign in?", "bananas are yellow") > 0.4


@needs_model
def test_the_adapter_changes_the_last_layers_only(embedder: Embedder, weights: Path) -> None:
    """What reads the first layers was made without it."""
    np = pytest.importorskip("numpy")
    assert isinstance(embedder, Granite)
    plain = granite("plain", CENTRE.read_text(), memoryview(weights.read_bytes()))
    text = "We ship on Fridays, keep that."

    first = embedder.read(text, embedder.first(TUNED))[1]
    same = plain.read(text, plain.first(TUNED))[1]
    later = embedder.read(text, embedder.first(TUNED + 1))[1]
    other = plain.read(text, plain.first(TUNED + 1))[1]

    assert np.array_equal(first, same)
    assert not np.allclose(later, other, atol=1e-2)
    assert 0.5 < cosine_of(vector(embedder, text), vector(plain, text)) < 0.999


@needs_model
@pytest.mark.parametrize("damage", ["mark", "length", "nothing"])
def test_an_adapter_of_another_model_is_refused(weights: Path, damage: str) -> None:
    """Its numbers would be added to matrices that they are not for."""
    whole = ADAPTER.read_bytes()
    damaged = {"mark": b"x" + whole[1:], "length": whole[:-2], "nothing": ADAPTER_MARK}[damage]

    with pytest.raises(ValueError, match="adapter is for another model"):
        granite("x", CENTRE.read_text(), memoryview(weights.read_bytes()), damaged)


@needs_model
@pytest.mark.parametrize("name", MODEL.ours)
def test_what_comes_with_us_is_not_loaded_if_it_changed(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Only the released file is."""
    changed = MODEL._replace(ours={**MODEL.ours, name: "0" * 64})
    monkeypatch.setitem(opening.MODELS, opening.DEFAULT, changed)

    with pytest.raises(EmbeddingError, match=rf"{Path(name).name} is not the released file"):
        open_embedder("default")


def test_a_centre_has_a_number_for_each_dimension() -> None:
    """Anything else is no centre."""
    pytest.importorskip("numpy")
    with pytest.raises(ValueError, match="2 numbers"):
        read_centre("0.1 0.2")


@pytest.mark.parametrize("tokens", [1, 23, 300])
@pytest.mark.parametrize("width", [32, 64])
def test_a_matrix_in_blocks_of_columns_gives_the_same_product(tokens: int, width: int) -> None:
    """Blocks are faster for a short text, and nothing else."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(7)
    x, matrix = (rng.normal(size=shape).astype(np.float32) for shape in ((tokens, 384), (384, 192)))
    bias = rng.normal(size=192).astype(np.float32)
    blocks = np.ascontiguousarray(matrix.reshape(384, -1, width).transpose(1, 0, 2))

    found = _apply(x, Affine(blocks, bias))

    assert np.allclose(found, _apply(x, Affine(matrix, bias)), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("tokens", [1, 23])
def test_an_update_counts_as_if_it_were_part_of_the_matrix(tokens: int) -> None:
    """It is never multiplied out, which would take the memory of the matrix again."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(7)
    shapes = ((tokens, 384), (384, 192), (384, 16), (16, 192))
    x, matrix, narrow, wide = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    bias = rng.normal(size=192).astype(np.float32)

    found = _apply(x, Affine(matrix, bias, (narrow, wide)))

    merged = Affine(matrix + narrow @ wide, bias)
    assert np.allclose(found, _apply(x, merged), rtol=1e-3, atol=1e-2)


def test_layers_with_updates_share_the_weights() -> None:
    """And an update of zeros changes nothing of what they read."""
    np = pytest.importorskip("numpy")
    model = open_embedder("default", threads=1)
    assert isinstance(model, Granite)
    own = model.updated([])
    shapes = [(384, 1152), (384, 384), (384, 1536), (1536, 384)]
    updates = [(np.ones((rows, 2)), np.zeros((2, columns))) for rows, columns in shapes]
    (layer,) = model.updated([(one.astype("f4"), two.astype("f4")) for one, two in updates])

    assert own == []
    places, rows = model.read("keep that", [layer])
    assert len(places) == len(rows) == 2
    assert layer.narrow.weight is model._network.layers[0].narrow.weight
    assert np.array_equal(rows, model.read("keep that", model._network.layers[:1])[1])


@needs_model
def test_what_embedding_a_text_made_of_its_words_is_read_again(
    embedder: Granite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prompt is embedded and read: its early layers run once, with the same result."""
    np = pytest.importorskip("numpy")
    text = "Keep that parser.py is generated."
    embedder.embed(["another text"])
    places, rows = embedder.read(text, embedder.first(3))
    embedder.embed([text])
    monkeypatch.setattr(embedder, "_states", None)

    again, kept = embedder.read(text, embedder.first(3))

    assert (again, kept.shape) == (places, rows.shape)
    assert np.array_equal(kept, rows)


@needs_model
def test_a_vector_is_the_first_token_of_all_that_the_layers_make(embedder: Granite) -> None:
    """The last layer makes no other token, alone or beside longer texts."""
    np = pytest.importorskip("numpy")
    batch = [embedder._ids(text) for text in ("Keep it.", "We pin every version, and test it.")]

    for texts in (batch[:1], batch):
        *_, whole = embedder._states(texts, go_on)
        first = embedder._first_tokens(texts, go_on)

        assert np.allclose(first, whole[:, 0], atol=1e-5)


@needs_model
@pytest.mark.parametrize(
    "beside", ["Keep that parser.py is generated!", "Keep", "a longer one " * 9]
)
def test_two_readings_in_one_pass_are_as_if_alone(
    embedder: Granite, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one is as the model is, without the updates of the first."""
    np = pytest.importorskip("numpy")
    text = "Keep that parser.py is generated."
    rng = np.random.default_rng(7)
    shapes = [(384, 1152), (384, 384), (384, 1536), (1536, 384)] * TUNED
    updates = [
        tuple(
            rng.normal(scale=0.02, size=shape).astype("f4") for shape in ((rows, 2), (2, columns))
        )
        for rows, columns in shapes
    ]
    layers = embedder.updated(updates)
    embedder.embed(["another text"])
    alone, plain = embedder.read(text, layers)[1], embedder.read(beside, embedder.first(TUNED))[1]

    embedder.embed(["another text"])
    rows = embedder.read(text, layers, beside)[1]
    if len(beside) == len(text):  # else it is not read with it, because one would be padded
        monkeypatch.setattr(embedder, "_states", None)
    after = embedder.read(beside, embedder.first(TUNED))[1]

    assert np.allclose(rows, alone, atol=1e-4)
    assert np.allclose(after, plain, atol=1e-4)


def test_blocks_are_for_processors_that_multiply_them_in_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OpenBLAS may be told to be an older one than it is."""
    np = pytest.importorskip("numpy")
    found = {"SIMD Extensions": {"found": ["AVX2", "X86_V4"]}}
    monkeypatch.setattr(np, "show_config", lambda mode: found)
    widths = []
    for told in ("", "SkylakeX", "Haswell"):
        monkeypatch.setenv("OPENBLAS_CORETYPE", told)
        block_width.cache_clear()
        widths.append(block_width(384))
    block_width.cache_clear()

    assert widths == [64, 64, 0]
