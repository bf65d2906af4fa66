"""The tables of an export: what each field means, and what reads its rows. The README is made of these same words."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from humaneval.models import Study
from humaneval.results.exports import rows
from humaneval.results.exports.rows import Row

WHO: Final = {
    "participant": "The participant's code, such as P-01.",
    "position": "The place of the question in the participant's session, from 1.",
    "id": "The question's id in the benchmark; empty for an attention check.",
}


@dataclass(frozen=True)
class Table:
    """One table: its name, what a row is, its fields with what they mean, and how to read its rows."""

    name: str
    about: str
    fields: Mapping[str, str]
    rows: Callable[[Study], Iterator[Row]]
    personal: bool = False
    """Whether it says who somebody is: left out unless it is asked for."""
    graded: bool = False
    """Whether it tells about the reference answers: left out where the reader may not see that."""


def tables_of(*, with_contacts: bool, with_grades: bool) -> list[Table]:
    """The tables of an export."""
    return [table for table in TABLES if (with_contacts or not table.personal) and (with_grades or not table.graded)]


TABLES: Final = (
    Table(
        "participants",
        "Everybody who came, by code. Previews by maintainers are left out.",
        {
            "participant": WHO["participant"],
            "counts": "Whether the answers count: consented, not excluded, not withdrawn.",
            "joined_at": "When the link was first used.",
            "consented_at": "When the consent text was agreed to.",
            "consent_version": "Which consent text that was; study.json has them all.",
            "declined_at": "When it was declined.",
            "instructed_at": "When the instructions were left behind.",
            "practised_at": "When the practice question was left behind.",
            "finished_at": "When the participant finished.",
            "withdrawn_at": "When the participant withdrew; the answers are there only where they are kept anonymised.",
            "dropped_at": "When a maintainer gave up on the participant, and the seat became free.",
            "excluded_at": "When a maintainer excluded the participant: the answers are kept and do not count.",
            "exclusion_reason": "Why.",
            "extended_until": "Until when the participant may answer, if longer than the study is open.",
            "last_seen_at": "The last sign of the participant.",
            "n_questions": "Questions given.",
            "n_answered": "Of these, with an answer that is not blank.",
            "n_done": "Of these, marked done.",
            "n_attention_checks": "Attention checks given.",
            "n_attention_checks_passed": "Of these, passed: one of the expected answers stands in the text.",
            "active_seconds": "Seconds in which a question was visible and used within the last 60 s, all questions.",
        },
        rows.participants_rows,
    ),
    Table(
        "answers",
        "Every question given, with the answer as it stands.",
        {
            **WHO,
            "counts": "Whether it is in the answer set: the participant counts, it is a question, and not blank.",
            "question": "The question's text, or the attention check's.",
            "answer": "The answer as it stands; empty if there is none.",
            "version": "How many times it was saved.",
            "done": "Whether it is marked done.",
            "skipped": "Whether it was skipped.",
            "attention_check_passed": "Of an attention check whether it was passed; empty for a question.",
            "note": "What the participant noted.",
        },
        rows.answers_rows,
    ),
    Table(
        "revisions",
        "Every saved version of every answer.",
        {
            **WHO,
            "version": "From 1.",
            "saved_at": "When the server had it.",
            "typed_at": "When it was typed by the browser's clock, if it was sent later.",
            "answer": "The whole text.",
        },
        rows.revisions_rows,
    ),
    Table(
        "visits",
        "Every article opened in the reader, or reported as read elsewhere.",
        {
            **WHO,
            "article": "The how-manieth different article of the question it is, from 1.",
            "again": "Whether it was opened before for the same question.",
            "origin": "How it was come to: result, suggestion, link, back, or reported (read elsewhere, as told).",
            "search": "The number of the search (in the table searches) whose result it was.",
            "rank": "The place among the results, from 1.",
            "title": "Its title.",
            "page_id": "MediaWiki's page id, where the source knows it.",
            "revision_id": "MediaWiki's revision id, where the source knows it.",
            "url": "Its address.",
            "opened_at": "When it was opened, or reported.",
            "visible_seconds": "How long it was visible.",
            "scrolled_share": "The furthest seen, 0 to 1.",
            "used": "Whether the participant ticked it as used.",
            "necessary": "Whether it is of the question's necessary evidence.",
            "note": "What the participant noted.",
        },
        rows.visits_rows,
    ),
    Table(
        "searches",
        "Every search that was sent. Suggestions while typing are not kept.",
        {
            **WHO,
            "search": "Its number among the searches for the question, from 1.",
            "kind": "encyclopedia, or passages: of one article.",
            "query": "What was searched for.",
            "article": "The article, where passages were searched.",
            "n_results": "How much was found.",
            "at": "When.",
        },
        rows.searches_rows,
    ),
    Table(
        "timings",
        "How long each question took, by the server's clock.",
        {
            **WHO,
            "opened_at": "When the question was first opened.",
            "first_saved_at": "When an answer was first saved.",
            "last_saved_at": "When it was last saved.",
            "done_at": "When it was marked done.",
            "skipped_at": "When it was skipped.",
            "open_seconds": "Between opening it and marking it done or skipping it, pauses of days included.",
            "active_seconds": "Of these, seconds with the page visible and used within the last 60 s.",
        },
        rows.timings_rows,
    ),
    Table(
        "measures",
        "What the visits say of each answer, against the question's necessary evidence. Articles are compared by "
        "MediaWiki's page id where both have one, otherwise by title.",
        {
            **WHO,
            "n_necessary": "Different articles of the necessary evidence.",
            "n_necessary_visited": "Of these, visited.",
            "n_visited": "Different articles visited or reported.",
            "n_reported": "Of these, those only reported.",
            "n_used": "Of these, those ticked as used.",
            "n_searches": "Searches of the encyclopedia.",
            "n_passage_searches": "Searches of passages.",
            "recall": "n_necessary_visited / n_necessary; empty where there is no evidence.",
            "precision": "Necessary articles among those visited; empty where nothing was visited.",
            "recall_used": "Necessary articles ticked as used / n_necessary.",
            "seconds_to_first_necessary": "Between opening the question and opening the first necessary article.",
            "first_necessary_article": "The how-manieth different article that was, from 1.",
            "order": "The necessary articles visited, in the order of their first visit.",
            "missed": "The necessary articles that were not visited.",
        },
        rows.measures_rows,
    ),
    Table(
        "grades",
        "What each answer of the latest answer set scored. Empty until that is scored.",
        {
            "participant": WHO["participant"],
            "id": "The question's id in the benchmark.",
            "metric": "The metric.",
            "score": "The name of the score.",
            "value": "The answer's own value; the study's score is the mean of these.",
            "signature": "How it was computed. Values of different signatures are not comparable.",
        },
        rows.grades_rows,
        graded=True,
    ),
    Table(
        "contacts",
        "Who is who: mail addresses and reward receipts by code. Delete it once it is not needed.",
        {
            "participant": "The participant's code; empty if the link was not used yet.",
            "email": "The address that the link was made for.",
            "label": "The maintainer's label of the link.",
            "receipt": "The code on the participant's receipt, by which a reward is given.",
        },
        rows.contacts_rows,
        personal=True,
    ),
)
