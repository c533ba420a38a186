"""Lists of what a release changed: several things, of which none is explained."""

from __future__ import annotations

from tests.importing.readings import items_of
from tests.sandbox import Sandbox

_LISTED = (
    "## [v3.5.4](https://example.org/v3.5.4) (2026-01-05)\n"
    "[All Commits](https://example.org/v3.5.3...v3.5.4)\n\n"
    "**Bug fixes:**\n"
    "- **[acme]** Bump example.org/lego/v4 to v4.27.0 ([#12](https://example.org/12) @ada)\n"
    "- **[tls]** Add timeout to avoid a deadlock of the handshake"
    " ([#13](https://example.org/13) @bob)\n"
    "- **[web]** Upgrade to node 22.9 to fix vulnerabilities"
    " ([#14](https://example.org/14) @ada)\n\n"
    "**Documentation:**\n"
    "- Clarify the security note of the plugin ([#15](https://example.org/15) @bob)\n"
)


def test_the_list_of_a_release_is_no_memory(sandbox: Sandbox) -> None:
    """Under a label, with a link above it, it was one memory with the first item as its title."""
    items = items_of(sandbox, {"CHANGELOG.md": _LISTED})
    assert not [title for title in items if "Bug fixes" in title or "Bump" in title]


def test_nor_is_one_below_an_item(sandbox: Sandbox) -> None:
    """The title of an entry is not what is nested in it."""
    text = (
        "## 3.5.4 (2026-01-05)\n\n### Removed\n\n- Bug fixes:\n"
        "  - Add a timeout to avoid a deadlock of the handshake, which could hang\n"
        "  - Remove the cache because it caused crashes and corrupted data\n"
    )
    assert items_of(sandbox, {"CHANGELOG.md": text}) == {}


def test_one_entry_that_gives_its_reason_still_is(sandbox: Sandbox) -> None:
    """Also among others, below a label."""
    kept = "Removed support for carts in cookies"
    text = _LISTED.replace(
        "**Documentation:**",
        f"**Breaking changes:**\n- {kept}. They made every page wait for a lock, which could lead"
        " to a deadlock, because each server had a key of its own.\n\n**Documentation:**",
    )
    assert list(items_of(sandbox, {"CHANGELOG.md": text})) == [f"{kept} (3.5.4)"]


def test_what_stands_above_the_lists_still_is(sandbox: Sandbox) -> None:
    """That is what the authors of a release stress."""
    text = _LISTED.replace(
        "**Bug fixes:**",
        "This release removes the old parser, because it was unmaintained and could crash on"
        " malformed input. Files in the old format are no longer read.\n\n**Bug fixes:**",
    )
    (title,) = items_of(sandbox, {"CHANGELOG.md": text})
    assert title.startswith("Release 3.5.4 removes the old parser")


def test_a_pointer_to_a_guide_tells_nothing(sandbox: Sandbox) -> None:
    """A number of a hole is a reason only with what it says."""
    text = (
        "## 3.6.4 (2026-01-05)\n\n**Security:**\n- CVE-2026-66490 (Advisory GHSA-gm3x-23wp-hc2c):"
        " **Breaking Change** please read the [migration guide](https://example.org/v3/).\n"
    )
    assert items_of(sandbox, {"CHANGELOG.md": text}) == {}
