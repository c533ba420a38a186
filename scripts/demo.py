"""Shows Recollect in under a minute: two clones capture, sync and search.

Everything happens in a folder of its own, with the real command line and plain git. The folder
stays until the next demo, so that you can look at it with `recollect ui`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".cache" / "demo"
KNOWN = (
    ("preferences", "Always use uv for Python environments"),
    ("constraints", "No customer data may leave the EU"),
    ("solutions", "Flaky login test fixed by freezing the clock"),
    ("tech-debt", "The invoice module has no unit tests"),
    ("notes", "Deploys happen on Tuesday mornings"),
)
QUESTIONS = (
    "which relational engine holds our records",
    "how do I set up a virtualenv here",
    "sign-in spec sometimes goes red",
    "billing code lacks coverage",
    "when do we ship to production",
)


class Stage:
    """Runs commands as you would type them, and prints each command with its output."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            "GIT_CONFIG_NOSYSTEM": "1",
            # A machine that is still installing is busy; by default, a hook stops after 300 ms.
            "RECOLLECT_HOOK_DEADLINE": "5000",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.com",
        }

    def say(self, text: str) -> None:
        """Print a line of explanation."""
        sys.stdout.write(f"\n\033[1m{text}\033[0m\n" if sys.stdout.isatty() else f"\n# {text}\n")
        sys.stdout.flush()

    def hook(self, place: str, event: str, session: str, **fields: str) -> None:
        """Run a hook as an agent does, and print what the agent gets."""
        given = json.dumps({"session_id": session, "cwd": str(self.folder / place), **fields})
        sys.stdout.write(
            f"{place} $ recollect hook {event}   # {next(iter(fields.values()), '')}\n"
        )
        said = self.run(place, "recollect", "hook", event, show=False, given=given)
        answer = json.loads(said) if said.strip() else {}
        context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        told = [part for part in (answer.get("systemMessage"), context) if part]
        text = "\n".join(told) or "(nothing: no memory answers this)"
        sys.stdout.write("".join(f"  {line}\n" for line in text.splitlines()))
        sys.stdout.flush()

    def run(
        self, place: str, *command: str, show: bool = True, most: int = 40, given: str = ""
    ) -> str:
        """Run a command in one of the folders and return its output."""
        real = [sys.executable, "-m", "recollect"] if command[0] == "recollect" else [command[0]]
        result = subprocess.run(
            [*real, *command[1:]],
            cwd=self.folder / place,
            env=self.environment,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if show:
            words = " ".join(f'"{w}"' if " " in w else w for w in command)
            lines = result.stdout.rstrip().splitlines()
            shown = [*lines[:most], "…"] if len(lines) > most else lines
            sys.stdout.write(f"{place} $ {words}\n" + "".join(f"  {line}\n" for line in shown))
            sys.stdout.flush()
        if result.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{result.stdout}")
        return result.stdout


def main() -> None:
    """Run the demo."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    play(FOLDER)


def play(folder: Path) -> None:
    """Show everything in a folder, which stays."""
    stage = Stage(folder)
    stage.run(".", "git", "init", "-q", "--bare", "-b", "main", "hub.git", show=False)
    stage.run(".", "git", "clone", "-q", "hub.git", "laptop", show=False)
    (folder / "laptop" / "store.py").write_text("ENGINE = 'postgresql'\n")
    stage.run("laptop", "git", "checkout", "-q", "-b", "main", show=False)
    stage.run("laptop", "git", "add", ".", show=False)
    stage.run("laptop", "git", "commit", "-q", "-m", "Store orders in PostgreSQL", show=False)
    stage.run("laptop", "git", "push", "-q", "origin", "main", show=False)
    stage.run(".", "git", "clone", "-q", "-b", "main", "hub.git", "desktop", show=False)

    stage.say("Capture a decision. It is stored next to the current commit.")
    name = stage.run(
        "laptop",
        "recollect",
        "capture",
        "decisions",
        "Use PostgreSQL for persistence",
        "-m",
        "Why: two workers write at once, and SQLite makes one of them wait.",
        "--tag",
        "database",
        "--file",
        "store.py",
    ).split()[0]

    stage.say("In another clone, somebody else captures something.")
    stage.run(
        "desktop",
        "recollect",
        "capture",
        "learnings",
        "The order import must run in one transaction",
        "-m",
        "A crash half way left orders without lines.",
    )
    stage.run(
        "desktop",
        "recollect",
        "capture",
        "preferences",
        "I like my tests in random order",
        "--sensitivity",
        "private",
    )

    stage.say("Share memories through the git remote. Private ones stay on their machine.")
    stage.run("laptop", "recollect", "sync")
    stage.run("desktop", "recollect", "sync")
    stage.run("laptop", "recollect", "sync")

    stage.say("Both clones now have the same memories, byte for byte.")
    for clone in ("laptop", "desktop"):
        stage.run(clone, "git", "rev-parse", "refs/notes/mem/decisions^{tree}")

    stage.say("List the memories, and show one of them.")
    stage.run("desktop", "recollect", "list")
    stage.run("desktop", "recollect", "show", name)

    stage.say("Search by meaning: the question shares no word with the memory.")
    for kind, summary in KNOWN:
        stage.run("desktop", "recollect", "capture", kind, summary, show=False)
    for question in QUESTIONS:
        stage.run("desktop", "recollect", "search", question, "-n", "1", "--explain")

    stage.say("A decision changes. Its history keeps what it said before.")
    now = "Why: two workers write at once. We tried SQLite for a month, and one of them waited."
    stage.run("desktop", "recollect", "edit", name, "-m", now)

    stage.say("In an agent, hooks do this. In one session, the user marks something to remember.")
    marked = "[remember:constraints] Refunds need a second pair of eyes"
    stage.hook("desktop", "prompt", "monday", prompt=marked)
    stage.hook("desktop", "prompt", "monday", prompt="Fix the typo in the footer")

    stage.say("What Recollect notices and isn't sure about waits for you, in `recollect review`.")
    noticed = "we decided to keep sessions in Redis instead of the database"
    stage.hook("desktop", "prompt", "monday", prompt=noticed)
    stage.run("desktop", "recollect", "review")

    stage.say("The next session starts with what matters, and each prompt gets what answers it.")
    stage.hook("desktop", "session-start", "tuesday", source="startup")
    question = "Why must the order import run in a transaction?"
    stage.hook("desktop", "prompt", "tuesday", prompt=question)
    stage.run("desktop", "recollect", "why", "--last")

    stage.say("Plain git shows the memory next to its commit.")
    stage.run("desktop", "git", "log", "-1", "--notes=mem/decisions", most=14)

    stage.say("To look at this memory in your browser, run:")
    command = Path(sys.executable).with_name("recollect")
    sys.stdout.write(f"{command} -C {folder / 'desktop'} ui\n")


if __name__ == "__main__":
    main()
