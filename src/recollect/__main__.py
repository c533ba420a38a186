"""`recollect` and `python -m recollect`: the command line and the hooks."""

from __future__ import annotations

import sys


def main() -> None:
    """Run a hook, which loads only what it needs, or the command line."""
    if sys.argv[1:2] == ["hook"]:
        from recollect.engine.client import leave
        from recollect.engine.client import main as serve

        leave(serve(sys.argv[2:]))
    from recollect.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
