"""Verbs of commit subjects and headings, whatever their form.

"Drop X", "Drops X", "Dropped X" and "Dropping X" all start with "drop".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.core.patterns import pattern

_REGULAR = (
    "abandon abort accept acknowledge adapt add address adjust adopt advertise align allocate allow"
    " anchor annotate announce append apply assert assign assume attach attempt avoid backport ban"
    " batch block bound buffer bump bypass cache calculate call canonicalize cap capture carry"
    " change"
    " check clamp clarify clean clear clone close coalesce collapse collect combine compare compile"
    " complete compress compute configure consider consolidate consume convert copy correct"
    " count cover crash create decide decode decouple decrease dedupe deduplicate default defer"
    " define delay"
    " delegate delete demote deny deprecate derive destroy detach detect determine disable disallow"
    " discard disconnect discourage display document downgrade drop dump eliminate embed emit"
    " emulate"
    " enable encode encourage encrypt enforce ensure error escape estimate evict exclude execute"
    " exempt"
    " exit expand expect expire explain export expose extend extract factor fail fall fetch filter"
    " finish fix flag flatten flip flush fold follow forbid force fork format forward free freeze"
    " generalize generate grant group guarantee guard handle harden hide hoist honor honour"
    " identify ignore implement import improve include incorporate increase index infer inherit"
    " initialize inline insert install instrument integrate interpret introduce invalidate invert"
    " isolate iterate join label launch limit link list load lock log lower maintain mangle map"
    " mark mask match maximize measure mention merge migrate minimize mirror mitigate mock"
    " modernize"
    " modify monitor move multiplex mute name narrow neuter normalize notify obey offer omit"
    " open optimize order output pack paper parallelize parameterize park parse partition pass"
    " patch"
    " permit persist pin pipe plug poll populate port postpone prefer prefetch prefix prepare"
    " preserve"
    " pretend prevent print prioritize process prohibit promise promote propagate protect provide"
    " prune"
    " publish pull push quote raise randomize reduce refactor refine refuse register reinstate"
    " reintroduce reject relax release relocate rely remove rename render reorder reorganize"
    " repair replace"
    " report repurpose request require rescue reserve resolve respect restore restrict restructure"
    " resume retain retire retry return reuse revamp revert revise revisit rework rotate round"
    " route"
    " sanitize save scan schedule scope search secure separate serialize share shorten show shrink"
    " shuffle shut sign signal silence simplify skip slow snapshot solve sort specialize"
    " specify spin split squash stabilize standardize start stash stop store stream streamline"
    " strengthen strip stub substitute suggest supply support suppress surface suspend swap switch"
    " sync synchronize teach terminate test throttle tighten toggle track trade"
    " transform transition translate treat trigger trim truncate trust try tune turn tweak"
    " unblock undeprecate unescape unify uninstall unlock unpin unregister unset update upgrade"
    " use utilize validate vendor verify walk warn watch widen wire work wrap yank yield zero"
)
_IRREGULAR = {
    "be": "were",
    "become": "became",
    "begin": "began",
    "break": "broke",
    "bring": "brought",
    "build": "built",
    "catch": "caught",
    "choose": "chose",
    "cut": "cut",
    "deal": "dealt",
    "do": "did",
    "draw": "drew",
    "fall": "fell",
    "feed": "fed",
    "find": "found",
    "forbid": "forbade",
    "freeze": "froze",
    "get": "got",
    "give": "gave",
    "go": "went",
    "hide": "hid",
    "hold": "held",
    "keep": "kept",
    "lay": "laid",
    "let": "let",
    "lose": "lost",
    "make": "made",
    "override": "overrode",
    "overwrite": "overwrote",
    "pay": "paid",
    "put": "put",
    "read": "read",
    "rebuild": "rebuilt",
    "redo": "redid",
    "rethrow": "rethrew",
    "rewrite": "rewrote",
    "run": "ran",
    "say": "said",
    "see": "saw",
    "seek": "sought",
    "send": "sent",
    "set": "set",
    "shrink": "shrank",
    "shut": "shut",
    "speed": "sped",
    "spin": "spun",
    "split": "split",
    "take": "took",
    "teach": "taught",
    "tell": "told",
    "think": "thought",
    "throw": "threw",
    "undo": "undid",
    "write": "wrote",
    "leave": "left",
    "reset": "reset",
    "rely": "relied",
    "broadcast": "broadcast",
    "withdraw": "withdrew",
    "uphold": "upheld",
    "unwind": "unwound",
    "spend": "spent",
}


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Verbs whose last consonant is doubled, as in "dropped".
_DOUBLED = _set(
    "ban cap dedup drop embed flag flip grab log map pin plug scan ship skip snap spin"
    " stop strip stub swap emit omit admit trap trim unpin wrap zip permit defer infer"
    " transfer commit prefer refer submit unset unwrap debug hotplug pad tag stem forget"
    " shut unplug scrub patrol compel"
)
_VOWELS = frozenset("aeiou")


def _past(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def _forms(verb: str) -> tuple[str, ...]:
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        third = f"{verb[:-1]}ies"
    elif verb.endswith(("s", "x", "ch", "sh", "o", "z")):
        third = f"{verb}es"
    else:
        third = f"{verb}s"
    stem = (
        verb + verb[-1] if verb in _DOUBLED or verb in ("cut", "let", "put", "run", "set") else verb
    )
    stem = stem[:-1] if stem.endswith("e") and not stem.endswith("ee") else stem
    return verb, third, f"{stem}ing", _past(verb)


_BASES = (*_REGULAR.split(), *_IRREGULAR, "debug", "transfer", "commit", "refer", "tag", "pad")
# Any form of a known verb → its base.
BASES: Final[Mapping[str, str]] = {form: verb for verb in _BASES for form in _forms(verb)}
_DENIAL = pattern(
    r"(?:do not|don't|don’t|dont|does not|doesn't|never|always|no longer|only)\s+(?=\w)"
)
_BY_ADVERB = pattern(
    r"(?:also|actually|again|really|properly|correctly|explicitly|temporarily|finally|just|simply"
    r"|better|partially|completely|fully|silently|safely|automatically|conditionally|gracefully"
    r"|immediately|lazily|optionally|now)\s+"
)
# Verbs that are nouns as often: "Cache entries are stale" says nothing about what we did.
_NOUNS = _set(
    "address block buffer cache call change check clone collapse count cover crash default"
    " delay dump error estimate exit export fall fetch filter flag fork format function"
    " group guard handle index import initial label launch limit link list load lock log"
    " map mark mask match measure merge mirror move name order output pack park pass patch"
    " pin pipe poll port prefix process pull push quote read release report request return"
    " reserve retry round route run scan schedule scope search set share show signal"
    " snapshot sort split start stash stop store stream support surface switch sync test"
    " throttle toggle track trade trigger trust try turn update upgrade use walk watch"
    " work wrap write yield build cut find form open free trim"
)
_STATES = pattern(
    r"(?:[^\s,;:]+\s+){0,6}?(?:is|are|was|were|isn't|aren't|will|won't|should|must|can|cannot"
    r"|can't|could|does"
    r"|doesn't|has|have|had|would|may|might|now|no longer|fails?|crash(?:es)?|returns?|needs?)\b"
)
_IS = pattern(r"\b(?:is|are|was|were|will|now|should|must|can|cannot|has|have|does|doesn't)\b")
_DOING = pattern(r" [a-z]{2,20}ing\b")  # "stop sending"
_PREFIXES = (
    "re",
    "un",
    "de",
    "dis",
    "pre",
    "mis",
    "over",
    "auto",
    "co",
    "sub",
    "re-",
    "un-",
    "de-",
)
_FIRST = pattern(r"([A-Za-z]+(?:-[a-z]+)?)(?=[\s,]|\Z)")
_CHANGE = pattern(
    r"(?:this|the|these|following|current) (?:[a-z]+ )?"
    r"(?:commit|change|changes|changeset|patch|patches|pr|pull request|merge request|series"
    r"|update|fix)s? (?:also |now |will |just |simply |should |does )*"
)


def first_verb(text: str) -> str:
    """Return the base of the verb that a text starts with; empty if it starts with none."""
    text = _skip_adverb(text)
    denial = _DENIAL.match(text.lower())
    if denial:
        return "do not" if denial[0].startswith(("d", "n")) else "always"
    return _verb_at(text)[0]


def is_order(text: str) -> bool:
    """Whether a text starts with a verb that is no noun, as in "fix", but not "crash"."""
    word = _FIRST.match(text)
    return bool(word and first_verb(text) and word[1].lower() not in _NOUNS)


def _verb_at(text: str) -> tuple[str, str]:
    """Return the base of the verb that a text starts with, and what follows it."""
    word = _FIRST.match(text)
    if not word or (word[1].isupper() and len(word[1]) > 1) or word[1] == "BREAKING":
        return "", text
    said, rest = word[1].lower(), text[word.end() :]
    base = BASES.get(said, "")
    if not base:  # "reprocess", "unhide"
        for prefix in _PREFIXES:
            if said.startswith(prefix) and (inner := BASES.get(said[len(prefix) :], "")):
                base = prefix + inner
                break
    if not base or base == "be":
        return "", text
    if (
        base in _NOUNS
        and said[-2:] != "ed"
        and not _DOING.match(rest)
        and (_STATES.match(rest.lstrip()) or rest.startswith((" for ", " of ")))
    ):
        return "", text
    if said.endswith("ing") and _IS.search(rest):  # "Passing X is deprecated" is a statement
        return "", text
    return base, rest


_THIRD = frozenset(form for verb in _BASES if verb not in _NOUNS for form in (_forms(verb)[1],))


def has_verb(text: str) -> bool:
    """Whether a word after the first is a known verb, as in "the owner decides"."""
    return any(word.strip(",.;:`") in _THIRD for word in text.split()[1:])


def said_of_change(sentence: str) -> str:
    """Return "This commit removes X" as "removes X"; empty if it is not about the change."""
    about = _CHANGE.match(sentence.lower())
    said = sentence[about.end() :] if about else ""
    return said if first_verb(said) else ""


def _skip_adverb(text: str) -> str:
    adverb = _BY_ADVERB.match(text.lower())
    return text[adverb.end() :] if adverb else text
