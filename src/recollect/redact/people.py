"""Personal data: addresses, card numbers, social-security numbers."""

from __future__ import annotations

from recollect.redact.rule import Candidate, compiled

# Addresses of machines, not of people: `git@github.com`, `noreply@anthropic.com`.
_NOBODY = (
    r"(?i)(?:git|hg|svn|noreply|no-reply|donotreply|actions|notifications)@"
    r"|.*@users\.noreply\.github\.com\Z"
)
# Endings that are not domains: `icon@2x.png`, `getty@tty1.service`, `pkg@1.0.0.tgz`.
_NO_DOMAIN = frozenset(
    (  # noqa: SIM905 - words read best as a line
        "css example gif go gz html invalid jpeg jpg js json local localhost lock lts md mjs mount "
        "path png py rs service slice socket sock svg target test tgz timer toml ts txt webp whl "
        "yaml yml zip"
    ).split()
)
_CARD = (
    r"(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d)\d{12}|35\d{14}|3[068]\d{12})\Z"
)


def is_address(found: Candidate) -> bool:
    """Whether an e-mail address is a person's; in a web address it is a message id."""
    value = found.value
    if found.in_web_path:
        return False
    return value.rpartition(".")[2].lower() not in _NO_DOMAIN and not compiled(_NOBODY).match(value)


def is_card(found: Candidate) -> bool:
    """Whether digits are a payment card number: an issuer's prefix and the Luhn checksum."""
    digits = found.value.replace(" ", "").replace("-", "")
    if not digits.isascii() or len(set(digits)) < 2 or not compiled(_CARD).match(digits):
        return False
    doubled = [int(char) * (1 + place % 2) for place, char in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def is_iban(found: Candidate) -> bool:
    """Whether letters and digits are an IBAN, by their checksum."""
    text = found.value.replace(" ", "").upper()
    if not text.isascii() or not 15 <= len(text) <= 34:
        return False
    moved = text[4:] + text[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def is_phone(found: Candidate) -> bool:
    """Whether digits are a telephone number, and not a version, a date or an id."""
    digits = [char for char in found.value if char.isdigit()]
    return found.value.isascii() and 9 <= len(digits) <= 15 and len(set(digits)) > 2


def is_social_security(found: Candidate) -> bool:
    """Whether a number with the right shape is a possible US social-security number."""
    area, group, serial = found.value.split("-")
    return (
        found.value.isascii() and area not in ("000", "666") and group != "00" and serial != "0000"
    )
