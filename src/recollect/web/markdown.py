"""The text of a memory as HTML that can do nothing: no script, no style, no image, no form.

`markdown-it` escapes all HTML of the text, and `nh3` lets through only what is on its list. Either
would be enough; a text that gets past one of them meets the other.
"""

from __future__ import annotations

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}
# Deeper headings than those of the page around the text.
_HEADINGS = 2
_MOST_TEXT = 200_000

_reader = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(
    ["table", "strikethrough"]
)


@lru_cache(maxsize=256)
def safe_html(text: str) -> Markup:
    """Return Markdown as harmless HTML."""
    tokens = _reader.parse(text[:_MOST_TEXT])
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + _HEADINGS)}"
    html = _reader.renderer.render(tokens, _reader.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean)  # noqa: S704 - `nh3` made it
