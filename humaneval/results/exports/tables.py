"""The tables of an export: for each field its name, its meaning, which the README tells, and how its value is read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from humaneval.models import Kind, Mark, Study, Vote
from humaneval.results.exports import read
from humaneval.results.pair_choices import category_of
from humaneval.results.pair_outcome import FOR_LEFT
from humaneval.studies.evidence_measures import passes_check

CODE: Final = "The participant's code, such as P-01."
POSITION: Final = "The position of the question in the participant's session, from 1."
ITEM: Final = "The item's key, such as I-00001."
PAIR: Final = "The pair's key, such as I-00001."
FIRST_SET: Final = "The id of the answer set of the first answer."
SECOND_SET: Final = "The id of the answer set of the second answer."


class Field(NamedTuple):
    """One field of a table."""

    name: str
    meaning: str
    value: str | Callable[[Any], Any] = ""
    """An attribute of what the table reads for a row, such as ``item.key``, or a function of it; empty: the attribute
    `name`. An attribute of None is None."""
    graded: bool = False
    """As `Table.graded`, of this field alone."""

    def of(self, thing: Any) -> Any:
        if callable(self.value):
            return self.value(thing)
        for name in (self.value or self.name).split("."):
            thing = getattr(thing, name) if thing is not None else None
        return thing


@dataclass(frozen=True)
class Table:
    """One table: its name, the meaning of a row, its fields, and the function that reads what a row is about."""

    name: str
    about: str
    fields: tuple[Field, ...]
    read: Callable[[Study], Iterable[Any]]
    personal: bool = False
    """Whether the table identifies people: omitted unless requested."""
    graded: bool = False
    """Whether the table reveals reference answers: omitted if the reader may not see those."""
    kind: Kind | None = None
    """The type of study that has it; None for every type."""

    def rows(self, study: Study) -> Iterator[dict[str, Any]]:
        """The rows: values by the names of the fields, in their order."""
        for thing in self.read(study):
            yield {field.name: field.of(thing) for field in self.fields}


COUNTS: Final = Field(
    "counts",
    "Whether it counts: it is finished, the participant neither excluded nor withdrawn, and the study's rule about "
    "named answers keeps it.",
    lambda row: row.by_counted and row.is_complete,
)
NAMED: Final = Field(
    "named",
    "Whether the participant said that an answer told them who wrote it; study.json has the rule, under “on_named”.",
    lambda row: row.named_at is not None,
)


def table(name: str, about: str, read: Callable[[Study], Iterable[Any]], *fields: Field, **flags: Any) -> Table:
    """One table, its fields last."""
    return Table(name, about, fields, read, **flags)


def tables_of(*, with_contacts: bool, with_grades: bool, kind: str = Kind.ANSWER) -> list[Table]:
    """The tables of an export of a study of a type."""
    return [
        replace(table, fields=tuple(field for field in table.fields if with_grades or not field.graded))
        for table in TABLES
        if (with_contacts or not table.personal) and (with_grades or not table.graded) and table.kind in (None, kind)
    ]


def _who(path: str = "") -> tuple[Field, ...]:
    """The fields that say which assignment a row is about; *path* leads to the assignment."""
    meaning = "The question's id in the benchmark (of a text to rate, its own id); empty for an attention check."
    return (
        Field("participant", CODE, f"{path}participant.code"),
        Field("position", POSITION, f"{path}position"),
        Field("id", meaning, f"{path}qid"),
    )


def _for_first(choice: str, swapped: bool) -> float:
    for_left = FOR_LEFT[choice]
    return 1 - for_left if swapped else for_left


def _votes_for(vote: Vote, item: Any) -> int | None:
    return item.outcome.votes[vote] if item.outcome is not None else None


def _critique(place: str, part: str, missing: Any) -> Callable[[Any], Any]:
    """Reads a score or a kind of mark of the answer on the left or right from an assignment's critique."""
    return lambda row: row.critique.get(place, {}).get(part, missing)


OF_ASSIGNMENT: Final = _who()
OF_ANSWER: Final = _who("assignment.")
ANSWER_SET: Final = Field("answer_set", "The number of the answer set on the page *Scores*, from 1.", "number")
OF_SCORE: Final = (
    Field("participant", CODE),
    Field("id", "The question's id in the benchmark."),
    Field("metric", "The metric.", "run.name"),
    Field("score", "The name of the score.", "score.key"),
    Field("value", "The score of the answer; the study's score is the mean of these by their weights."),
    Field("signature", "How it was computed. Different signatures are not comparable.", "score.signature"),
    Field("weight", "What the answer counts in the mean; 1 if all count alike."),
    Field("cluster", "The question's cluster, for intervals; the question itself if the benchmark has none."),
    Field("share", "Whether the score is a share, 0 to 1."),
)
TABLES: Final = (
    table(
        "participants",
        "One row per participant, by code. Previews by maintainers are omitted.",
        read.participants,
        Field("participant", CODE, "code"),
        Field("counts", "Whether the answers count: consented, not excluded by hand or by a rule, not withdrawn."),
        Field("joined_at", "When the participant joined."),
        Field("consented_at", "When the participant first gave consent."),
        Field("consent_version", "Number of the last consent text in study.json they agreed to.", "consent.number"),
        Field("agrees_to_publication", "Whether their answers may be published word for word; empty if not asked."),
        Field("declined_at", "When the participant declined consent."),
        Field("instructed_at", "When the participant completed the instructions."),
        Field("practised_at", "When the participant completed or skipped the practice question."),
        Field("test_attempts", "Attempts at the test: right answers, of how many, whether it passed.", "attempts"),
        Field("finished_at", "When the participant finished."),
        Field("withdrawn_at", "When the participant withdrew; answers are here if the consent text anonymises them."),
        Field("dropped_at", "When a maintainer marked the participant as dropped out, which frees the seat."),
        Field("excluded_at", "When a maintainer excluded the participant. Their answers are stored but do not count."),
        Field("exclusion_reason", "The reason."),
        Field(
            "excluded_by",
            "The rule of the study that excludes the participant, declared before the first one consented; study.json "
            "has all rules, under “exclusion_rules”. Empty if none does.",
            "rule",
        ),
        Field(
            "outcome",
            "How taking part ended: done, failed_checks, screened_out or timed_out; empty if it has not, or if the "
            "participant left or was excluded by hand.",
        ),
        Field(
            "platform_pseudonym",
            "Stands for the participant's ID on the platform that recruited them: the same ID has another pseudonym in "
            "another study. Empty after a withdrawal.",
            lambda row: row.platform_key if row.withdrawn_at is None else None,
        ),
        Field("extended_until", "The participant's deadline, if later than the study's closing time."),
        Field("last_seen_at", "When the participant was last active."),
        Field("n_questions", "Number of assigned questions.", "n_asked"),
        Field("n_answered", "Of these, answered with a non-blank text."),
        Field("n_done", "Of these, marked done."),
        Field("n_attention_checks", "Number of assigned attention checks.", "n_checks"),
        Field(
            "n_attention_checks_passed",
            "Of these, passed: the text states one of the accepted answers, and the check was not skipped.",
            "n_checks_passed",
        ),
        Field(
            "active_seconds",
            "Seconds with a question visible and used within the last 60 s, over the questions for "
            "which they were measured; empty if for none.",
        ),
        Field("seconds", "Seconds from the first consent to finishing, with breaks; empty if they have not finished."),
    ),
    table(
        "answers",
        "One row per assigned question, with the current answer.",
        read.answers,
        *OF_ASSIGNMENT,
        Field(
            "counts",
            "Whether the answer is in the answer set: the participant counts, it answers a question, is not "
            "blank, and is finished, unless the study counts unfinished answers.",
            lambda row: row.by_counted and row.attention_check is None and row.is_complete,
        ),
        Field("question", "The text of the question or attention check.", "asked_text"),
        Field("answer", "The current answer; empty if there is none.", "text"),
        Field("version", "Number of saves."),
        Field("done", "Whether it is marked done.", lambda row: row.done_at is not None),
        Field("skipped", "Whether it was skipped.", lambda row: row.skipped_at is not None),
        Field(
            "attention_check_passed",
            "Whether an attention check was passed: not if it was skipped, or left without an answer by somebody who "
            "finished. Empty for a question, and for a check that is still open.",
            lambda row: passes_check(row, has_finished=row.participant.finished_at is not None),
        ),
        Field("note", "The participant's note."),
        Field("item", "The key of the item, pair or text; empty for a question.", "item.key", graded=True),
    ),
    table(
        "revisions",
        "Every saved version of every answer.",
        read.revisions,
        *OF_ANSWER,
        Field("version", "From 1."),
        Field("saved_at", "When the server received it."),
        Field("typed_at", "When it was typed, by the browser's clock, if it was sent later."),
        Field("answer", "The whole text.", "text"),
    ),
    table(
        "visits",
        "Every article shown in the reader or reported as read elsewhere. Reloads are counted in the visit.",
        read.visits,
        *OF_ANSWER,
        Field("article", "Position among the distinct articles of the question, from 1.", "step.number"),
        Field("again", "Whether the article was opened earlier for the same question.", "step.again"),
        Field(
            "origin",
            "How the article was reached: result, suggestion, link, back, tab, or reported (read "
            "elsewhere, reported by the participant).",
        ),
        Field("search", "The number of the search (in the table searches) that returned it.", "search_number"),
        Field("rank", "Rank among the results, from 1."),
        Field("title", "Title of the article."),
        Field("page_id", "MediaWiki page ID, if the source provides it."),
        Field("revision_id", "MediaWiki revision ID, if the source provides it."),
        Field("url", "URL of the article."),
        Field("opened_at", "When it was opened or reported."),
        Field("visible_seconds", "How long it was visible; empty if unknown (without JavaScript, or read elsewhere)."),
        Field("scrolled_share", "Furthest scroll position, 0 to 1; empty if unknown."),
        Field("used", "Whether the participant marked it as used."),
        Field(
            "necessary",
            "Whether it is one of the question's necessary articles.",
            lambda row: row.step.gold is not None,
        ),
        Field("n_reloads", "How often it was reloaded: loaded again with no other visit or search in between."),
    ),
    table(
        "searches",
        "Every submitted search. Suggestions while typing are not recorded.",
        read.searches,
        *OF_ANSWER,
        Field("search", "Number of the search within the question, from 1.", "number"),
        Field("kind", "encyclopedia, or passages (a search within one article)."),
        Field("query", "The search words."),
        Field("article", "The article, for passage searches."),
        Field("n_results", "Number of results."),
        Field("at", "Time of the search."),
        Field("n_reloads", "How often the results were reloaded with no other visit or search in between."),
    ),
    table(
        "tabs",
        "The articles that are open in the reader's tabs now.",
        read.tabs,
        *OF_ANSWER,
        Field("title", "Title of the article."),
        Field("opened_at", "When the tab was opened."),
        Field("shown_at", "When it was last shown; empty if never."),
        Field("place", "Where the article was left, as a share of its height, 0 to 1."),
    ),
    table(
        "timings",
        "Time spent on each question, by the server's clock.",
        read.timings,
        *OF_ASSIGNMENT,
        Field("opened_at", "When the question was first opened."),
        Field("first_saved_at", "When an answer was first saved.", lambda row: next(iter(row.saves), None)),
        Field("last_saved_at", "When it was last saved.", lambda row: next(reversed(row.saves), None)),
        Field("done_at", "When it was marked done."),
        Field("skipped_at", "When it was skipped."),
        Field("open_seconds", "Seconds from opening to marking done or skipping, including pauses of days."),
        Field(
            "active_seconds", "Of these, with the page seen and used within the last 60 s; empty without JavaScript."
        ),
    ),
    table(
        "measures",
        "Evidence measures of each answer: visited articles compared with the question's necessary articles. "
        "Articles are matched by MediaWiki page ID if both have one, otherwise by title.",
        read.measures,
        *OF_ASSIGNMENT,
        Field("n_necessary", "Distinct necessary articles.", "measures.n_gold"),
        Field("n_necessary_visited", "Of these, visited.", "measures.n_gold_visited"),
        Field("n_visited", "Distinct articles visited or reported.", "measures.n_visited"),
        Field("n_reported", "Of these, only reported.", "measures.n_reported"),
        Field("n_used", "Of these, marked as used.", "measures.n_used"),
        Field("n_searches", "Searches of the encyclopedia.", "measures.n_searches"),
        Field("n_passage_searches", "Searches of passages.", "measures.n_passage_searches"),
        Field("recall", "n_necessary_visited / n_necessary; empty if there is no evidence.", "measures.recall"),
        Field("precision", "Share of necessary articles among the visited ones, if any.", "measures.precision"),
        Field("recall_used", "Necessary articles marked as used / n_necessary.", "measures.recall_used"),
        Field(
            "seconds_to_first_necessary",
            "Seconds from opening the question to opening the first necessary article.",
            "measures.seconds_to_first_gold",
        ),
        Field(
            "first_necessary_article",
            "Position of that article among the distinct articles, from 1.",
            "measures.first_gold_number",
        ),
        Field(
            "order",
            "The necessary articles visited, in order of their first visit.",
            lambda row: list(row.measures.gold_order),
        ),
        Field(
            "missed",
            "The necessary articles that were not visited.",
            lambda row: [gold.title for gold in row.measures.missed],
        ),
    ),
    table(
        "scored_answers",
        "The answers of each answer set that the page *Scores* shows, up to five, the latest last.",
        read.scored_answers,
        ANSWER_SET,
        Field("participant", CODE),
        Field("id", "The question's id in the benchmark.", "qid"),
        Field("withdrawn", "Whether it was withdrawn later."),
        kind=Kind.ANSWER,
    ),
    table(
        "grades",
        "The scores of each answer in the latest answer set. Empty until it is scored.",
        read.grades,
        *OF_SCORE,
        graded=True,
    ),
    table(
        "earlier_grades",
        "The same for the earlier answer sets that the page *Scores* shows.",
        read.earlier_grades,
        ANSWER_SET,
        *OF_SCORE,
        graded=True,
        kind=Kind.ANSWER,
    ),
    table(
        "items",
        "Every item: an answer with a passage that may support it.",
        read.items,
        Field("item", ITEM, "key"),
        Field("id", "The question's id in the benchmark.", "qid"),
        Field("answer", "The answer that was checked.", "candidate"),
        Field("passage_title", "Title of the passage; may be empty."),
        Field("passage_text", "The passage."),
        Field(
            "origin",
            "gold (an answer or alias of the reference), prediction (any other answer of the file), or "
            "injected (a gold answer of another question, added as a wrong answer).",
        ),
        Field("qualification", "Whether it is only for the test before the questions.", "is_qualification"),
        Field("known", "Of a qualification item, whether the passage is known to support the answer.", "supported"),
        *(
            Field(
                f"n_{vote}",
                f"Votes that count for “{vote.label}”; like the following fields, empty for injected items and "
                "qualification items.",
                partial(_votes_for, vote),
            )
            for vote in Vote
        ),
        Field(
            "accepted_by_votes",
            "Whether more than half of the votes accept it; false if more than half reject it; empty otherwise.",
            "outcome.by_votes",
        ),
        Field("in_sample", "Whether the team checks it in a random sample of accepted items.", "outcome.in_sample"),
        Field("checked", "The newest verdict of the team; empty if there is none.", "outcome.checked"),
        Field("accepted", "The final verdict: the team's if there is one, else that of the votes.", "outcome.accepted"),
        graded=True,
        kind=Kind.ITEMS,
    ),
    table(
        "votes",
        "Every current vote on an item.",
        read.votes,
        *OF_ASSIGNMENT,
        Field("item", ITEM, "item.key"),
        Field("vote", "yes (supports the answer), no (does not support it) or unclear (cannot tell).", "text"),
        Field(
            "injected",
            "Whether the answer is an injected wrong one, so that “no” and “unclear” can be defended.",
            "item.is_injected",
        ),
        Field(
            "qualification",
            "Whether the item is only for the test: before version 0.9, the first questions were the test.",
            "item.is_qualification",
        ),
        COUNTS,
        NAMED,
        Field("saved_at", "When the vote was last saved."),
        graded=True,
        kind=Kind.ITEMS,
    ),
    table(
        "checks",
        "Every verdict of the team on an item, in the order of time; the newest counts.",
        read.checks,
        Field("item", ITEM, "item.key"),
        Field("supported", "Whether the passage supports the answer."),
        Field(
            "by",
            "The account; empty if it was deleted.",
            lambda row: row.author.get_username() if row.author is not None else "",
        ),
        Field("made_at", "When it was saved."),
        kind=Kind.ITEMS,
    ),
    table(
        "pairs",
        "Every pair: two answers to a question.",
        read.pairs,
        Field("item", PAIR, "key"),
        Field("id", "The question's id in the benchmark.", "qid"),
        Field("question", "The question.", "question_text"),
        Field("category", "Its first category; empty if it has none.", category_of),
        Field("first", "The system of the first answer.", lambda row: row.systems.get(row.first_set_id, "")),
        Field("second", "The system of the second answer.", lambda row: row.systems.get(row.second_set_id, "")),
        Field("first_answer_set", FIRST_SET, lambda row: str(row.first_set_id)),
        Field("second_answer_set", SECOND_SET, lambda row: str(row.second_set_id)),
        Field("first_answer", "The first answer, as it was shown.", "candidate"),
        Field("second_answer", "The second answer, as it was shown.", "other"),
        Field("injected", "Whether the second answer is an injected wrong one, to another question.", "is_injected"),
        Field(
            "first_is_good",
            "Of an injected pair, whether the first answer is known to be good; if not, “both are bad” is defensible.",
            "supported",
        ),
        Field("first_length", "Characters of the first answer.", lambda row: len(row.candidate)),
        Field("second_length", "Characters of the second answer.", lambda row: len(row.other)),
        Field("names_system", "Whether an answer named its system: choices on the pair are left out.", "named"),
        graded=True,
        kind=Kind.PAIRS,
    ),
    table(
        "choices",
        "Every current choice between two answers.",
        read.choices,
        *OF_ASSIGNMENT,
        Field("item", PAIR, "item.key"),
        Field("swapped", "Whether the second answer was on the left."),
        Field("choice", "left, right, tie (both are equally good) or bad (both are bad).", "text"),
        Field(
            "for_first",
            "The outcome for the first answer: 1 if it was chosen, 0 if the second one was, else 0.5.",
            lambda row: _for_first(row.text, row.swapped),
        ),
        Field(
            "injected",
            "Whether the second answer is an injected wrong one, so that the first one can be defended and, unless "
            "`first_is_good` in the table `pairs`, “bad” too.",
            "item.is_injected",
        ),
        COUNTS,
        Field(
            "left_score",
            "The participant's score of the left answer, 1 to 100; empty if there is none.",
            _critique("left", "score", None),
        ),
        Field("right_score", "That of the right answer.", _critique("right", "score", None)),
        *(
            Field(
                f"{place}_{mark}",
                f"What the participant marked as {mark} of the {place} answer: a list of texts.",
                _critique(place, mark, []),
            )
            for place in ("left", "right")
            for mark in Mark.values
        ),
        NAMED,
        Field("saved_at", "When the choice was last saved."),
        graded=True,
        kind=Kind.PAIRS,
    ),
    table(
        "judge_comparisons",
        "What the judge found on the same systems, on every question of the split. The agreement, the biases and the "
        "corrected win rates of the page *Scores* follow from this table, `pairs` and `choices`.",
        read.judge_comparisons,
        Field("id", "The question's id in the benchmark."),
        Field("first_answer_set", FIRST_SET),
        Field("second_answer_set", SECOND_SET),
        Field(
            "first_shown_first",
            "The outcome for the first answer when it was shown first: 1, 0, or 0.5 for a tie; "
            "empty if the judge's reply has no scores.",
        ),
        Field("second_shown_first", "The same when the second answer was shown first."),
        Field(
            "judged",
            "Whether the judge scored both answers in both orders. If not, and there are outcomes, a system "
            "gave no answer.",
        ),
        Field("both_answered", "Whether both systems answered."),
        graded=True,
        kind=Kind.PAIRS,
    ),
    table(
        "texts",
        "Every text to rate.",
        read.texts,
        Field("item", ITEM, "key"),
        Field("id", "Its id in the file that was loaded.", "name"),
        Field("group", "Its group; participants do not see it."),
        Field("text", "The text.", "passage_text"),
        kind=Kind.RATINGS,
    ),
    table(
        "ratings",
        "Every current answer to a question about a text. study.json has the questions, under “rating_questions”.",
        read.ratings,
        Field("participant", CODE, "participant.code"),
        Field("position", POSITION),
        Field("item", ITEM, "item.key"),
        Field("id", "The text's id in the file that was loaded.", "qid"),
        Field("group", "The text's group.", "item.group"),
        Field("question", "The name of the question.", "asked"),
        Field("answer", "The name of a choice, or a number of a scale.", "answer"),
        Field("score", "What the answer counts in the weighted score, 0 to 100; empty if the question does not count."),
        COUNTS,
        NAMED,
        Field("saved_at", "When the rating was last saved."),
        kind=Kind.RATINGS,
    ),
    table(
        "contacts",
        "Email addresses and receipts by participant code. Delete this table when you no longer need it.",
        read.contacts,
        Field(
            "participant",
            "The participant's code; empty if the link is unused.",
            lambda row: row.participant.code if row.participant is not None else "",
        ),
        Field("email", "The email address of the link."),
        Field("label", "The maintainer's label of the link."),
        Field(
            "receipt",
            "The code on the participant's receipt, as proof of participation for a reward.",
            lambda row: row.participant.receipt_code if row.participant is not None else "",
        ),
        personal=True,
    ),
)
