"""Redaction: what must not be stored is taken out before anything is written.

    text ──► drop <private> ──► home paths become ~ ──► find secrets ──► mark, mask, block or warn

`tokens` and `rules` say what is looked for, `values` what tells a secret from ordinary text,
`places` knows what is private without being a secret, and `redactor` is the loop.
"""

from recollect.redact.redactor import STRATEGIES, Redaction, Redactor

__all__ = ["STRATEGIES", "Redaction", "Redactor"]
