"""Names in answers: the quick bounds pass over no answer that holds more than a limit."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from scoring.analysis.probing import MANY_NAMES, n_names, padding
from scoring.benchmarks import definition_of

TEXTS = st.text(st.sampled_from("ab1 ._,\n") | st.sampled_from("東京ﬁ½é "), max_size=60)


@given(TEXTS, st.integers(0, 8))
@example("a b c d", 2)  # the shortest ASCII text of three names
@example("a b c", 2)
@example("東京大阪", 2)
@example("½½½½½", 3)
def test_an_answer_is_flagged_if_and_only_if_it_has_more_names(text: str, most: int) -> None:
    definition = replace(definition_of("fanoutqa"), names_without_review=most)
    flagged = [flag.facts["most"] for flag in padding({"q": text}, definition) if flag.code == MANY_NAMES]
    assert flagged == [names for names in [n_names(text)] if names > most]
