"""`recollect`, `recollect-hook` and `python -m recollect`: the command line and the hooks."""

from __future__ import annotations

import os
import sys

# Objects until a command or a hook looks for cyclic garbage. Python's own 700 means dozens of
# searches for nothing while modules are imported, and 20,000 still two, of 3 ms each.
_OBJECTS_PER_SEARCH = 100_000


def main() -> None:
    """Run a hook or the MCP server, which load first what is needed first, or the command line."""
    if sys.argv[1:2] == ["hook"]:
        serve_hook(sys.argv[2:])
    if sys.argv[1:] == ["mcp"]:  # a client waits: the command line loads first what people need
        from recollect.mcp.start import main as serve_mcp

        serve_mcp()
        return
    from recollect.quick_import import install, lighten, lighten_for_click

    _search_rarely()
    install()
    lighten()
    from recollect.core.patterns import pattern

    lighten_for_click(pattern)
    from recollect.cli import main as command_line

    try:
        command_line()
    except SystemExit as end:
        _exit_at_once(end.code)
        raise


def _search_rarely() -> None:
    """Set how often Python looks for garbage, before the imports, which make objects that stay."""
    import gc

    gc.set_threshold(_OBJECTS_PER_SEARCH)


def _exit_at_once(code: object) -> None:
    """Exit as Python does, but without freeing every object first, which takes 17 ms.

    If that is not possible, return: then Python exits its own way.
    """
    import atexit
    import threading

    own = threading.current_thread()
    others = [one for one in threading.enumerate() if one is not own and not one.daemon]
    if others or not (code is None or isinstance(code, int)):
        return
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return  # nobody reads it
    os._exit((code or 0) & 0xFF)


def serve_hook(arguments: list[str]) -> None:
    """Serve one event of an agent, and exit with 0."""
    from recollect.hook_client import Attempt, print_answer

    attempt = Attempt(arguments)
    if attempt.answer is not None:
        print_answer(attempt.answer)
    else:
        from recollect.quick_import import install

        _search_rarely()
        install()
        from recollect.engine.client import serve

        serve(attempt)
    if "recollect.hooks.runner" in sys.modules:
        sys.exit(0)
    # Another process did the work, so there is nothing to tidy up here. Python's own way to exit
    # takes as long as a tenth of a bare interpreter.
    os._exit(0)


if __name__ == "__main__":
    main()
