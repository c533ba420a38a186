"""The fields of a memory that people and agents may set, and what each accepts.

Each field is validated once, at the boundary, with an error that names the field, what was expected
and what was given. Reading is lenient: a malformed value in a note is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern
from recollect.errors import UnsafeName, ValidationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MAX_BODY_BYTES: Final = 102_400
MAX_TAGS: Final = 12
MAX_TAG_LENGTH: Final = 60
MAX_TEXT: Final = 200
MAX_REASON: Final = 300
MAX_ITEMS: Final = 200
MAX_QUESTIONS: Final = 5
MAX_QUESTION_LENGTH: Final = 150
_MOST_DAYS: Final = 36_500

SENSITIVITIES = ("public", "private", "secret", "unknown")
LOCAL_SENSITIVITIES = frozenset({"private", "secret"})
OBSERVATION_TYPES = ("bugfix", "feature", "refactor", "change", "discovery", "decision")
# How much the type of an observation says about its worth.
TYPE_WEIGHTS: Mapping[str, float] = {
    "decision": 0.8,
    "discovery": 0.7,
    "bugfix": 0.5,
    "feature": 0.5,
    "refactor": 0.3,
    "change": 0.3,
}
CONCEPTS = (
    "how-it-works",
    "why-it-exists",
    "what-changed",
    "problem-solution",
    "gotcha",
    "pattern",
    "trade-off",
)

_CONTROL = pattern(r"[\x00-\x1f\x7f]")
_SPACE = pattern(r"\s+")
_REVISION = pattern(r"[A-Za-z0-9_./@^~{}-]+\Z")
_DRIVE = pattern(r"[A-Za-z]:")


def check_summary(summary: str) -> str:
    """Validate a summary: 1 to 100 characters on one line."""
    text = _unicode("summary", summary).strip()
    if not text:
        raise ValidationError("The summary is empty.", "Say in one line what should be remembered.")
    if "\n" in text or "\r" in text or len(text.splitlines()) > 1:
        raise ValidationError(
            "The summary has more than one line.",
            "Put the first line into the summary and the rest into the body.",
        )
    if _CONTROL.search(text):
        raise ValidationError("The summary contains a control character.", "Remove it.")
    if len(text) > SUMMARY_LENGTH:
        raise ValidationError(
            f"The summary has {len(text)} characters; the limit is {SUMMARY_LENGTH}.",
            "Shorten it and put the details into the body.",
        )
    return text


def check_body(body: str) -> str:
    """Validate a body: any text without NUL, at most 100 KB."""
    text = _unicode("body", body)
    if "\0" in text:
        raise ValidationError("The body contains a NUL byte.", "Store text only.")
    if is_too_long(text):
        raise ValidationError(
            f"The body has {len(text.encode('utf-8'))} bytes; the limit is {MAX_BODY_BYTES}.",
            "Shorten it, or split it into several memories.",
        )
    return text


def is_too_long(body: str) -> bool:
    """Whether a body exceeds the size limit."""
    return len(body.encode("utf-8", "surrogatepass")) > MAX_BODY_BYTES


def check_reason(reason: str) -> str:
    """Validate a reason: one line."""
    return _text("reason", reason, MAX_REASON)


def normal_tag(tag: str) -> str:
    """Return a tag in stored form: lower case, one word."""
    return _SPACE.sub("-", tag.strip().lower())


def check_timestamp(text: str) -> str:
    """Validate an ISO 8601 timestamp; return it in UTC, as `2026-08-23T10:00:00Z`."""
    try:
        moment = datetime.fromisoformat(text)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise ValidationError(
            f"{text!r} is not a date.", "Write it like 2026-08-23T10:00:00Z"
        ) from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def check_path(path: str) -> str:
    """Validate a path inside the repository; return it with forward slashes."""
    text = _unicode("path", path)
    if not text.strip():
        raise UnsafeName("A path is empty.")
    relative = "Give the path relative to the repository."
    if text.startswith("-"):
        raise UnsafeName(f"The path {text!r} starts with a dash.", relative)
    if text.startswith(("/", "\\")) or _DRIVE.match(text):
        raise UnsafeName(f"The path {text!r} is absolute.", relative)
    if ".." in text:
        raise UnsafeName(f"The path {text!r} contains '..'.", relative)
    if _CONTROL.search(text):
        raise UnsafeName("A path contains a control character.", relative)
    return text


def check_revision(revision: str) -> str:
    """Validate the name of a commit, so that it is safe to pass to git."""
    hint = "Name a commit, a branch or a tag, for example HEAD~2"
    if not revision:
        raise UnsafeName("The revision is empty.", hint)
    if revision.startswith("-"):
        raise UnsafeName(f"The revision {revision!r} starts with a dash.", hint)
    if revision.startswith("/") or ".." in revision or not _REVISION.match(revision):
        raise UnsafeName(f"{revision!r} is not the name of a revision.", hint)
    return revision


def check_questions(name: str, value: Any) -> list[str]:
    """Validate the questions that a memory answers: few, short, each on one line."""
    questions: dict[str, str] = {}
    for item in _items(name, value):
        text = " ".join(_unicode(name, item).split())
        if not text:
            raise ValidationError(f"A question in {name} is empty.", "Ask it in words.")
        if len(text) > MAX_QUESTION_LENGTH or _CONTROL.search(text):
            raise ValidationError(
                f"A question in {name} takes at most {MAX_QUESTION_LENGTH} characters on one line;"
                f" this one has {len(text)}: {text[:40]!r}",
                "Ask it in fewer words.",
            )
        questions.setdefault(text.casefold(), text)
    if len(questions) > MAX_QUESTIONS:
        raise ValidationError(
            f"{name} takes at most {MAX_QUESTIONS} questions; {len(questions)} were given.",
            "Keep those that differ most from each other.",
        )
    return list(questions.values())


def add_questions(known: Iterable[str], new: Iterable[str]) -> list[str]:
    """Return the known questions and, as far as there is room, the new ones; case is no news."""
    found: dict[str, str] = {}
    for text in (*known, *new):
        found.setdefault(text.casefold(), text)
    return list(found.values())[:MAX_QUESTIONS]


def check_border(current: str, target: str) -> None:
    """Reject an edit that would move a memory between the shared and the private space."""
    if (target in LOCAL_SENSITIVITIES) != (current in LOCAL_SENSITIVITIES):
        history = "private" if current in LOCAL_SENSITIVITIES else "shared"
        raise ValidationError(
            f"A {current} memory cannot be made {target}: its text is in {history} history.",
            f"Capture it again with --sensitivity {target}, then purge this one.",
        )


def check_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Validate the given fields and return their stored form; None removes a field."""
    checked: dict[str, Any] = {}
    for name, value in given.items():
        check = FIELDS.get(name)
        if check is None:
            raise ValidationError(
                f"A memory has no field {name!r}.", "Use one of: " + ", ".join(sorted(FIELDS))
            )
        checked[name] = None if value is None else check(name, value)
    return checked


def _unicode(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValidationError(f"The {name} is {type(value).__name__}, not text.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValidationError(f"The {name} is not valid Unicode.", "Store text only.") from None
    return value


def _text(name: str, value: Any, most: int = MAX_TEXT) -> str:
    text = " ".join(_unicode(name, value).split())
    if not text or len(text) > most or _CONTROL.search(text):
        raise ValidationError(f"The field {name} takes 1 to {most} characters on one line.")
    return text


def _items(name: str, value: Any) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValidationError(f"The field {name} takes a list, not {value!r}")
    items = list(value)
    if len(items) > MAX_ITEMS:
        raise ValidationError(f"The field {name} takes at most {MAX_ITEMS} values.")
    return items


def _texts(name: str, value: Any) -> list[str]:
    return list(dict.fromkeys(_text(name, item) for item in _items(name, value)))


def _tags(name: str, value: Any) -> list[str]:
    tags: dict[str, None] = {}
    for item in _items(name, value):
        tag = normal_tag(_unicode(name, item))
        if not tag or len(tag) > MAX_TAG_LENGTH or "," in tag or _CONTROL.search(tag):
            raise ValidationError(
                f"{item!r} is not a tag.", f"A tag is one word of at most {MAX_TAG_LENGTH} letters."
            )
        tags[tag] = None
    if len(tags) > MAX_TAGS:
        raise ValidationError(f"A memory has at most {MAX_TAGS} tags; {len(tags)} were given.")
    return list(tags)


def _paths(name: str, value: Any) -> list[str]:
    return list(dict.fromkeys(check_path(item) for item in _items(name, value)))


def _fraction(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValidationError(f"The field {name} takes a number from 0 to 1, not {value!r}")
    return float(value)


def _days(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_DAYS:
        raise ValidationError(
            f"The field {name} takes a whole number of days from 1 to {_MOST_DAYS:,}, not {value!r}"
        )
    return value


def _one_of(*choices: str) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:
        text = str(value).strip().lower()
        if text not in choices:
            raise ValidationError(
                f"{value!r} is not a value of {name}.", "Use one of: " + ", ".join(choices)
            )
        return text

    return check


def _some_of(*choices: str) -> Callable[[str, Any], list[str]]:
    check = _one_of(*choices)

    def check_all(name: str, value: Any) -> list[str]:
        return list(dict.fromkeys(check(name, item) for item in _items(name, value)))

    return check_all


def _mapping(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValidationError(f"The field {name} takes an object, not {value!r}")
    return {str(key): item for key, item in value.items()}


FIELDS: Mapping[str, Callable[[str, Any], Any]] = {
    "tags": _tags,
    "spec": _text,
    "phase": _text,
    "concepts": _some_of(*CONCEPTS),
    "asked_as": check_questions,
    "observation_type": _one_of(*OBSERVATION_TYPES),
    "files_read": _paths,
    "files_modified": _paths,
    "relates_to": _texts,
    "importance": _fraction,
    "confidence": _fraction,
    "sensitivity": _one_of(*SENSITIVITIES),
    "ttl": _days,
    "session": _text,
    "branch": _text,
    "project": _text,
    "provenance": _mapping,
}
