"""Import numpy with the settings of its matrix library, OpenBLAS, that suit us.

The library reads them once, from the environment, when it is loaded. What the user has set there
stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import EmbeddingError
from recollect.quick_import import import_numpy

if TYPE_CHECKING:
    from collections.abc import MutableMapping

_THREADS, _KERNELS = "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE"
_PROCESSORS = Path("/proc/cpuinfo")
# The first processor is described in less.
_ENOUGH = 8_192
_FLAGS = frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})


def load_numpy(environment: MutableMapping[str, str], install: str) -> None:
    """Import numpy; if this is the first import, with one thread and the fastest kernels.

    Its own threads spin while they wait; on a busy machine a query then takes two hundred
    milliseconds instead of thirty. Our threads share the work better. `install` says what to do
    if it is missing.
    """
    wanted = {_THREADS: "1", **_kernels()} if "numpy" not in sys.modules else {}
    ours = {name: value for name, value in wanted.items() if name not in environment}
    environment.update(ours)
    try:
        import_numpy()
    except ModuleNotFoundError as error:
        raise EmbeddingError("Vector search needs numpy, which is missing.", install) from error
    except ImportError as error:
        raise EmbeddingError(
            "Vector search needs numpy, which is installed but cannot be imported.",
            "To see why, run: python -c 'import numpy'",
        ) from error
    finally:
        for name in ours:
            del environment[name]


def _kernels(processors: Path = _PROCESSORS) -> dict[str, str]:
    """Return the setting for a processor of AMD with 512-bit vectors.

    OpenBLAS up to 0.3.31 does not know the newer ones (OpenMathLib/OpenBLAS#6029) and takes kernels
    for 256 bits, which take 2.3 times as long for a text. Elsewhere it knows best. It checks the
    setting, and ignores one that the processor cannot run.
    """
    try:
        with processors.open("rb") as file:
            first = file.read(_ENOUGH).decode("ascii", "replace").partition("\n\n")[0]
    except OSError:
        return {}
    told = {
        name.strip(): value.split()
        for name, _, value in (line.partition(":") for line in first.split("\n"))
    }
    is_amd = told.get("vendor_id") == ["AuthenticAMD"]
    return {_KERNELS: "SkylakeX"} if is_amd and {*told.get("flags", ())} >= _FLAGS else {}
