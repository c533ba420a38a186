"""The small YAML reader reads what PyYAML writes for the headers of the older systems."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.legacy import read_block_yaml, split_legacy

# What a summary or a tag can hold; control characters never passed the older system's checks.
LINES = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc", "Co", "Cn"], exclude_characters="\u2028\u2029\ufeff"
    ),
    min_size=1,
    max_size=120,
).filter(lambda text: text.strip() == text)


@given(
    st.fixed_dictionaries(
        {"summary": LINES, "tags": st.lists(LINES, min_size=1, max_size=4), "phase": LINES}
    )
)
def test_what_pyyaml_dumps_is_read(header: dict[str, object]) -> None:
    """Folded, quoted and escaped scalars and block lists come back as they were."""
    text = yaml.dump(header, default_flow_style=False, allow_unicode=True, sort_keys=False)

    read = read_block_yaml(text)

    # Plain scalars that YAML takes for numbers or dates stay text here; the older system's fields
    # are all text, and PyYAML quotes text that would be read as something else.
    assert read == header


def test_a_rule_in_a_body_opens_no_record() -> None:
    """`---` followed by prose, or by something that is not a whole header, is just a rule."""
    header = "---\ntype: notes\ntimestamp: 2024-01-01T00:00:00Z\nsummary: s\n---\n"
    body = "\nabove\n\n---\n\nbelow\n\n---\nkey: value\n---\n\nend\n"

    parts = list(split_legacy(header + body))

    assert len(parts) == 1
    assert parts[0][0]
    assert parts[0][1].endswith("end")


def test_text_before_the_first_record_is_kept() -> None:
    """Plain text in front of a legacy record is text of its own."""
    header = "---\ntype: notes\ntimestamp: 2024-01-01T00:00:00Z\nsummary: s\n---\n"

    assert list(split_legacy("hello\n\n" + header)) == [
        (False, "hello"),
        (True, header.strip("\n")),
    ]
