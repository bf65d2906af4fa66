"""The path of an upload: through which of our files it goes, in which order, and how many they are.

A file counts if one of its functions is called between the two ends of the path, in the same thread. The first half
begins where the view is entered and ends where the submission and its runs are committed and sent to the queue; the
second half begins with the worker's task and ends where the scores are committed.

Not counted are the modules of tables (`models`) and packages (`__init__.py`), which are no steps, and what lies before
the view: settings, middleware and the resolution of the URL. Nor are `scoring/metrics`, `scoring/benchmarks` and
`scoring/declarations`, which finds the benchmarks that are declared in the database: each metric of a benchmark gives
its signature, so their number is the benchmark's and not the path's. Nor is `leaderboard/attributes.py`, the fields and
filters that a benchmark declares. What a module runs
once, when it is first used, does not count either: one upload goes before the one that is measured.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import BoardDocument, Submission, User
from leaderboard.tasks import write_boards
from scoring.models import Benchmark, Run, Score
from scoring.models.run_states import RunState
from scoring.tasks import execute_run
from tests import boards, factories
from tests.paths import ROOT

OURS = ("leaderboard/", "scoring/")
NOT_COUNTED = (
    "leaderboard/models/",
    "scoring/models/",
    "scoring/metrics/",
    "scoring/benchmarks/",
    "scoring/declarations.py",
    "scoring/task_types/",
    "leaderboard/attributes.py",
    "leaderboard/board/document.py",  # records, as models are
)
MOST_FILES = 19
MOST_FILES_OF_A_PAGE = 22
"""Of a board with its sentence, bars and chart, read through a cache in Redis."""
MOST_FOLDERS_OF_A_PAGE = 8
BOARD = "/fanoutqa/dev/openbook/"
UPLOAD_STEPS = [
    "leaderboard/web/uploads.py",
    "leaderboard/submissions/forms.py",
    "leaderboard/submissions/intake.py",
    "scoring/generations/reader.py",
    "leaderboard/submissions/storage.py",
    "scoring/runs/answer_sets.py",
    "scoring/runs/dispatch.py",
]
"""From the body of the request to the message for a worker."""

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Recorder:
    """Records the files that are entered between the call of one function and the return of another.

    A file is entered when one of its functions is called while no other is running: a module that calls its own
    helpers, or is called back while it waits, is entered once.
    """

    start: tuple[str, str]
    end: tuple[str, str]
    entered: list[str] = field(default_factory=list)
    """Every entry, in order: a file that is entered twice is there twice."""
    finished: bool = False
    _running: Counter[str] = field(default_factory=Counter)

    @property
    def files(self) -> list[str]:
        """The files that count, in the order in which they were first entered."""
        return [name for name in dict.fromkeys(self.entered) if not name.endswith("__init__.py")]

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of a call or a return; see `sys.setprofile`."""
        if self.finished or event not in ("call", "return"):
            return
        name = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        function = (name, frame.f_code.co_name)
        if not name.startswith(OURS) or name.startswith(NOT_COUNTED):
            return
        if event == "return":
            if self._running[name]:
                self._running[name] -= 1
            self.finished = bool(self.entered) and function == self.end
        elif self.entered or function == self.start:
            if not self._running[name]:
                self.entered.append(name)
            self._running[name] += 1


@contextmanager
def recorded(start: tuple[str, str], end: tuple[str, str]) -> Iterator[Recorder]:
    """Record the path that the body takes."""
    recorder = Recorder(start, end)
    before = sys.getprofile()
    sys.setprofile(recorder)
    try:
        yield recorder
    finally:
        sys.setprofile(before)
    assert recorder.finished, f"{end} was never reached: {recorder.files}"
    print(len(recorder.files), *recorder.files, sep="\n")  # shown by pytest -rP, and where a test fails


def upload(client: Client, name: str, *settings: str) -> None:
    """Send an upload as a browser does, and see that it is stored and its runs are in the queue."""
    files = {
        slug: factories.upload({qid: f"{answer} {name} {slug}" for qid, answer in factories.perfect().items()})
        for slug in settings
    }
    response = client.post("/submit/", {**factories.form_data(name=name), **files})
    assert response.status_code == 302
    runs = Run.objects.filter(answer_set__submission_file__submission__name=name, state=RunState.WAITING)
    assert runs.count() == 2 * len(settings)
    assert not runs.filter(sent_at=None).exists()


@pytest.mark.parametrize("settings_sent", [("openbook",), ("closedbook", "openbook")])
def test_from_the_view_of_the_page_to_stored_runs(
    client: Client, ada: User, made: Benchmark, settings_sent: tuple[str, ...]
) -> None:
    client.force_login(ada)
    upload(client, "First", *settings_sent)
    view = ("leaderboard/submissions/upload_views.py", "submit")
    with recorded(view, ("leaderboard/submissions/storage.py", "create_submission")) as path:
        upload(client, "Second", *settings_sent)
    assert Submission.objects.count() == 2
    assert len(path.files) <= MOST_FILES, path.files
    assert [name for name in path.files if name in UPLOAD_STEPS] == UPLOAD_STEPS


def test_from_the_task_of_a_worker_to_the_rendered_row(client: Client, ada: User, made: Benchmark) -> None:
    """Three parts, at three times: a run of a published submission is scored, a worker writes the board's document (its
    first, before new statistics), and a reader opens the board. Each part is counted by itself."""
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="First")
    sent = factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="Second")
    boards.write()
    assert "Second" in client.get(BOARD).content.decode()
    run = Run.objects.get(answer_set__submission_file__submission=sent, metric="accuracy")
    Run.objects.filter(pk=run.pk).update(state=RunState.WAITING, lease_token="", finished_at=None)
    Score.objects.filter(run=run).delete()
    serial = BoardDocument.objects.get(split=sent.split, setting__slug="openbook").serial
    with recorded(("scoring/tasks.py", "execute_run"), ("scoring/runs/leases.py", "finish")) as scored:
        execute_run(str(run.pk))
    with recorded(("leaderboard/tasks.py", "write_boards"), ("leaderboard/board/write.py", "check_board")) as written:
        write_boards()
    assert BoardDocument.objects.get(split=sent.split, setting__slug="openbook").serial > serial
    with recorded(("leaderboard/board/views.py", "board"), ("leaderboard/board/views.py", "board")) as shown:
        page = client.get(BOARD)
    assert "Second" in page.content.decode()
    for part, most in ((scored, MOST_FILES), (written, MOST_FILES), (shown, MOST_FILES_OF_A_PAGE)):
        assert len(part.files) <= most, "\n".join(part.files)
    assert len({name.rpartition("/")[0] for name in shown.files}) <= MOST_FOLDERS_OF_A_PAGE, "\n".join(shown.files)
    assert not any(name.startswith("scoring/statistics/") for name in shown.files), "a page computes none"
