"""Sample states of the pages that import declared benchmarks."""

from typing import Any

from leaderboard.maintenance.benchmark_imports import FolderForm
from leaderboard.maintenance.benchmark_phases import Removal
from leaderboard.models import DraftReader, User
from scoring.benchmarks.declared.warnings import few_questions
from scoring.importing.hidden_splits import opened
from scoring.models import Benchmark, DeclaredFolder, FolderDraft, Split, SplitPhase
from tests.gallery.site.texts import LONG_WORD, NOW

PROBLEMS = (
    "benchmark.toml: line 29: splits.test.hidden: found nothing, expected true or false. Add hidden.",
    f"questions/{LONG_WORD}.jsonl: line 2: id: found 'dev-1' again, expected an id of its own. Rename or remove one.",
)


def form(*, refused: bool = False) -> FolderForm:
    """The form, new or refused."""
    made = FolderForm({} if refused else None, actor=User(username="grace"))
    if refused:
        made.is_valid()
        made.errors.clear()
        made.add_error(None, list(PROBLEMS))
    return made


def benchmarks() -> list[Benchmark]:
    """One that the software contains, and a declared one."""
    declared = Benchmark(pk=2, slug="capitals", name=f"Capitals {LONG_WORD}")
    declared.folder = DeclaredFolder(pk=1, benchmark=declared, saved_at=NOW)
    return [Benchmark(pk=1, slug="sample", name="Sample"), declared]


def phases() -> dict[str, Any]:
    """The splits of a benchmark, one in each phase, one of which cannot be removed; and who sees its drafts."""
    benchmark = Benchmark(pk=2, slug="capitals", name=f"Capitals {LONG_WORD}")
    splits = [
        Split(
            pk=number,
            benchmark=benchmark,
            slug=phase,
            name=f"{phase.title()} {LONG_WORD}",
            phase=phase,
            hidden=number > 1,
            pass_at_approved=number > 2,
        )
        for number, phase in enumerate(SplitPhase, start=1)
    ]
    removal = Removal((str(splits[1]),), False, 724, 9, 2, kept_by="2 submissions", fingerprint="0" * 64)
    readers = [DraftReader(user=User(username=name)) for name in ("ada", LONG_WORD)]
    return {"benchmark": benchmark, "splits": splits, "setting": "closed-book", "readers": readers, "removal": removal}


def draft() -> dict[str, Any]:
    """The draft of a benchmark that is here and changes."""
    split = {
        "name": "Test",
        "hidden": True,
        "n_questions": 724,
        "references": "complete",
        "revision": "50fd3d6e",
        "current": "0c1d9a5f",
        "created": False,
        "becomes_current": True,
        "changes": [f"12 answers changed: dev-1, {LONG_WORD}, …"],
        "warnings": [few_questions(LONG_WORD, 12)],
        "n_runs": 3,
    }
    history = {
        "name": "Development",
        "hidden": False,
        "becomes_current": False,
        "changes": ["51 answers changed: dev-1, …"],
        "new_answers": [{"qid": "dev-1", "before": '["Nairobi"]', "after": f'["{LONG_WORD}"]'}],
        "n_new_answers": 51,
        "warnings": [],
        "n_runs": 0,
    }
    preview = {
        "slug": "capitals",
        "name": "Capitals",
        "version": "1.1",
        "created": False,
        "changed": True,
        "changes": ["splits.test.hidden: false → true", f"url: {LONG_WORD}"],
        "warnings": [opened(LONG_WORD)],
        "splits": [split | history, split],
        "n_rows": 13,
        "n_rows_known": 2,
    }
    made = FolderDraft(name=f"{LONG_WORD}.zip", preview=preview, made_by="grace", created_at=NOW)
    return {"draft": made, "preview": preview, "shown": "f" * 64}
