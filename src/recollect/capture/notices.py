"""Finds what a successful tool says about the future: deprecations, requirements, vulnerabilities.

A dependency of a dependency is deprecated all the time, so that counts only for what was asked for.
"""

from __future__ import annotations

import re

from recollect.capture.error_lines import (
    MISSING,
    MOST_LINE,
    REQUIRED,
    ErrorLine,
    Phrases,
    Report,
    is_demand,
    plain,
)
from recollect.core.patterns import pattern

_NOTICE = pattern(r"\b(?P<label>[a-z]{0,40}warning|warn)\b:? (?P<said>.+)", re.IGNORECASE)
_AGEING = Phrases(
    "will be removed|will be an error|is deprecated|are deprecated|has been deprecated"
    "|deprecated and|deprecated since|deprecated in",
    r"deprecat\w{0,9}warning",
)
_NOT_OURS = pattern(r"^npm warn|^npm WARN|node_modules|site-packages|\(node:\d+\)")
# A package manager names the package that it installs.
_OLD_PACKAGE = pattern(
    r"(?:npm (?:warn|WARN)|warning) deprecated (?P<name>@?[\w./-]{1,100})@(?P<said>.+)"
)
_VULNERABLE = pattern(
    r"(?:remote: )?(?:GitHub )?(?P<said>(?:found )?[1-9]\d{0,5} [^.\n]{0,80}?vulnerabilit.{0,100})"
)
_SEVERE = ("high", "critical")
# Without a label, a line must begin like this to count as a report.
_REPORTS = ("remote: This repository moved", "Port ", "npm warn EBADENGINE", "npm WARN EBADENGINE")


def find_notice(report: Report, asked: frozenset[str] = frozenset()) -> ErrorLine | None:
    """Return the notice that a report contains. `asked` are the packages that were asked for."""
    for at in report.telling:
        line = report.lines[at][:MOST_LINE].strip()
        low = line.lower()
        if "vulnerabilit" in low:
            found = _VULNERABLE.match(line)
            if found and any(word in low for word in _SEVERE):
                return ErrorLine(at, plain(found["said"]), MISSING)
            continue
        old = _OLD_PACKAGE.match(line) if asked and "deprecated" in low else None
        if old and old["name"] in asked:
            return ErrorLine(at, plain(f"{old['name']}@{old['said']}"), MISSING)
        notice = _NOTICE.search(line, 0, 200) if "warn" in low else None
        # To the end of the line, not of the search window.
        said = plain(line[notice.start("said") :] if notice else line.removeprefix("remote: "))
        if len(said) < 15 or _NOT_OURS.search(line):
            continue
        if (notice or line.startswith(_REPORTS)) and is_demand(low):
            return ErrorLine(at, said, REQUIRED, demands=True)
        if notice and _AGEING.are_in(low):
            label = notice["label"]
            # A named warning, such as DeprecationWarning.
            return ErrorLine(at, f"{label}: {said}" if len(label) > 7 else said, MISSING)
    return None
