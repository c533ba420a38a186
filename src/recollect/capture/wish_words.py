"""Classes of words that people use when they ask an agent to remember something.

The wish model (`capture/wish_model.py`) learns from whole words and from these classes, so that it
also understands a wording that no training prompt has: "chisel that into your skull" has the same
classes as "write that into your memory". A word belongs to the first class that lists it.
"""

from __future__ import annotations

from functools import cache

_WORDS = {
    "keep": """remember rember remeber rememeber remembering memorize memorise keep keeps keeping
        kept retain retaining note noting noted jot jotting write writing store storing stored save
        saving saved stash stashing file filing log logging record recording hang hold holding
        commit burn drill etch tattoo engrave carve chisel hammer bake stick sticking put putting
        pin pinning park tuck bank capture capturing preserve persist learn learned absorb
        internalize internalise carry bear register mark scribble bookmark lock cement ingrain soak
        wire hardwire hardcode imprint stamp paste glue nail add adding track update tag stow
        squirrel treasure shelve lodge brand plant engrained seared sear take taking""",
    "memory": """memory memories brain brains head skull noggin mind notes notebook notepad
        knowledge books cheat playbook longterm recall context diary journal wall neurons
        synapses cortex mem cranium tank ledger vault archive archives dossier crib
        logbook reference""",
    "later": """later future tomorrow forever permanently permanent always henceforth hereafter
        onwards onward forward eternity sessions session chats conversations forevermore evermore
        indefinitely weeks months good subsequent next whenever anytime someday eventually lasting
        standing perpetuity""",
    "repeat": """twice repeat repeating repeated again third fourth fifth tenth umpteenth told
        telling tell reminding remind reminded reminder reminders explained explaining explain
        saying""",
    "this": """this that it these those following one ones thing things fact facts bit nugget piece
        info information detail details tidbit""",
    "you": "you your yourself u ur claude",
    "rule": """rule rules convention conventions policy law laws gospel guideline guidelines default
        defaults habit principle canon commandment doctrine mantra protocol norm norms decree
        agreement standard""",
    "forget": """forget forgets forgetting forgotten lose losing slip drop dropping lapse overlook
        evaporate vanish fade escape""",
    "know": "know knowing aware fyi heads worth useful handy need needs should",
    "no": """don't dont not never no without won't wont can't cannot doesn't didn't shouldn't stop
        isn't needn't""",
    "ask": "please pls plz kindly could would can want wanna like make sure let's lets gotta must",
    "I": "i i'd i'll i've i'm me my we we'd we'll we're we've us our",
    "program": """function method class script component hook handler button checkbox feature option
        flag app page form test tests cache middleware service parser bot command server client
        code browser system tool plugin dialog editor ui api database db table column field cookie
        localstorage redis disk csv json yaml readme changelog docs doc comment ticket jira issue
        pr config wiki docstring settings backend frontend user users modal state queue worker
        endpoint schema model row key bucket keychain env program module struct buffer widget screen
        player game files folder line lines header branch sprint release string variable output
        result results""",
    "question": "do did does how why what when where who which",
}


@cache
def classes() -> dict[str, str]:
    """Return the class of each word."""
    found: dict[str, str] = {}
    for name, words in _WORDS.items():
        for word in words.split():
            found.setdefault(word, name)
    return found
