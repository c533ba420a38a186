"""Wishes in plain German, French, Spanish, Italian, Portuguese and Dutch, without a model."""

from __future__ import annotations

import pytest

from recollect.capture.requests import find_requests
from recollect.hook_client import asks
from recollect.hosts.protocol import PROMPT

WISHES = [
    ("Merk dir, dass die API limitiert ist.", "Die API limitiert ist"),
    ("fix den test\nmerk dir bitte: wir deployen nur freitags", "Wir deployen nur freitags"),
    ("merk dir das wir kein redis haben", "Wir kein redis haben"),
    ("Die Zeiten sind in UTC. Merk dir das bitte.", "Die Zeiten sind in UTC"),
    ("merk dir für die nächste Session: Port 5433", "Port 5433"),
    ("schreib dir auf, dass Petra nur Automatik fährt", "Petra nur Automatik fährt"),
    ("keine Mocks im Store. schreib dir das hinter die ohren :)", "Keine Mocks im Store"),
    ("Vergiss nicht, dass Brest nur lesbar ist.", "Brest nur lesbar ist"),
    ("denk dran: nie auf main pushen", "Nie auf main pushen"),
    ("fix das und ab jetzt bitte nur noch pnpm", "Nur noch pnpm"),
    ("commits auf deutsch ab jetzt", "Commits auf deutsch"),
    ("Künftig immer erst den Linter laufen lassen.", "Immer erst den Linter laufen lassen"),
    ("Retiens que la base de Brest est lente.", "La base de Brest est lente"),
    ("corrige et retiens bien qu'on ne livre pas le lundi", "On ne livre pas le lundi"),
    ("Les dates sont au format ISO. N'oublie pas ça.", "Les dates sont au format ISO"),
    ("À partir de maintenant, utilise pnpm.", "Utilise pnpm"),
    ("arregla el test y recuerda que no usamos mocks", "No usamos mocks"),
    ("Los precios van sin IVA. No lo olvides.", "Los precios van sin IVA"),
    ("Acuérdate de que el runner no tiene Docker", "El runner no tiene Docker"),
    ("Anótate que los precios van sin IVA", "Los precios van sin IVA"),
    ("a partir de ahora usa pnpm", "Usa pnpm"),
    ("Ricordati che la produzione non si tocca.", "La produzione non si tocca"),
    ("D'ora in poi usa solo pnpm.", "Usa solo pnpm"),
    ("lembre-se de que o layout é da Ivone", "O layout é da Ivone"),
    ("onthoud dat de server alleen leest", "De server alleen leest"),
]


@pytest.mark.parametrize(("text", "kept"), WISHES)
def test_a_plain_wish_is_kept(text: str, kept: str) -> None:
    """Also by a cold hook, and at once: the test of bytes lets it through."""
    assert [one.content for one in find_requests(text, learned=False)] == [kept]
    assert asks(PROMPT, text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "merk dir das nicht, ist nur ein test",
        "merk dir das Passwort in der Session-Variable",
        "Merk dir, wo der Cursor war, wenn das Fenster neu lädt",
        "Die App soll sich die letzte Seite merken",
        "vergiss das passwort",
        "denk dran das Fenster zu schließen",
        "Ab jetzt schlägt der Test fehl, warum?",
        "ab jetzt vielleicht kafka",
        "Ab jetzt nennst du mich Exzellenz, haha, Quatsch.",
        "In Zukunft wollen wir skalieren",
        "n'oublie pas le fichier de config",
        "je retiens que le cache est lent",
        "Désormais le build échoue",
        "no recuerda que tiene que guardar",
        "el cliente no lo olvida nunca",
        "non ricorda la pagina",
    ],
)
def test_what_only_sounds_alike_is_not(text: str) -> None:
    """Of programs, of others, for the moment, or what begins to fail."""
    assert find_requests(text, learned=False) == []
