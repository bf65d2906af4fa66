"""The tables of an export: the meaning of each field, and the function that reads the rows. The README uses these
texts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from humaneval.models import Kind, Study
from humaneval.results.exports import rows
from humaneval.results.exports.rows import Row

ITEM: Final = "The item's key, such as I-00001."
PAIR: Final = "The pair's key, such as I-00001."
FIRST_SET: Final = "The id of the answer set of the first answer."
SECOND_SET: Final = "The id of the answer set of the second answer."
WHO: Final = {
    "participant": "The participant's code, such as P-01.",
    "position": "The position of the question in the participant's session, from 1.",
    "id": "The question's id in the benchmark (of a text to rate, its own id); empty for an attention check.",
}


@dataclass(frozen=True)
class Table:
    """One table: its name, the meaning of a row, its fields with their meanings, and the function that reads its
    rows."""

    name: str
    about: str
    fields: Mapping[str, str]
    rows: Callable[[Study], Iterator[Row]]
    personal: bool = False
    """Whether it identifies people: omitted unless requested."""
    graded: bool = False
    """Whether it reveals reference answers: omitted if the reader may not see those."""
    kind: Kind | None = None
    """The type of study that has it; None for every type."""


def tables_of(*, with_contacts: bool, with_grades: bool, kind: str = Kind.ANSWER) -> list[Table]:
    """The tables of an export of a study of a type."""
    return [
        table
        for table in TABLES
        if (with_contacts or not table.personal) and (with_grades or not table.graded) and table.kind in (None, kind)
    ]


TABLES: Final = (
    Table(
        "participants",
        "One row per participant, by code. Previews by maintainers are omitted.",
        {
            "participant": WHO["participant"],
            "counts": "Whether the answers count: consented, not excluded, not withdrawn.",
            "joined_at": "When the participant joined.",
            "consented_at": "When the participant gave consent.",
            "consent_version": "Number of that consent text; see study.json.",
            "declined_at": "When the participant declined consent.",
            "instructed_at": "When the participant completed the instructions.",
            "practised_at": "When the participant completed or skipped the practice question.",
            "finished_at": "When the participant finished.",
            "withdrawn_at": "When the participant withdrew. Their answers are included only if the consent text says "
            "they are anonymised.",
            "dropped_at": "When a maintainer marked the participant as dropped out, which frees the seat.",
            "excluded_at": "When a maintainer excluded the participant. Their answers are stored but do not count.",
            "exclusion_reason": "The reason.",
            "extended_until": "The participant's deadline, if later than the study's closing time.",
            "last_seen_at": "When the participant was last active.",
            "n_questions": "Number of assigned questions.",
            "n_answered": "Of these, answered with a non-blank text.",
            "n_done": "Of these, marked done.",
            "n_attention_checks": "Number of assigned attention checks.",
            "n_attention_checks_passed": "Of these, passed: the text contains one of the accepted answers.",
            "active_seconds": "Seconds with a question visible and used within the last 60 s, over the questions for "
            "which they were measured; empty if for none.",
        },
        rows.participants_rows,
    ),
    Table(
        "answers",
        "One row per assigned question, with the current answer.",
        {
            **WHO,
            "counts": "Whether the answer is in the answer set: the participant counts, it answers a question, and it "
            "is not blank.",
            "question": "The text of the question or attention check.",
            "answer": "The current answer; empty if there is none.",
            "version": "Number of saves.",
            "done": "Whether it is marked done.",
            "skipped": "Whether it was skipped.",
            "attention_check_passed": "Whether an attention check was passed; empty for a question.",
            "note": "The participant's note.",
        },
        rows.answers_rows,
    ),
    Table(
        "revisions",
        "Every saved version of every answer.",
        {
            **WHO,
            "version": "From 1.",
            "saved_at": "When the server received it.",
            "typed_at": "When it was typed, by the browser's clock, if it was sent later.",
            "answer": "The whole text.",
        },
        rows.revisions_rows,
    ),
    Table(
        "visits",
        "Every article shown in the reader or reported as read elsewhere. Reloads are counted in the visit.",
        {
            **WHO,
            "article": "Position among the distinct articles of the question, from 1.",
            "again": "Whether the article was opened earlier for the same question.",
            "origin": "How the article was reached: result, suggestion, link, back, tab, or reported (read "
            "elsewhere, reported by the participant).",
            "search": "The number of the search (in the table searches) that returned it.",
            "rank": "Rank among the results, from 1.",
            "title": "Title of the article.",
            "page_id": "MediaWiki page ID, if the source provides it.",
            "revision_id": "MediaWiki revision ID, if the source provides it.",
            "url": "URL of the article.",
            "opened_at": "When it was opened or reported.",
            "visible_seconds": "How long it was visible; empty if unknown (without JavaScript, or read elsewhere).",
            "scrolled_share": "Furthest scroll position, 0 to 1; empty if unknown.",
            "used": "Whether the participant marked it as used.",
            "necessary": "Whether it is one of the question's necessary articles.",
            "note": "The participant's note.",
            "n_reloads": "How often it was reloaded: loaded again with no other visit or search in between.",
        },
        rows.visits_rows,
    ),
    Table(
        "searches",
        "Every submitted search. Suggestions while typing are not recorded.",
        {
            **WHO,
            "search": "Number of the search within the question, from 1.",
            "kind": "encyclopedia, or passages (a search within one article).",
            "query": "The search words.",
            "article": "The article, for passage searches.",
            "n_results": "Number of results.",
            "at": "Time of the search.",
            "n_reloads": "How often the results were reloaded with no other visit or search in between.",
        },
        rows.searches_rows,
    ),
    Table(
        "passages",
        "Every passage or note that a participant saved with an article.",
        {
            **WHO,
            "title": "Title of the article.",
            "page_id": "MediaWiki page ID, if the source provides it.",
            "revision_id": "MediaWiki revision ID, if the source provides it.",
            "url": "URL of the article.",
            "text": "The selected text; empty for a note alone.",
            "note": "The participant's note.",
            "saved_at": "When it was saved.",
            "removed_at": "When the participant removed it from the list, if they did.",
        },
        rows.passages_rows,
    ),
    Table(
        "tabs",
        "The articles that are open in the reader's tabs now.",
        {
            **WHO,
            "title": "Title of the article.",
            "opened_at": "When the tab was opened.",
            "shown_at": "When it was last shown; empty if never.",
            "place": "Where the article was left, as a share of its height, 0 to 1.",
        },
        rows.tabs_rows,
    ),
    Table(
        "timings",
        "Time spent on each question, by the server's clock.",
        {
            **WHO,
            "opened_at": "When the question was first opened.",
            "first_saved_at": "When an answer was first saved.",
            "last_saved_at": "When it was last saved.",
            "done_at": "When it was marked done.",
            "skipped_at": "When it was skipped.",
            "open_seconds": "Seconds from opening to marking done or skipping, including pauses of days.",
            "active_seconds": "Of these, seconds with the page visible and used within the last 60 s; empty if unknown "
            "(without JavaScript).",
        },
        rows.timings_rows,
    ),
    Table(
        "measures",
        "Evidence measures of each answer: visited articles compared with the question's necessary articles. "
        "Articles are matched by MediaWiki page ID if both have one, otherwise by title.",
        {
            **WHO,
            "n_necessary": "Distinct necessary articles.",
            "n_necessary_visited": "Of these, visited.",
            "n_visited": "Distinct articles visited or reported.",
            "n_reported": "Of these, only reported.",
            "n_used": "Of these, marked as used.",
            "n_searches": "Searches of the encyclopedia.",
            "n_passage_searches": "Searches of passages.",
            "recall": "n_necessary_visited / n_necessary; empty if there is no evidence.",
            "precision": "Share of necessary articles among the visited ones; empty if none was visited.",
            "recall_used": "Necessary articles marked as used / n_necessary.",
            "seconds_to_first_necessary": "Seconds from opening the question to opening the first necessary article.",
            "first_necessary_article": "Position of that article among the distinct articles, from 1.",
            "order": "The necessary articles visited, in order of their first visit.",
            "missed": "The necessary articles that were not visited.",
        },
        rows.measures_rows,
    ),
    Table(
        "grades",
        "The scores of each answer in the latest answer set. Empty until it is scored.",
        {
            "participant": WHO["participant"],
            "id": "The question's id in the benchmark.",
            "metric": "The metric.",
            "score": "The name of the score.",
            "value": "The score of the answer; the study's score is the mean of these.",
            "signature": "How the score was computed. Values with different signatures are not comparable.",
        },
        rows.grades_rows,
        graded=True,
    ),
    Table(
        "items",
        "Every item: an answer with a passage that may support it.",
        {
            "item": ITEM,
            "id": "The question's id in the benchmark.",
            "answer": "The answer that was checked.",
            "passage_title": "Title of the passage; may be empty.",
            "passage_text": "The passage.",
            "origin": "gold (an answer or alias of the reference), prediction (any other answer of the file), or "
            "injected (a gold answer of another question, added as a wrong answer).",
            "qualification": "Whether it belongs to the qualification test.",
            "known": "The known outcome of a qualification item: whether the passage supports the answer.",
            "n_yes": "Votes that count for “supports the answer”; this and the following fields are empty for injected "
            "items and qualification items.",
            "n_no": "Votes that count for “does not support it”.",
            "n_unclear": "Votes that count for “cannot tell”.",
            "accepted_by_votes": "Whether more than half of the votes accept it; false if more than half reject it; "
            "empty otherwise.",
            "in_sample": "Whether it is in the random sample of accepted items that the team checks.",
            "checked": "The newest verdict of the team; empty if there is none.",
            "accepted": "The final verdict: the team's if there is one, otherwise that of the votes.",
        },
        rows.items_rows,
        graded=True,
        kind=Kind.ITEMS,
    ),
    Table(
        "votes",
        "Every current vote on an item.",
        {
            **WHO,
            "item": ITEM,
            "vote": "yes (supports the answer), no (does not support it) or unclear (cannot tell).",
            "injected": "Whether the answer is an injected wrong one, so that only “no” is right.",
            "qualification": "Whether the item belongs to the qualification test.",
            "counts": "Whether the participant's votes count: neither excluded nor withdrawn, and qualified.",
            "saved_at": "When the vote was last saved.",
        },
        rows.votes_rows,
        graded=True,
        kind=Kind.ITEMS,
    ),
    Table(
        "checks",
        "Every verdict of the team on an item, in the order of time; the newest counts.",
        {
            "item": ITEM,
            "supported": "Whether the passage supports the answer.",
            "by": "The account; empty if it was deleted.",
            "made_at": "When it was saved.",
        },
        rows.checks_rows,
        kind=Kind.ITEMS,
    ),
    Table(
        "pairs",
        "Every pair: two answers to a question.",
        {
            "item": PAIR,
            "id": "The question's id in the benchmark.",
            "question": "The question.",
            "category": "Its first category; empty if it has none.",
            "first": "The system of the first answer.",
            "second": "The system of the second answer.",
            "first_answer_set": FIRST_SET,
            "second_answer_set": SECOND_SET,
            "first_answer": "The first answer, as it was shown.",
            "second_answer": "The second answer, as it was shown.",
            "injected": "Whether the second answer is an injected wrong one, an answer to another question.",
        },
        rows.pairs_rows,
        graded=True,
        kind=Kind.PAIRS,
    ),
    Table(
        "choices",
        "Every current choice between two answers.",
        {
            **WHO,
            "item": PAIR,
            "swapped": "Whether the second answer was on the left.",
            "choice": "left, right, tie (both are equally good) or bad (both are bad).",
            "for_first": "The outcome for the first answer: 1 if it was chosen, 0 if the second one was, else 0.5.",
            "injected": "Whether the second answer is an injected wrong one, so that the first one is right.",
            "counts": "Whether the participant's choices count: neither excluded nor withdrawn.",
            "left_score": "The participant's score of the left answer, 1 to 100; empty if there is none.",
            "right_score": "That of the right answer.",
            **{
                f"{place}_{name}": f"What the participant marked as {name} of the {place} answer: a list of texts."
                for place in ("left", "right")
                for name in ("strength", "weakness", "missing")
            },
            "saved_at": "When the choice was last saved.",
        },
        rows.choices_rows,
        graded=True,
        kind=Kind.PAIRS,
    ),
    Table(
        "public_votes",
        "Every vote of public voting, in the order of time; empty if it was never opened.",
        {
            "item": PAIR,
            "visitor": "V-1, V-2 and so on: votes with the same cookie.",
            "swapped": "Whether the second answer was on the left.",
            "choice": "As in `choices`.",
            "for_first": "As in `choices`.",
            "seconds": "Seconds from showing the pair to the vote, by the server's clock.",
            "left_out": "Why the vote does not count: fast, one side, one system or address; empty if it does.",
            "made_at": "When it was saved.",
        },
        rows.public_votes_rows,
        graded=True,
        kind=Kind.PAIRS,
    ),
    Table(
        "judge_comparisons",
        "What the judge found on the same systems, on every question of the split. The agreement, the biases and the "
        "corrected win rates of the page *Scores* follow from this table, `pairs` and `choices`.",
        {
            "id": "The question's id in the benchmark.",
            "first_answer_set": FIRST_SET,
            "second_answer_set": SECOND_SET,
            "first_shown_first": "The outcome for the first answer when it was shown first: 1, 0, or 0.5 for a tie; "
            "empty if the judge's reply has no scores.",
            "second_shown_first": "The same when the second answer was shown first.",
            "judged": "Whether the judge scored both answers in both orders. If not, and there are outcomes, a system "
            "gave no answer.",
            "both_answered": "Whether both systems answered.",
        },
        rows.judge_comparisons_rows,
        graded=True,
        kind=Kind.PAIRS,
    ),
    Table(
        "texts",
        "Every text to rate.",
        {
            "item": ITEM,
            "id": "Its id in the file that was loaded.",
            "group": "Its group; participants do not see it.",
            "text": "The text.",
        },
        rows.texts_rows,
        kind=Kind.RATINGS,
    ),
    Table(
        "ratings",
        "Every current answer to a question about a text. study.json has the questions, under “rating_questions”.",
        {
            "participant": WHO["participant"],
            "position": WHO["position"],
            "item": ITEM,
            "id": "The text's id in the file that was loaded.",
            "group": "The text's group.",
            "question": "The name of the question.",
            "answer": "The name of a choice, or a number of a scale.",
            "score": "What the answer counts in the weighted score, 0 to 100; empty if the question does not count.",
            "counts": "Whether the participant's ratings count: consented, neither excluded nor withdrawn.",
            "saved_at": "When the rating was last saved.",
        },
        rows.ratings_rows,
        kind=Kind.RATINGS,
    ),
    Table(
        "contacts",
        "Email addresses and receipts by participant code. Delete this table when you no longer need it.",
        {
            "participant": "The participant's code; empty if the link is unused.",
            "email": "The email address of the link.",
            "label": "The maintainer's label of the link.",
            "receipt": "The code on the participant's receipt, as proof of participation for a reward.",
        },
        rows.contacts_rows,
        personal=True,
    ),
)
