"""Every command that the plugin's texts name is run as it is written, in the client's shell."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.realclient.api import Script, say, use
from tests.realclient.typed import OLD, PREFERENCE, keep
from tests.realclient.workplace import Workplace

PLUGIN = Path(__file__).parents[2] / "plugin"
TEXTS = sorted((*PLUGIN.glob("commands/*.md"), *PLUGIN.glob("skills/*/SKILL.md")))
_SPAN = re.compile(r"`(recollect [^`]+)`")
_LINE = re.compile(r"^ +(recollect .+)$", re.MULTILINE)
_WORDS = {
    "KIND": "decisions",
    "KEY": "kinds.runbooks.enabled",
    "VALUE": "true",
    "PATH": "src/cart.py",
    "SOURCE": "instructions",
}
_PROMPT = "Try every command."
# What a memory must be before a step can be tried.
_BEFORE = {"unarchive": "archive", "restore": "retire"}


def commands() -> list[str]:
    """The commands of all texts, each once, without comments and here-documents."""
    found: dict[str, None] = {}
    for text in (path.read_text("utf-8") for path in TEXTS):
        for match in (*_SPAN.finditer(text), *_LINE.finditer(text)):
            command = " ".join(match[1].split(" #")[0].split("<<")[0].split())
            found[command if command != "recollect search" else f"{command} words"] = None
    return list(found)


def test_every_command_of_the_texts_works(place: Workplace) -> None:
    """With a memory of its own in the place of ID, and a document where one is read."""
    script = []
    for number, command in enumerate(commands()):
        known = keep(place, "decisions", {**OLD, "title": f"Matter {number} is decided"})
        verb = command.split()[2] if command.startswith("recollect write ") else ""
        if verb in _BEFORE:
            place.recollect("write", _BEFORE[verb], known["uid"])
        if command.startswith("recollect review "):
            command = _about_noticed(place, command, number, known)
        if "RUN" in command:
            rule = f"# Rules\n\n- Never push to the branch release-{number} directly.\n"
            (place.repo / "AGENTS.md").write_text(rule)
            ran = json.loads(place.recollect("import", "instructions", "--yes", "--json"))
            command = command.replace("RUN", ran["run"])
        script.append(f'{_prepared(command, known)}\necho "{number} $?"')
    place.api.play(Script([use("Bash", command="\n".join(script)), say("Done.")]))

    run = place.ask(_PROMPT)

    said = run.main[1].text
    ended = dict(re.findall(r"^(\d+) (\d+)$", said, re.MULTILINE))
    failed = [c for n, c in enumerate(commands()) if ended.get(str(n)) != "0"]
    assert failed == [], said
    assert len(commands()) > 20


def _about_noticed(place: Workplace, command: str, number: int, known: dict[str, Any]) -> str:
    """A command of a review, about something that was noticed, with the words of the user."""
    draft = {"kind": "notes", "summary": f"Thing {number} was noticed", "body": ""}
    code = (
        "import recollect; from recollect.capture.unconfirmed import add;"
        f"print(add(recollect.open(), {draft!r}, confidence=0.8, why='test').uid)"
    )
    uid = place.command(Path(sys.executable), "-c", code).strip()
    command = command.replace("INTO", known["slug"]).replace("WORDS", _PROMPT)
    return re.sub(r"\bID\b", uid, command)


def _prepared(command: str, known: dict[str, Any]) -> str:
    words = {**_WORDS, "ID": known["slug"], "VERSION": known["version"]}
    line = re.sub(r"\b[A-Z]{2,}\b", lambda word: words.get(word[0], word[0]), command)
    line += " >/dev/null"  # the client cuts what is long
    if "--input -" not in line:
        return line
    document: Any = {"content": {"decision": "another"}, "changes": [{"summary": "why"}]}
    if " create " in line:
        document = {**OLD, "title": f"New beside {known['slug']}"}
    elif " drafts " in line:
        document = [
            {**PREFERENCE, "title": f"Preferred beside {known['slug']}"},
            {"action": "update", "id": known["uid"], "if_version": known["version"], **document},
        ]
    return f"{line} <<'EOF'\n{json.dumps(document)}\nEOF"
