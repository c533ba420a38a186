"""Redaction: remove what must not be stored, before anything is written.

    text ──► drop <private> ──► home paths become ~ ──► find secrets ──► mark, mask, block or warn

`tokens` and `rules` define what to look for, `values` distinguishes a secret from ordinary text,
`homes` handles what is private without being a secret, and `redactor` is the loop.
"""
