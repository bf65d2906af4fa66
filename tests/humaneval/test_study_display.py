"""How texts that people type into studies and rounds are shown."""

import pytest

from humaneval.templatetags.study_display import plain_prose


@pytest.mark.parametrize(
    ("text", "lines", "shown"),
    [
        ("One <b>.\n\n- two\n- three", "", "<p>One &lt;b&gt;.</p>|<ul>|<li>two</li>|<li>three</li>|</ul>|"),
        ("Before:\r\n- a *point*\n  that goes on", "", "<p>Before:</p>|<ul>|<li>a *point*|that goes on</li>|</ul>|"),
        ("Refuses:\n<i>none</i>.", "", "<p>Refuses:|&lt;i&gt;none&lt;/i&gt;.</p>|"),
        ("Refuses:\n<i>none</i>.", "lines", "<p>Refuses:<br>|&lt;i&gt;none&lt;/i&gt;.</p>|"),
        ("• one\n• two", "", "<ul>|<li>one</li>|<li>two</li>|</ul>|"),
        (" \n\n ", "", ""),
    ],
)
def test_typed_text_becomes_paragraphs_and_points_and_lines_where_that_is_asked_for(
    text: str, lines: str, shown: str
) -> None:
    assert plain_prose(text, lines) == shown.replace("|", "\n")


def test_lists_deep_in_each_other_keep_their_texts() -> None:
    nested = "\n".join(f"{'  ' * level}- level {level}" for level in range(14))
    assert "level 13" in plain_prose(nested)
