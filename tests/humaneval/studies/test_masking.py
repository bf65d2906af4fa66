"""Names of systems in answers that people judge: what is masked, and what stays readable."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.utils.html import strip_tags

from humaneval.studies.masking import MASK, masked, masks_of
from leaderboard.web.markdown import read

SENTENCES = [json.loads(line) for line in (Path(__file__).parent / "names_in_answers.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: f"{sentence['system']}: {sentence['text'][:40]}")
def test_a_system_is_masked_where_it_names_itself_and_the_rest_stays(sentence: dict[str, Any]) -> None:
    shown = masked(sentence["text"], masks_of([sentence["system"]]))
    assert [name for name in sentence["hidden"] if name in shown] == []
    assert [text for text in sentence["kept"] if text not in shown] == []
    assert (MASK in shown) == bool(sentence["hidden"])


def test_markup_and_links_around_a_mask_stay_whole() -> None:
    masks = masks_of(["claude-3-opus-20240229"])
    for text, shown in (
        ("**I am Claude**, and it is *Oslo*.", f"**{MASK}**, and it is *Oslo*."),
        ("**I'm** Claude. Oslo.", f"**{MASK}**. Oslo."),
        ("I **am Claude**. *Oslo*", f"{MASK}. *Oslo*"),
        ("- [I am Claude](https://a.example) wrote\n- `Claude 3`", f"- [{MASK}](https://a.example) wrote\n- `{MASK}`"),
        ("<p>I am Claude</p><p>Oslo</p>", f"<p>{MASK}</p><p>Oslo</p>"),
        ("| I am Claude | 3 |", f"| {MASK} | 3 |"),
        ("Claude&nbsp;3&#8209;Opus: 4", f"{MASK}: 4"),
        ("Cla\u200bude 3: 4", f"{MASK}: 4"),
    ):
        assert masked(text, masks) == shown


def test_a_name_that_markdown_splits_is_masked_with_what_splits_it() -> None:
    masks = masks_of(["claude-3-opus-20240229", "gpt-4-0613"])
    for text, shown in (
        ("So says Clau**de** 3, *today*.", f"So says {MASK}, *today*."),
        ("Clau**de-3**, *today*", f"{MASK}, *today*"),
        ("**Clau**de 3 says", f"**{MASK}** says"),
        ("Cl`aude` 3 and C~~la~~ude 3", f"{MASK} and {MASK}"),
        ("&#67;laude 3, Cl&#x61;ude &#51;; AT&amp;T", f"{MASK}, {MASK}; AT&amp;T"),
        ("Claude&hyphen;3 and Claude\\-3 and Cla&#8203;ude 3", f"{MASK} and {MASK} and {MASK}"),
        ("[Claude](https://a.example/b_(c)) 3 wrote", f"{MASK} wrote"),
        ("Claude [3](<https://a.example>) wrote", f"{MASK} wrote"),
        ('Cl[au](https://a.example "A title")de 3 wrote', f"{MASK} wrote"),
        ("Claude[^1] 3 wrote", f"{MASK} wrote"),
        ("I am Clau**de**, an AI. See [Oslo](https://a.example).", f"{MASK}. See [Oslo](https://a.example)."),
        ("Claude [3](https://a.example/claude-3) [Claude](https://a.example) 3", f"{MASK} {MASK}"),
        ("3 * 4 and [Claude Monet](https://a.example) &amp; **Oslo**", None),
    ):
        assert masked(text, masks) == (text if shown is None else shown)
        if shown is not None:
            words = strip_tags(str(read(masked(text, masks)).html)).casefold()
            assert not re.search("claude|gpt", words), words


def test_a_model_that_calls_itself_by_anothers_name_is_masked_and_mentions_of_others_are_not() -> None:
    masks = masks_of(["Quokka RAG"])
    assert masked("I am Claude, made by Anthropic. Four.", masks) == f"{MASK}. Four."
    assert masked("Claude 3.5 was released by Anthropic in 2024.", masks).startswith("Claude 3.5")


def test_texts_of_a_studys_own_are_masked_everywhere_or_as_a_name_only() -> None:
    assert masked("Paris is in France. I am Paris. Paris AI.", ["Paris"]).count(MASK) == 3
    shown = masked("Paris is in France. I am Paris. A lab in Paris.", ["Paris …"])
    assert shown == f"Paris is in France. {MASK}. A lab in Paris."
    assert masked("I am Claude.", []) == "I am Claude.", "nothing is masked without masks"


def test_a_site_adds_families_of_its_own(tmp_path: Path, settings: Any) -> None:
    file = tmp_path / "names.toml"
    file.write_text('[[families]]\nnames = ["Wombatron"]\nordinary = ["Dune"]\nmakers = ["Acme"]\n')
    settings.MODEL_NAMES = str(file)
    assert masked("Wombatron-2 by night; the dune.", masks_of(["Dune 2"])) == f"{MASK} by night; the dune."
    assert "Acme …" in masks_of(["wombatron large"])
    assert run_checks() == []
    file.with_name("broken.toml").write_text("[[families]]\nname = 3\n")
    settings.MODEL_NAMES = str(file.with_name("broken.toml"))
    assert [message.id for message in run_checks() if message.id == "humaneval.E001"] == ["humaneval.E001"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        *("The river is long. ", "I am a ", "As an AI trained by ", "Claude ", "我是", "GPT-", "*_", "as i ", "[I am "),
        *("Cl**au**de 3, ", "&#67;", "](", "](a(", "[^", "](<", "[Claude](a) 3 "),
    ],
)
def test_answers_of_two_megabytes_take_time_in_proportion_to_their_length(unit: str) -> None:
    masks = masks_of(["claude-3-opus-20240229", "gpt-4-0613"])

    def seconds(n: int) -> float:
        text = unit * (n // len(unit))
        start = time.process_time()
        masked(text, masks)
        return time.process_time() - start

    seconds(20_000)  # compiles
    assert seconds(2_000_000) < 20 * max(seconds(200_000), 0.1)
