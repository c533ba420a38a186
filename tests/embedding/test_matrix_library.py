"""The settings that numpy's matrix library is loaded with."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.embedding.matrix_library import _kernels, load_numpy

WIDE = "fpu avx2 avx512f avx512dq avx512cd avx512bw avx512vl"


def described(folder: Path, vendor: str, flags: str) -> Path:
    """A description of two processors, as Linux gives it."""
    lines = (
        "processor\t: 0",
        f"vendor_id\t: {vendor}",
        "model name\t: A: B",
        f"flags\t\t: {flags}",
    )
    one = "\n".join((*lines, "bugs\t\t:", ""))
    file = folder / "cpuinfo"
    file.write_text(f"{one}\n{one}")
    return file


def test_wide_vectors_of_amd_are_used(tmp_path: Path) -> None:
    """OpenBLAS takes new processors of AMD for old ones."""
    assert _kernels(described(tmp_path, "AuthenticAMD", WIDE)) == {"OPENBLAS_CORETYPE": "SkylakeX"}


@pytest.mark.parametrize(
    ("vendor", "flags"),
    [
        ("GenuineIntel", WIDE),
        ("AuthenticAMD", "fpu avx2"),
        ("AuthenticAMD", WIDE.replace(" avx512vl", "")),
        ("AuthenticAMD", ""),
        ("", ""),
    ],
)
def test_elsewhere_it_decides_itself(tmp_path: Path, vendor: str, flags: str) -> None:
    """What it finds on other processors is right."""
    assert _kernels(described(tmp_path, vendor, flags)) == {}


@pytest.mark.parametrize("content", [b"", b":::\n\n:", b"\xff\xfe\x00", b"vendor_id" * 10_000])
def test_what_it_cannot_read_decides_nothing(tmp_path: Path, content: bytes) -> None:
    """ARM describes its processors otherwise, and other systems have no such file."""
    file = tmp_path / "cpuinfo"
    assert _kernels(file) == {}
    file.write_bytes(content)
    assert _kernels(file) == {}


def test_the_environment_is_as_before() -> None:
    """What the user has set counts, and ours is for the import alone."""
    environment = {"OPENBLAS_CORETYPE": "Haswell", "HOME": "/nowhere"}

    load_numpy(environment, "")

    assert environment == {"OPENBLAS_CORETYPE": "Haswell", "HOME": "/nowhere"}
