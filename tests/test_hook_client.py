"""How a hook reads its input where a pipe cannot be waited for with a time limit."""

from __future__ import annotations

import subprocess
import sys

CODE = (
    "from recollect import hook_client\n"
    "hook_client._INPUT_SECONDS = float({seconds!r})\n"
    "said = hook_client._read_beside()\n"
    "print(len(said), said[:5].decode(), flush=True)\n"
    "import os; os._exit(0)"
)


def hook(seconds: float) -> subprocess.Popen[bytes]:
    """A process that reads its input as on Windows."""
    return subprocess.Popen(
        [sys.executable, "-c", CODE.format(seconds=seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def test_all_of_the_input_is_read() -> None:
    """More than a pipe holds at once."""
    said, _ = hook(60).communicate(b"hello" * 100_000)

    assert said.split() == [b"500000", b"hello"]


def test_an_input_that_does_not_end_is_cut() -> None:
    """What has arrived counts, and the reader does not keep the process alive."""
    process = hook(3)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"hello")
    process.stdin.flush()
    said = process.stdout.read()
    process.stdin.close()
    process.stdout.close()

    assert process.wait(60) == 0
    assert said.split() in ([b"5", b"hello"], [b"0"])  # on a busy machine nothing had arrived
