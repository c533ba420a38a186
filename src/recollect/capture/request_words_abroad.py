"""The words of wishes in German, French, Spanish, Italian, Portuguese and Dutch: the plain ones.

    Merk dir, dass …  /  Retiens que …  /  Recuerda que …  /  Ricordati che …  /  Ab jetzt …

They are as strict as the English ones in `request_words.py`, and fewer: where an embedder is
loaded, it reads other wordings. Each pattern is for a text in lower case, with or without accents.
"""

from __future__ import annotations

from recollect.capture.request_words import PREFERENCES, Rule
from recollect.core.patterns import pattern

_COLON = r"\s*:(?=\s|\Z)\s*"
_END = r"(?=\s*(?:[.!)]|[:;]-?[)D]|\Z))"


def _then(that: str, more: str) -> str:
    """Return where the content begins, after `that` or a colon; or it stands beside the wish."""
    return rf"(?:{more}){{0,3}}(?:,?\s(?:{that})|{_COLON}|(?P<alone>{_END}))"


_GERMAN_IT = (
    r"(?:,? (?:das|dies|es|eins|folgendes|diese \w{3,12}|(?:zwei|drei) \w{3,12}|bitte|mal|gut|genau"
    r"|unbedingt|auch|noch|doch|immer|dauerhaft|ein für alle mal|(?:für|fuer|fürs|fuers)"
    r" (?:(?:das |die |alle |jedes )?(?:nächste|naechste|weitere)n?"
    r" (?:mal|male|sitzung(?:en)?|session)|später|spaeter|immer|die zukunft)))"
)
# "das" for "dass" only before what begins a clause: "merk dir das Datum" is about a program.
_GERMAN_THAT = (
    r"dass[ ]|das[ ](?=(?:die|der|das|wir|ich|ihr|man|alle|es|er|sie|unser\w*|kein\w*|jede\w*)\b)"
    r"|(?<=, )(?!(?:wo|was|wie|wer|wann|welche\w?|warum|ob|damit|wenn|falls|und|dann)\b)(?=\w)"
)
_GERMAN = (
    rf"\b(?:(?:merke?|notiere?) (?:dir|euch)"
    rf"|schreibe? (?:dir|euch){_GERMAN_IT}{{0,4}} (?:auf|hinter die ohren)"
    rf"|behalte?(?: dir)?{_GERMAN_IT}{{0,4}} im (?:kopf|hinterkopf|gedächtnis)"
    rf"|vergiss{_GERMAN_IT}{{0,3}} (?:nicht|nie(?:mals)?(?: wieder)?)"
    rf"|denke?{_GERMAN_IT}{{0,3}} (?:dran|daran)){_then(_GERMAN_THAT, _GERMAN_IT)}"
)
_FRENCH_IT = (
    r"(?:,? (?:ça|ca|cela|ceci|de ça|de ca|bien|aussi|toujours|s'il (?:te|vous) pla[iî]t|stp|svp"
    r"|pour (?:la suite|toujours|plus tard|la prochaine fois))|-le)"
)
_FRENCH = (
    r"\b(?:retiens|retenez|souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous"
    rf"|n'?oublie[zs]?{_FRENCH_IT}? (?:pas|jamais)"
    rf"|gardez?{_FRENCH_IT}{{0,2}} (?:en t[êe]te|en m[ée]moire|à l'esprit))"
    + _then(r"que[ ]|qu'", _FRENCH_IT)
)
_SPANISH_IT = (
    r"(?:,? (?:esto|eso|de esto|de eso|bien|siempre|nunca|tambi[eé]n|por favor|porfa"
    r"|para (?:siempre|luego|m[aá]s tarde|la pr[oó]xima(?: vez)?)))"
)
_SPANISH = (
    r"\b(?:(?<!\bno )recuerd[ae]|recu[eé]rdalo|acu[eé]rdate|acu[eé]rdese|ap[uú]ntate(?:lo)?"
    r"|an[oó]tate(?:lo)?|no (?:te |lo )?olvides?"
    rf"|(?:ten|tenga|tenlo){_SPANISH_IT}{{0,2}} (?:en cuenta|en mente|presente))"
    + _then(r"(?:de[ ])?que[ ]", _SPANISH_IT)
)
_ITALIAN_IT = (
    r"(?:,? (?:questo|ciò|quello|bene|anche|sempre|mai|per favore"
    r"|per (?:sempre|dopo|la prossima volta)))"
)
_ITALIAN = (
    r"\b(?:ricorda|ricordati|ricordatevi|ricordatelo|segnati|segnatelo|non dimenticarlo"
    r"|non (?:te lo )?(?:dimenticare|dimenticarti|scordare|scordarti)"
    rf"|(?:tieni|tenete|tienilo){_ITALIAN_IT}{{0,2}} (?:a mente|in mente|presente))"
    + _then(r"che[ ]", _ITALIAN_IT)
)
_PORTUGUESE = r"\b(?:lembra-te|lembre-se|n[ãa]o (?:te |se )?esque[çc]as?|tem em mente)" + _then(
    r"(?:de[ ])?que[ ]", r",? (?:d?isto|d?isso|bem|sempre|nunca|por favor)"
)
_DUTCH = r"\b(?:onthoud?|vergeet(?: \w{2,6})? (?:niet|nooit))" + _then(
    r"dat[ ](?=\w)",
    r",? (?:dit|dat(?=[.!:]|\Z)|goed|ook|alsjeblieft|voor (?:later|altijd|de volgende keer))",
)
# What begins to fail is reported, and what may be is not settled.
_NO_ORDER = (
    r"(?!(?:geht|läuft|laeuft|schlägt|klappt|funktioniert|kommt|kommen|ist|sind|war|hat|haben|gibt"
    r"|bekomme|kriege|sehe|échoue|est|sont|a|on a|j'ai|il y a|ne marche|ça ne|fallan?|est[aá]n?"
    r"|es|son|hay|da|tengo|è|sono|ha|non va|non funziona|c'è|é|tem|werkt|is|zijn|krijg|heb)\b)"
    r"(?![^.!?]{0,120}\b(?:vielleicht|eventuell|evtl|peut-être|quiz[aá]s?|forse|talvez|misschien"
    r"|quatsch|scherz)\b)"
)
_ORDER = (
    r"(?=(?:[,:]\s{0,3})?(?:bitte|immer|nie|niemals|nur|kein\w{0,2}|ohne|toujours|jamais|n'utilise|ne"
    r"|plus|utilise|siempre|nunca|usa|no|sempre|mai|non|n[ãa]o|altijd|nooit|geen|gebruik)\b)"
)
_FROM_NOW_ON = (
    r"\b(?:(?:ab (?:jetzt|sofort)|von (?:jetzt|nun) an|[àa] partir de maintenant|dor[ée]navant"
    r"|a partir de (?:ahora|agora)|de (?:ahora|agora|aqu[ií]) en? (?:adelante|diante)"
    r"|d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi) in (?:poi|avanti)"
    r"|de agora em diante|daqui (?:para|pra) (?:a )?frente|vanaf nu|voortaan)\b"
    rf"(?P<alone>(?:,? (?:bitte|stp|svp|por favor|per favore))?{_END})?"
    rf"\s{{0,3}}(?:[,:]\s{{0,3}})?{_NO_ORDER}"
    r"|(?:in zukunft|künftig|kuenftig|zukünftig|d[ée]sormais|[àa] l'avenir|en el futuro|in futuro"
    rf"|no futuro|in het vervolg)\b\s{{0,3}}{_ORDER}(?:[,:]\s{{0,3}})?{_NO_ORDER})(?:bitte )?"
)
_TO_KEEP = (
    (_GERMAN, ("merk", "notier", "schreib", "behalt", "vergiss", "denk")),
    (_FRENCH, ("retiens", "retenez", "souv", "rappel", "oublie", "garde")),
    (_SPANISH, ("recu", "cuérd", "acuerd", "tate", "olvide", " cuenta", " mente", " presente")),
    (_ITALIAN, ("ricord", "segnat", "dimentic", "scordar", " mente", " presente")),
    (_PORTUGUESE, ("lembr", "esque", "tem em mente")),
    (_DUTCH, ("onthou", "vergeet")),
)
RULES: tuple[Rule, ...] = (
    *(Rule("remember", needs, pattern(text)) for text, needs in _TO_KEEP),
    Rule(
        "from now on",
        (
            *("ab jetzt", "ab sofort", "von jetzt", "von nun", "zukunft", "künftig", "kuenftig"),
            *("partir de", "navant", "sormais", "l'avenir", "adelante", "futuro", "d'ora"),
            *(" in poi", " in avanti", "diante", "frente", "vanaf nu", "voortaan", "vervolg"),
        ),
        pattern(_FROM_NOW_ON),
        PREFERENCES,
    ),
)
