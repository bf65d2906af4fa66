"""How answers are divided into sentences."""

import time

import pytest

from scoring.metrics.cited.sentences import sentences_of


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Built in 1702 [1]. It stands.", ["Built in 1702 [1].", "It stands."]),
        ("Built in 1702.[1][2] It stands. [3]", ["Built in 1702.[1][2]", "It stands. [3]"]),
        ("Dr. A. Berg of the U.S. built it, e.g. with steel. Is it long?", 2),
        ("It cost 3.5 million, says Berg et al. 2020 [1]. Prices rose.", 2),
        ("It ends here. and goes on.", 1),
        ("One line\nthat goes on [1].\n\nAnother paragraph", ["One line that goes on [1].", "Another paragraph"]),
        (
            "# A heading\nText.\n---\n\n| a | b |\n|---|---|\n| Aby [1] | 1702 |",
            ["Text.", "| Aby [1] | 1702 |"],
        ),
        ("| a | b |\n|---|---|\n| Aby [1] | x |\n| - | - |\n| Bro [2] | y |", ["| Aby [1] | x |", "| Bro [2] | y |"]),
        ("It is so:\na | b\n:-- | --:\nAby [1] | 1702", ["It is so:", "Aby [1] | 1702"]),
        ("Code:\n```python\nx = a[0]\n```\nText [1].\n~~~\ny\n~~~", ["Code:", "x = a[0]", "Text [1].", "y"]),
        ("```x``` is code [1].\nIt goes on.", ["```x``` is code [1].", "It goes on."]),
        ("1. First [1].\n2. Second\n- Third", ["First [1].", "Second", "Third"]),
        ("**A claim in bold** [1]\n**Another one**", ["**A claim in bold** [1]", "**Another one**"]),
        ("Text [1].\n\n## References\n[1] Berg 2020.\n2. Aby\n\n## Outlook\nMore.", ["Text [1].", "More."]),
        ("Text [1].\n### 7. References\n- Berg 2020\n## More\n- An item", ["Text [1].", "An item"]),
        ("Text [1].\n**References and further reading:**\n- Berg 2020", ["Text [1]."]),
        ("## Sources and sinks\n- The sea is one [1].", ["The sea is one [1]."]),
        ("Text [1].\n[1] Berg, https://a.example", ["Text [1]."]),
        ("桥建于1702年。[1]它还在！对吗？", ["桥建于1702年。[1]", "它还在！", "对吗？"]),
        ("यह पुल है। यह पुराना है [1]।", ["यह पुल है।", "यह पुराना है [1]।"]),
        ("هل هو قديم؟ نعم [1].", ["هل هو قديم؟", "نعم [1]."]),
        ("橋は古い．[1]３．５ｍだ．", ["橋は古い．[1]", "３．５ｍだ．"]),
        ("[1]\n...\n", []),
        ("", []),
    ],
)
def test_a_text_is_divided_as_a_reader_would(text: str, sentences: list[str] | int) -> None:
    found = sentences_of(text)
    assert (found if isinstance(sentences, list) else len(found)) == sentences


@pytest.mark.parametrize(
    "part",
    [
        "a. ",
        ".",
        "[1] ",
        "A.[1]",
        "**",
        "- [1] x\n",
        ". [1",
        "#  ",
        "x",
        "。",
        ".' ",
        "।",
        "．",
        "|-\n",
        "|",
        "```\n",
        "`",
        " ",
    ],
)
def test_a_hostile_text_takes_no_longer_than_a_long_one(part: str) -> None:
    begin = time.process_time()
    sentences_of(part * (200_000 // len(part)))
    assert time.process_time() - begin < 5
