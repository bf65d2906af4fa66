"""Which pages and components the gallery shows, and with what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from leaderboard.board.table import ShownCell
from leaderboard.submissions.next_step import next_step
from leaderboard.submissions.score_table import signatures
from leaderboard.submissions.types import SubmissionView
from leaderboard.systems import overview
from scoring.models import Question
from tests.gallery.site import (
    accounts,
    boards,
    console,
    declared,
    forms,
    judging,
    maintenance,
    pictures,
    publishing,
    rankings,
    reading,
    sending,
    submissions,
    systems,
)
from tests.gallery.site.texts import (
    LONG_AUTHORS,
    LONG_NAME,
    LONG_WORD,
    NOT_CONFIGURED,
    NOW,
    SIGNATURES,
    Query,
)

ICONS = (
    "check",
    "cross",
    "warning",
    "info",
    "clock",
    "running",
    "pause",
    "person",
    "external",
    "download",
    "upload",
    "copy",
    "lock",
    "key",
    "theme-system",
    "theme-light",
    "theme-dark",
)
JUDGED = "leaderboard/submissions/judge.html"
REPORTS = "leaderboard/questions/reports.html"
COLOURS = (
    "paper",
    "surface",
    "sunken",
    "ink",
    "ink-muted",
    "ink-faint",
    "line",
    "line-strong",
    "line-control",
    "accent",
    "accent-strong",
    "accent-soft",
    "good",
    "good-soft",
    "warn",
    "warn-soft",
    "bad",
    "bad-soft",
    "human",
    "human-soft",
)


@dataclass(frozen=True)
class SamplePage:
    """A page of the gallery: its template, its context for a query string, and the fragment htmx asks for, if any."""

    title: str
    template: str
    context: Callable[[Query], dict[str, Any]]
    fragment: str = ""


def _person() -> SimpleNamespace:
    return SimpleNamespace(
        is_authenticated=True, is_staff=True, email="ada@example.org", get_username="ada-with-a-rather-long-user-name"
    )


def _signed_in(context: Mapping[str, Any]) -> Callable[[Query], dict[str, Any]]:
    return lambda query: {**context, "user": _person()}


def _submission_page(title: str, view: SubmissionView) -> SamplePage:
    template = "leaderboard/submissions/submission.html"
    form = publishing.form(view)
    context = {
        "submission": view,
        "next_step": next_step(view),
        "signatures": signatures(view.files),
        "publish_form": form,
        "progress_url": f"?page=submission-{view.state}",
    }
    return SamplePage(title, template, _signed_in(context), fragment="leaderboard/submissions/_live.html")


def _board_page(title: str, make: Callable[[Query], dict[str, Any]]) -> SamplePage:
    return SamplePage(
        title,
        "leaderboard/board/board.html",
        make,
        fragment="leaderboard/board/_swap.html",
    )


def _page(label: str, template: str, **context: Any) -> SamplePage:
    return SamplePage(label, template, lambda query: context)


def _boards() -> dict[str, SamplePage]:
    """Boards and their charts."""
    return {
        "board": _board_page("Board", boards.board),
        "board-attempts": _board_page("Board, several attempts", boards.attempts_board),
        "board-empty": _board_page("Board without a row", boards.empty_board),
        "board-stale": _board_page("Board, statistics to be computed", boards.stale_board),
        "board-public-part": _board_page("Board of the public part of a split", boards.public_part_board),
        "board-final-part": _board_page("Board after the end of its split", boards.final_part_board),
        "board-none": _board_page("Board, no row passes the filters", boards.none_board),
        "board-long": _board_page("Board, far too long", boards.long_board),
        "home": _page("Home", "leaderboard/board/benchmarks.html", home=boards.home()),
        "pictures": _page("Pictures", "leaderboard/charts/charts.html", charts=pictures.pictures()),
        "pictures-none": _page("Pictures, none", "leaderboard/charts/charts.html", charts=pictures.no_pictures()),
        "ranking": _page("Ranking", "leaderboard/ranking/ranking.html", page=rankings.ranking()),
        "ranking-hidden": _page("Ranking, hidden split", "leaderboard/ranking/ranking.html", page=rankings.hidden()),
        "ranking-few": _page("Ranking, few systems", "leaderboard/ranking/ranking.html", page=rankings.few()),
        "ranking-none": _page("Ranking, none", "leaderboard/ranking/ranking.html", page=rankings.nothing()),
        "ranking-matrix": _page("Win matrix", "leaderboard/ranking/matrix.html", page=rankings.matrix()),
        "ranking-questions": _page(
            "Compared questions", "leaderboard/ranking/questions.html", page=rankings.questions()
        ),
        "ranking-question": _page("Compared question", "leaderboard/ranking/question.html", page=rankings.question()),
    }


def _systems() -> dict[str, SamplePage]:
    """Systems, one by one and side by side."""
    return {
        "system": _page("System", "leaderboard/systems/system.html", **overview.overview_of(systems.system_page())),
        "system-attempts": _page(
            "System, several attempts",
            "leaderboard/systems/system.html",
            **overview.overview_of(systems.attempts_system_page()),
        ),
        "question-attempts": _page(
            "Question, several attempts", "leaderboard/questions/question.html", page=systems.question_page()
        ),
        "system-long": _page(
            "System, long and without results",
            "leaderboard/systems/system.html",
            **overview.overview_of(systems.long_system_page()),
        ),
        "question-criteria": _page(
            "Question with criteria",
            "leaderboard/questions/question.html",
            page=systems.question_of_reports(),
            criteria=systems.criteria(),
            reading=systems.reading(),
        ),
        "question-report": _page(
            "Report", REPORTS, page=systems.question_of_reports(), reading=systems.reading(systems.LONG_REPORT)
        ),
        "question-reports": _page(
            "Reports side by side",
            REPORTS,
            page=systems.question_of_reports(),
            reading=systems.reading(systems.LONG_REPORT, systems.FROM_RIGHT_TO_LEFT),
        ),
        "question-reports-plain": _page(
            "Reports, none and one that is not formatted",
            REPORTS,
            page=systems.question_of_reports(),
            reading=systems.reading(None, "> " * 30 + "Deep.\n" + "A line of text. " * 40),
        ),
        "question-reports-private": _page(
            "Reports, not public",
            REPORTS,
            page=systems.question_of_reports(),
            reading=systems.reading(None, None, is_readable=False),
        ),
        "question-citations": _page(
            "Question whose answers cite sources", "leaderboard/questions/question.html", page=systems.cited_question()
        ),
        "system-questions": _page(
            "System, question by question", "leaderboard/systems/questions.html", page=systems.questions_page()
        ),
        "compare": _page("Compare systems", "leaderboard/comparison/compare.html", **systems.compare_context(6)),
        "against": _page(
            "Systems against people", "leaderboard/comparison/human_baseline.html", page=systems.against()
        ),
        "compare-choose": _page(
            "Compare, choose systems", "leaderboard/comparison/compare.html", **systems.compare_context(0)
        ),
    }


def _texts() -> dict[str, SamplePage]:
    """Texts, data cards and dated states of a board."""
    return {
        "about": _page("About", "leaderboard/pages/about.html", **reading.about()),
        "how-to-submit": _page("How to submit", "leaderboard/pages/how_to.html", **reading.how_to()),
        "data-card": _page("Data card", "leaderboard/pages/data_card.html", **reading.data_card()),
        "states": _page("Dated states", "leaderboard/board/snapshots.html", **reading.states()),
        "state": _page(
            "A dated state, systems deleted",
            "leaderboard/board/snapshot.html",
            **reading.state(boards.board({"columns": "all"})["board"], n_removed=2),
        ),
    }


def _submissions() -> dict[str, SamplePage]:
    """Submissions in each state."""
    lines = submissions.submission_lines()
    withdrawn = submissions.submission("withdrawn", files=[])
    return {
        "submission-running": _submission_page("Submission, running", submissions.submission("running")),
        "submission-running-open": _submission_page(
            "Submission, running, open split", submissions.submission("running", hidden=False)
        ),
        "submission": _submission_page("Submission, scored", submissions.submission("done")),
        "submission-anonymous": _submission_page("Submission, published anonymously", publishing.anonymous()),
        "submission-returned": _submission_page("Submission, returned", publishing.returned()),
        "submission-in-review": _submission_page("Submission, scores in review", publishing.in_review()),
        "submission-held": _submission_page("Submission, scores held", publishing.held()),
        "submission-retracted": _submission_page("Submission, retracted", publishing.retracted()),
        "submission-failed": _submission_page("Submission, failed", submissions.submission("failed")),
        "submission-withdrawn": _submission_page("Submission, withdrawn", withdrawn),
        "submission-replaced": _submission_page("Submission, files replaced", sending.replaced()),
        "my-submissions": SamplePage(
            "My submissions",
            "leaderboard/submissions/list.html",
            _signed_in({"submissions": lines}),
        ),
        "my-submissions-empty": SamplePage(
            "My submissions, none", "leaderboard/submissions/list.html", _signed_in({"submissions": []})
        ),
        "submission-judge": _page("Submission, how it was judged", JUDGED, **judging.submission()),
    }


def _sending() -> dict[str, SamplePage]:
    """What is sent, and what answers that: forms, quotas."""
    submit = forms.submit_context(forms.SampleSubmitForm(initial={"split": "test"}), [])
    return {
        "submit": SamplePage(
            "Submit",
            "leaderboard/submissions/submit.html",
            _signed_in(submit),
        ),
        "submit-errors": SamplePage(
            "Submit, not accepted", "leaderboard/submissions/submit.html", _signed_in(forms.submit_with_errors())
        ),
        "publish-refused": SamplePage(
            "Publish, not accepted", "leaderboard/submissions/publish.html", _signed_in(publishing.refused())
        ),
        "replace-errors": SamplePage(
            "Replace a file, not accepted",
            "leaderboard/submissions/replace.html",
            _signed_in(sending.replacement()),
        ),
        "quotas": SamplePage("Quotas", "leaderboard/maintenance/quotas.html", _signed_in(sending.console())),
    }


def _moderation() -> dict[str, SamplePage]:
    """What a maintainer decides on."""
    return {
        "moderation": _page("Moderation", "leaderboard/maintenance/moderation.html", **publishing.queue()),
        "moderation-odd": _page(
            "Moderation, nothing odd", "leaderboard/maintenance/moderation.html", **publishing.queue("odd", 0)
        ),
        "moderate": _page(
            "Moderation, one", "leaderboard/maintenance/moderate.html", **publishing.moderate(publishing.waiting())
        ),
        "moderate-refused": _page(
            "Moderation, one, not done",
            "leaderboard/maintenance/moderate.html",
            **publishing.moderate(publishing.waiting(), problem="Its submitter has changed something."),
        ),
    }


def _accounts() -> dict[str, SamplePage]:
    """Accounts and teams."""
    return {
        **{
            name: SamplePage(title, template, _signed_in(context))
            for name, (title, template, context) in accounts.signed_in_pages().items()
        },
        **{
            name: _page(title, template, **context)
            for name, (title, template, context) in accounts.signed_out_pages().items()
        },
        "sign-in": _page(
            "Sign in",
            "account/login.html",
            form=forms.SampleSignInForm(),
            redirect_field_value="/submit/",
        ),
        "sign-in-errors": _page(
            "Sign in, refused", "account/login.html", form=forms.SampleSignInForm({"username": "a"})
        ),
        "sign-up": _page("Sign up", "account/signup.html", form=forms.SampleSignUpForm()),
    }


def _console() -> dict[str, SamplePage]:
    """The console of maintainers."""
    return {
        "console": _page("Maintenance", "leaderboard/maintenance/overview.html", **console.overview()),
        "systems": _page("Systems, merged", "leaderboard/maintenance/systems.html", page=console.merges()),
        "queues": _page("Queues", "leaderboard/maintenance/queues.html", page=console.queues()),
        "import-refused": _page(
            "Import, refused",
            "leaderboard/maintenance/import.html",
            split=console.split(hidden=False),
            form=console.form(),
            revisions=[],
        ),
        "import-draft": _page(
            "Import, what would change",
            "leaderboard/maintenance/import_draft.html",
            split=console.split(),
            page=console.draft(),
        ),
        **{
            f"benchmarks{'-refused' if refused else ''}": _page(
                f"Import of a benchmark{', refused' if refused else ''}",
                "leaderboard/maintenance/benchmarks.html",
                form=declared.form(refused=refused),
                benchmarks=[] if refused else declared.benchmarks(),
                unreadable={} if refused else {f"capitals-{LONG_WORD}": "Its package is not installed."},
            )
            for refused in (False, True)
        },
        "benchmark-phases": _page(
            "Splits of a benchmark", "leaderboard/maintenance/benchmark_phases.html", **declared.phases()
        ),
        "benchmark-draft": _page(
            "Import of a benchmark, changed", "leaderboard/maintenance/benchmark_draft.html", **declared.draft()
        ),
        "audit": _page("Who did what", "leaderboard/maintenance/audit.html", log=maintenance.log()),
        "audit-none": _page("Who did what, nothing yet", "leaderboard/maintenance/audit.html", log=maintenance.log(0)),
        "judge": _page(
            "The judge, away and over budget", "leaderboard/maintenance/judge_spending.html", **judging.console()
        ),
        "rescore": _page("Re-score", "leaderboard/maintenance/rescore.html", **judging.rescoring()),
    }


def _messages() -> dict[str, SamplePage]:
    """Messages and error pages."""
    message = {"title": "No benchmarks yet", "text": "A maintainer imports one.", "actions": [("To the board", "/")]}
    return {
        "message": _page("Message", "leaderboard/web/message.html", **message),
        "507": _page("Error 507", "507.html", detail="There is no space left for your file. Try again later."),
        **{
            code: _page(f"Error {code}", f"{code}.html", retry_after=30, limit_mb=32)
            for code in ("400", "403", "403_csrf", "404", "413", "429", "500")
        },
    }


def pages() -> dict[str, SamplePage]:
    """Every page of the site by its name in the gallery, in each of its states."""
    return {
        **_boards(),
        **_systems(),
        **_texts(),
        **_submissions(),
        **_sending(),
        **_moderation(),
        **_accounts(),
        **_console(),
        **_messages(),
    }


def components() -> dict[str, Any]:
    """What the gallery's own page needs to show each component in each state."""
    states = ("waiting", "running", "done", "failed", "withdrawn")
    shown = boards.board({})["board"]
    form = forms.SampleSubmitForm({"split": "", "url": "no address"})
    form.add_error(None, "An error of the whole form.")
    paginator = SimpleNamespace(count=1234)
    return {
        "board": shown,
        "exports": boards.EXPORTS,
        "cells": shown.rows[0].cells,
        "unscored_cells": [ShownCell(column=column, reason=NOT_CONFIGURED) for column in shown.columns],
        "blank_form": forms.SampleSubmitForm(),
        "bad_form": form,
        "extra_form": forms.SampleSignUpForm(),
        "groups": submissions.problem_groups(),
        "reports": submissions.file_reports(),
        "tables": submissions.tables(),
        "compared_table": submissions.compared_table(),
        "submissions": [submissions.submission(state) for state in states],
        "signatures": SIGNATURES,
        "long_authors": LONG_AUTHORS,
        "long_name": LONG_NAME,
        "long_word": LONG_WORD,
        "short_authors": "Ada Sample, Ben Sample",
        "pairs": [
            ("Short", "value"),
            ("Web page", "https://example.org/"),
            ("Not an address", "javascript:alert(1)"),
            ("Long", LONG_WORD),
            ("Nothing", ""),
        ],
        "asked_question": Question(
            context=[
                "A text.",
                [["Year", "Mayor"], ["1999", LONG_WORD]],
                {"picture": "0f", "alt": "A blue field.", "width": 900, "height": 300},
                {"A": "Short", "B": LONG_WORD},
            ],
            language="en",
        ),
        "numbers": [None, 0, 0.5, -0.25, float("nan")],
        "sizes": [0, 1, 4096, 412_311, 32 * 2**20, None],
        "seconds": [0, 3.3, 75, 4000, 100_000, None],
        "now": NOW,
        "page": SimpleNamespace(
            has_other_pages=True, has_previous=True, has_next=True, start_index=51, end_index=100, paginator=paginator
        ),
        "icons": ICONS,
        "colours": COLOURS,
    }
