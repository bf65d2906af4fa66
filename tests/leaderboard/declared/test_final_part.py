"""A hidden split that keeps a part of its questions for the end: what is told before it closes, and what follows."""

import datetime
import json
import re
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from leaderboard import disclosure
from leaderboard.board.write import write_marked
from leaderboard.maintenance import benchmark_phases, rescoring, split_ends
from leaderboard.models import AuditRecord, BoardSnapshot, Entry, EntryKind, ReportedValue, System, User
from leaderboard.publishing import flags
from leaderboard.submissions import intake
from leaderboard.submissions.intake import why_refused
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import ImportedBenchmark, import_declaration
from scoring.models import AnswerSet, Question, Revision, Run, Score, Setting, Split, SplitPart
from scoring.models.run_states import RunState
from scoring.queries import target_signatures
from scoring.runs import execution, leases
from scoring.runs.errors import RunUnavailableError
from tests import boards, factories
from tests.chance import without_times
from tests.leaderboard.declared.declared_site import SLUG
from tests.leaderboard.declared.test_short_answers import files
from tests.notices import plain

pytestmark = pytest.mark.django_db
BOARD = f"/{SLUG}/test/closed-book/"
CLOSES = datetime.datetime(2099, 5, 1, 12, tzinfo=datetime.UTC)
CATEGORIES = ("rivers", "towns", "peaks")
N = 120


def folder(
    lines: str = 'final = 0.5\ncloses = "2099-05-01T12:00Z"', *, n: int = N, date: str = "", change: int | None = None
) -> dict[str, bytes]:
    """The folder of a benchmark whose test split has these further lines, and questions in three categories.

    Args:
        change: the number of a question that is worded otherwise.
    """
    made = files("exact-match")
    toml = made["benchmark.toml"].decode()
    before, _, rest = toml.partition("[splits.test]\n")
    if date:
        rest = re.sub(r"date = \S+", f"date = {date}", rest, count=1)
    made["benchmark.toml"] = f"{before}[splits.test]\n{lines}\n{rest}".encode()
    questions = (
        {
            "id": f"test-{number}",
            "question": f"What is written on stone {number}{' now' if number == change else ''}?",
            "answer": f"word{number}",
            "categories": [CATEGORIES[0 if number % 2 else 1 if number % 4 else 2]],
        }
        for number in range(1, n + 1)
    )
    made["questions/test.jsonl"] = "\n".join(map(json.dumps, questions)).encode()
    return made


def imported(*lines: str, **changes: Any) -> ImportedBenchmark:
    return import_declaration(read_declaration(folder(*lines, **changes)))


def split() -> Split:
    return Split.objects.select_related("benchmark", "current_revision").get(benchmark__slug=SLUG, slug="test")


def part(of: str) -> list[str]:
    """The ids of the questions of a part, in their order."""
    questions = Question.objects.filter(revision__current_of__part=of)
    return list(questions.order_by("position").values_list("qid", flat=True))


def answers(public: int, final: int, *, left_out: int = 0) -> dict[str, str]:
    """Answers that are right for so many questions of each part, without the first wrong ones of the public part."""
    given: dict[str, str] = {}
    for qids, right in ((part(SplitPart.PUBLIC), public), (part(SplitPart.FINAL), final)):
        given |= {qid: qid.replace("test-", "word") if place < right else "moss" for place, qid in enumerate(qids)}
    for qid in part(SplitPart.PUBLIC)[public : public + left_out]:
        del given[qid]
    return given


def two_systems() -> tuple[User, User]:
    """Early leads on the public part: 0.7 of it, 0.283 of the rest, 0.492 of all; Late on the other: 0.4, 0.867, 0.633.
    Early left three answers out."""
    ada, bob = factories.user("ada"), factories.user("bob")
    factories.published(ada, split(), {"closed-book": answers(42, 17, left_out=3)}, name="Early")
    factories.published(bob, split(), {"closed-book": answers(24, 52)}, name="Late")
    boards.refresh()
    return ada, bob


PUBLIC = ("0.700", "70.0", "0.7")
KEPT = re.compile(r"(?<![\d.])(0?\.283|28\.3|0?\.492|49\.2|0?\.867|86\.7|0?\.633|63\.3)")
"""What the parts that are kept for the end, and all questions, would be told by."""


def tells_what_is_kept(text: str) -> bool:
    """Whether a page or file has such a number; times of day, and the places of points in charts, are none."""
    read = re.sub(r"<svg.*?</svg>", lambda drawn: re.sub("<[^>]*>", " ", drawn[0]), text, flags=re.DOTALL)
    return KEPT.search(without_times(read)) is not None


def close() -> None:
    """Let the end come: nothing else is changed."""
    Split.every.filter(pk=split().pk).update(closes=timezone.now() - datetime.timedelta(minutes=1))


def score_all() -> None:
    for submission in {run.answer_set.submission_file.submission for run in Run.objects.filter(state="waiting")}:
        factories.score(submission)


def values() -> dict[str, dict[str, float | None]]:
    """By system, the numbers of its row by column, and its rank."""
    board = boards.board_for(split(), Setting.objects.get(benchmark__slug=SLUG, slug="closed-book"))
    return {
        row.name: {column.key: cell.value for column, cell in zip(board.columns, row.cells, strict=True)}
        | {"rank": row.rank}
        for row in board.rows
    }


# --- The draw --------------------------------------------------------------------------------------------------------


def test_both_parts_have_the_same_mix_of_categories() -> None:
    imported()
    mixes = [
        Counter(name for row in Question.objects.filter(revision__current_of__part=of) for name in row.categories)
        for of in SplitPart
    ]
    assert mixes == [{"rivers": 30, "towns": 15, "peaks": 15}] * 2
    assert set(part("public")).isdisjoint(part("final"))
    assert part("final") != [f"test-{number}" for number in range(61, 121)]


def test_the_draw_depends_on_the_secret_of_the_site(settings: Any) -> None:
    imported()
    drawn = part("final")
    benchmark_phases.remove([split()], actor="")
    imported()
    assert part("final") == drawn, "removing and importing it again is no way to another draw"
    benchmark_phases.remove([split()], actor="")
    settings.SECRET_KEY = "another"
    imported()
    assert part("final") != drawn


def test_a_question_stays_in_its_part_in_later_revisions() -> None:
    imported()
    before = {of: set(part(of)) for of in SplitPart}
    imported(n=140, date="2026-02-02", change=7)
    for of in SplitPart:
        assert before[of] < set(part(of))
    assert (len(part("public")), len(part("final"))) == (70, 70)
    imported(n=110, date="2026-03-03", change=8)
    imported(n=140, date="2026-04-04", change=9)
    for of in SplitPart:
        assert before[of] < set(part(of)), "a question that returns is where it was"


def test_nothing_public_of_a_part_depends_on_its_questions() -> None:
    """Somebody who guesses the questions of a part could otherwise find out whether the guess is right."""
    imported()
    whole = split().current_revision
    assert whole is not None
    hashes = {row.content_hash: row.questions_hash for row in _part_revisions()}
    Question.objects.filter(revision__in=_part_revisions()).delete()
    Split.every.exclude(part="").update(current_revision=None)
    _part_revisions().delete()
    Split.every.filter(pk=split().pk).update(final=0.45)
    imported_again = import_declaration(read_declaration(folder('final = 0.45\ncloses = "2099-05-01T12:00Z"')))
    assert not imported_again.created
    assert {row.content_hash: row.questions_hash for row in _part_revisions()} == hashes


def _part_revisions() -> QuerySet[Revision]:
    return Revision.objects.exclude(split__part="")


# --- The declaration -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        ("final = 0.5", ["splits.test.closes"]),
        ('final = 1.5\ncloses = "2099-05-01T12:00Z"', ["splits.test.final"]),
        ("final = true\ncloses = 2099-05-01T12:00:00", ["splits.test.final", "splits.test.closes"]),
        ('opens = "2099-06-01T12:00+02:00"\ncloses = 2099-05-01T12:00Z', ["splits.test.closes"]),
        ('opens = 2099-06-01\ncloses = "soon"', ["splits.test.opens", "splits.test.closes"]),
        ("final = 0.2\ncloses = 2099-05-01T12:00Z", ["splits.test.final"]),
        ('opens = "0001-01-01T00:00+14:00"', ["splits.test.opens"]),
        ('closes = "9999-12-31T23:59-12:00"', ["splits.test.closes"]),
    ],
)
def test_every_mistake_is_named_by_file_line_and_key(lines: str, fields: list[str]) -> None:
    with pytest.raises(SourceError) as refused:
        read_declaration(folder(lines))
    problems = [problem for problem in refused.value.problems if "splits.test" in problem]
    assert len(problems) == len(fields) == len(refused.value.problems)
    for field in fields:
        assert sum(f"{field}:" in problem and "benchmark.toml: line" in problem for problem in problems) == 1


def test_an_open_split_keeps_nothing_for_the_end() -> None:
    made = folder()
    made["benchmark.toml"] = made["benchmark.toml"].replace(b"hidden = true", b"hidden = false")
    with pytest.raises(SourceError) as refused:
        read_declaration(made)
    assert any("splits.test.final:" in problem for problem in refused.value.problems)


def test_a_time_without_seconds_is_read_in_utc() -> None:
    imported("opens = 2026-06-01T14:00+02:00\ncloses = 2099-05-01T12:00Z")
    assert split().opens == datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)
    assert split().closes == CLOSES


def test_the_share_cannot_change_once_the_questions_are_drawn() -> None:
    imported()
    for lines in ('final = 0.45\ncloses = "2099-05-01T12:00Z"', 'closes = "2099-05-01T12:00Z"'):
        with pytest.raises(SourceError, match=r"splits\.test\.final"):
            imported(lines)
    assert split().final == 0.5


def test_a_split_with_submissions_gets_no_final_part() -> None:
    imported("")
    factories.submission(factories.user(), split(), {"closed-book": {"test-1": "word1"}})
    with pytest.raises(SourceError, match=r"splits\.test\.final"):
        imported()


def test_the_end_can_be_moved_until_it_has_passed() -> None:
    imported()
    imported('final = 0.5\ncloses = "2098-05-01T12:00Z"')
    assert split().closes == CLOSES.replace(year=2098)
    with pytest.raises(SourceError, match=r"splits\.test\.closes"):
        imported('final = 0.5\ncloses = "2020-05-01T12:00Z"')
    close()
    with pytest.raises(SourceError, match=r"splits\.test\.closes"):
        imported()


def test_the_split_can_be_opened_after_its_final_results_and_not_before() -> None:
    imported()
    two_systems()
    close()
    closed_at = split().closes
    assert closed_at is not None
    made = folder(f'final = 0.5\ncloses = "{closed_at.isoformat()}"')
    made["benchmark.toml"] = made["benchmark.toml"].replace(b"hidden = true", b"hidden = false")
    opened = read_declaration(made)
    with pytest.raises(SourceError, match=r"splits\.test\.hidden"):
        import_declaration(opened)
    split_ends.end_due()
    score_all()
    assert split_ends.end_due() == 1
    import_declaration(opened)
    assert not split().hidden and split().final == 0.5
    assert not Split.every.exclude(part="").filter(hidden=True).exists()


# --- Before the end --------------------------------------------------------------------------------------------------


def test_nothing_is_scored_on_what_is_kept_before_the_end() -> None:
    imported()
    two_systems()
    scored_on = set(Score.objects.values_list("run__revision__split__part", flat=True))
    assert scored_on == {"public"}
    assert values() == {"Early": {"exact-match": 0.7, "rank": 1}, "Late": {"exact-match": 0.4, "rank": 2}}


def test_a_worker_scores_nothing_that_is_kept_before_the_end() -> None:
    """Whatever creates such a run."""
    imported()
    sent = factories.submission(factories.user(), split(), {"closed-book": answers(42, 17)})
    final = Split.every.get(part="final").current_revision
    Run.objects.update(revision=final, signature=target_signatures(split())["exact-match"])
    (run,) = Run.objects.all()
    token = leases.claim(str(run.pk))
    assert token is not None
    with pytest.raises(RunUnavailableError) as refused:
        execution.execute(str(run.pk), token, check=lambda: None)
    assert refused.value.state == RunState.CANCELLED
    close()
    assert not Split.every.get(part="final").is_kept_back(timezone.now())
    assert sent.files.get().answer_set.runs.count() == 1


VISITORS = pytest.mark.parametrize("visitor", ["stranger", "ada", "bob"])


@VISITORS
def test_no_page_export_or_api_tells_of_the_final_part_before_the_end(
    visitor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look_around(visitor, monkeypatch, most=0) >= 20


@pytest.mark.slow
@VISITORS
def test_no_link_leads_to_what_tells_of_the_final_part_before_the_end(
    visitor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look_around(visitor, monkeypatch, most=400) > 60


def look_around(visitor: str, monkeypatch: pytest.MonkeyPatch, *, most: int) -> int:
    """Read the doors of the site as a visitor, and, until so many addresses are read, what they link to; returns how
    many were read. Fails if one tells of the final part, or of all questions."""
    # Random errors of numbers could be any number, also one of these.
    monkeypatch.setattr(disclosure, "random_number", lambda *_: 0.5)
    imported()
    two_systems()
    client = Client()
    if visitor != "stranger":
        client.force_login(User.objects.get(username=visitor))
    query = f"?benchmark={SLUG}&split=test&setting=closed-book"
    api = f"/api/v1/benchmarks/{SLUG}/splits/test/"
    doors = ["/", BOARD, f"{BOARD}states/", f"{BOARD}pictures/", "/systems/early/", "/sitemap.xml", "/robots.txt"]
    doors += [f"{BOARD}export.{extension}" for extension in ("csv", "json", "tex", "md", "bib")]
    doors += ["/api/v1/benchmarks/", api, f"{api}questions/", "/api/v1/systems/early/", "/api/v1/systems/early/scores/"]
    doors += [f"/api/v1/board/{query}", f"/api/v1/comparison/{query}&system=early&system=late"]
    doors += [f"/compare/{query}&system=early&system=late", f"/{SLUG}/data-card/"]
    if visitor != "stranger":
        own = User.objects.get(username=visitor).submissions.get()
        doors += ["/submissions/", f"/submissions/{own.pk}/", "/api/v1/submissions/", f"/api/v1/submissions/{own.pk}/"]
    seen, queue = set[str](), list(doors)
    told = 0
    while queue and len(seen) < max(most, len(doors)):
        address = queue.pop(0)
        if address in seen:
            continue
        seen.add(address)
        response: Any = client.get(address)
        if response.status_code != 200:
            assert address not in doors, address
            continue
        body = b"".join(response.streaming_content) if response.streaming else response.content
        text = body.decode(errors="ignore")
        assert not tells_what_is_kept(text), f"{address} tells it"
        assert "test.final" not in text, address
        assert "57 of 60" not in text and not re.search(r'"n_answered": ?57\b', text), f"{address} tells who is where"
        told += any(number in text for number in PUBLIC)
        links = re.findall(r'(?:href|src|hx-get)="(/[^"#]*)', text) + re.findall(r'"https?://testserver(/[^"]*)"', text)
        queue += [
            link.replace("&amp;", "&")
            for link in links
            if not re.match(r"/(static|docs|accounts/logout|gallery)", link) and link not in seen
        ]
    assert told > 5, "the public part is shown"
    return len(seen)


def test_a_published_value_is_shown_after_the_end_alone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is about all questions: beside the scores here it would tell of the final part."""
    monkeypatch.setattr(disclosure, "random_number", lambda *_: 0.5)  # which may bring such a number by chance
    imported()
    two_systems()
    entry = Entry.objects.create(
        system=System.objects.get(slug="late"),
        split=split(),
        setting=Setting.objects.get(benchmark__slug=SLUG, slug="closed-book"),
        kind=EntryKind.REPORTED,
        source="A paper",
        published_at=timezone.now(),
    )
    ReportedValue.objects.create(entry=entry, name="exact-match", value=0.633)
    pages = [
        BOARD,
        f"{BOARD}?sources=all&kind=all",
        f"{BOARD}export.json",
        "/systems/late/",
        "/api/v1/systems/late/scores/",
    ]

    def told() -> list[bool]:
        boards.write()
        boards.refresh()
        return [tells_what_is_kept(client.get(page).content.decode()) for page in pages]

    assert told() == [False] * len(pages)
    close()
    split_ends.end_due()
    score_all()
    assert split_ends.end_due() == 1
    assert told() == [True] * len(pages)


def test_a_copied_reference_of_the_final_part_holds_nothing() -> None:
    """What is held would tell which guesses of the final part are right."""
    made = folder()
    lines = [json.loads(line) for line in made["questions/test.jsonl"].splitlines()]
    for line in lines:
        line["answer"] = f"a long enough text number {line['id']}"
    made["questions/test.jsonl"] = "\n".join(map(json.dumps, lines)).encode()
    import_declaration(read_declaration(made))
    texts = {of: {qid: f"a long enough text number {qid}" for qid in part(of)} for of in SplitPart}
    sent = [
        factories.scored(factories.user(of), split(), {"closed-book": texts[of] | dict.fromkeys(texts[other], "no")})
        for of, other in ((SplitPart.FINAL, SplitPart.PUBLIC), (SplitPart.PUBLIC, SplitPart.FINAL))
    ]
    flags.find_due()
    held = [list(submission.files.get().anomalies.values_list("code", flat=True)) for submission in sent]
    assert ["copied_references" in codes for codes in held] == [False, True]


def test_the_public_part_is_scored_again_after_a_correction_as_any_split() -> None:
    imported()
    two_systems()
    imported(date="2026-02-02", change=3, n=124)
    pending = rescoring.pending_switches()
    assert [switch.split.slug for switch in pending] == ["test"]
    assert rescoring.make_missing_runs(split()) == {"exact-match": 2}
    assert set(Run.objects.filter(state="waiting").values_list("revision__split__part", flat=True)) == {"public"}
    score_all()
    with pytest.raises(rescoring.SwitchError, match="Questions were added"):
        rescoring.switch(split())
    assert rescoring.switch(split(), even_if_incomplete=True) == ["exact-match"]
    assert [row["exact-match"] for row in values().values()] == [0.677, 0.387]


# --- Times -----------------------------------------------------------------------------------------------------------


def sent(client: Client, path: str = f"/submit/?benchmark={SLUG}") -> Any:
    form: dict[str, Any] = {"benchmark": SLUG, "split": "test", "name": "Atlas", "authors": "A", "type": "PROMPT"}
    texts = {f"test-{number}": f"moss {number}" for number in range(1, N + 1)}
    return client.post(path, form | {"context_size": "8192", "closed-book": factories.upload(texts)})


@pytest.mark.parametrize(
    ("lines", "word"),
    [("opens = 2098-05-01T14:00+02:00", "opens at"), ("closes = 2021-05-01T14:00+02:00", "closed at")],
)
def test_files_outside_the_times_are_refused_with_the_time_in_utc(
    lines: str, word: str, client: Client, tmp_path: Any
) -> None:
    imported(lines)
    owner = factories.user()
    client.force_login(owner)
    said = f"{word} {lines.split()[-1][:10]} 12:00:00 UTC"
    page = sent(client)
    assert page.status_code == 422
    assert said in plain(page.content.decode())
    api = sent(client, "/api/v1/submissions/")
    assert api.status_code == 422 and said in api.content.decode()
    assert not AnswerSet.objects.exists()
    with pytest.raises(CommandError, match=said):
        call_command("import_submissions", tmp_path, benchmark=SLUG, split="test", dry_run=True, stdout=StringIO())


def test_a_file_counts_if_it_arrived_before_the_moment_of_the_end() -> None:
    imported()
    assert not why_refused(split(), CLOSES - datetime.timedelta(microseconds=1))
    assert why_refused(split(), CLOSES)


def test_reading_a_file_past_the_end_does_not_refuse_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is taken when the upload has arrived: large files are read for a while."""
    imported()
    client.force_login(factories.user())
    read = intake.check_answers

    def slowly(*args: Any, **kwargs: Any) -> Any:
        close()
        return read(*args, **kwargs)

    monkeypatch.setattr("leaderboard.submissions.forms.check_answers", slowly)
    response = sent(client)
    assert response.status_code == 302, plain(response.content.decode())
    assert AnswerSet.objects.count() == 1


def test_a_draft_is_tried_before_it_opens() -> None:
    import_declaration(read_declaration(folder("opens = 2098-05-01T12:00Z")), as_drafts=True)
    draft = Split.with_drafts.select_related("benchmark").get(slug="test")
    assert not why_refused(draft, timezone.now())


def test_the_board_and_the_form_say_when_a_split_closes(client: Client) -> None:
    imported()
    client.force_login(factories.user())
    for page in (BOARD, f"/submit/?benchmark={SLUG}"):
        assert '<time datetime="2099-05-01T12:00:00+00:00" data-local>' in client.get(page).content.decode()


# --- The end ---------------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_after_the_end_boards_rank_by_the_final_part_and_show_the_whole_beside_it(client: Client) -> None:
    imported()
    two_systems()
    public = BoardSnapshot.objects.get()
    late = factories.submission(factories.user("eve"), split(), {"closed-book": answers(60, 60)}, name="Latest")
    assert split_ends.end_due() == 0, "the split has not closed"
    assert not Run.objects.filter(revision__split__part="final").exists()
    close()
    assert split_ends.end_due() == 0, "a file that was sent in time is not scored yet"
    assert values()["Early"] == {"exact-match": 0.7, "rank": 1}
    score_all()
    assert split_ends.end_due() == 1
    assert split_ends.end_due() == 0
    write_marked()
    boards.refresh()
    assert values() == {
        "Late": {"exact-match": 0.867, "exact-match@whole": 0.633, "rank": 1},
        "Early": {"exact-match": 0.283, "exact-match@whole": 0.492, "rank": 2},
    }
    assert Score.objects.filter(run__answer_set__submission_file__submission=late).count() == 3
    taken = list(BoardSnapshot.objects.order_by("taken_at"))
    assert taken[0] == public and len(taken) == 2
    text = client.get(BOARD).content.decode()
    assert re.search('<a href="[^"]*">The board before the end</a>', text)
    assert AuditRecord.objects.filter(action="split.final_shown").count() == 1
    document = client.get(f"/api/v1/benchmarks/{SLUG}/splits/test/").json()
    assert (document["phase"], document["final_shown"]) == ("closed", True)
    assert Entry.objects.filter(replaced_at=None).count() == 2


@pytest.mark.parametrize(
    ("state", "again", "holds"),
    [
        (RunState.OVER_BUDGET, False, True),
        (RunState.INCOMPLETE, True, True),
        (RunState.NOT_CONFIGURED, False, False),
        (RunState.FAILED, False, False),
    ],
)
def test_runs_that_will_have_a_score_hold_the_final_results_back(state: RunState, again: bool, holds: bool) -> None:
    imported()
    two_systems()
    close()
    split_ends.end_due()
    score_all()
    one = Run.objects.filter(revision__split__part="final").first()
    assert one is not None
    Run.objects.filter(pk=one.pk).update(state=state, not_before=timezone.now() if again else None)
    assert split_ends.end_due() == (0 if holds else 1)


def test_the_api_says_when_a_split_closes_and_nothing_of_its_parts(client: Client) -> None:
    imported()
    document = client.get(f"/api/v1/benchmarks/{SLUG}/splits/test/").json()
    assert document["closes"] == "2099-05-01T12:00:00Z"
    assert (document["opens"], document["phase"], document["final_shown"]) == (None, "open", False)
    assert document["n_questions"] == N
    assert [revision["n_questions"] for revision in document["revisions"]] == [N]


def test_a_withdrawn_submission_is_not_scored_on_the_final_part() -> None:
    imported()
    ada, _ = two_systems()
    submission = ada.submissions.get()
    submission.withdrawn_at = timezone.now()
    submission.save(update_fields=["withdrawn_at"])
    Entry.objects.filter(submission=submission).delete()
    close()
    split_ends.end_due()
    waiting = Run.objects.filter(state=RunState.WAITING)
    assert waiting.count() == 2 and not waiting.filter(answer_set__submission_file__submission=submission).exists()
