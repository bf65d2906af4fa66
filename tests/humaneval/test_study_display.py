"""How texts that people type into studies and rounds are shown."""

import pytest

from humaneval.templatetags.study_display import plain_prose


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One <b>.\n\n- two\n- three", "<p>One &lt;b&gt;.</p><ul><li>two</li><li>three</li></ul>"),
        ("A long\r\nparagraph.", "<p>A long paragraph.</p>"),
        (
            "Before:\n- a point\n  that goes on\nAfter.",
            "<p>Before:</p><ul><li>a point that goes on</li></ul><p>After.</p>",
        ),
        (" \n\n ", ""),
    ],
)
def test_typed_text_becomes_paragraphs_and_points(text: str, shown: str) -> None:
    assert plain_prose(text) == shown


def test_lines_are_kept_apart_where_that_is_asked_for() -> None:
    assert plain_prose("Mark besides:\nRefuses: <i>none</i>.\n\n- a\n- b", "lines") == (
        "<p>Mark besides:<br>Refuses: &lt;i&gt;none&lt;/i&gt;.</p><ul><li>a</li><li>b</li></ul>"
    )
