"""A site whose worker judges long reports by criteria; says what that took. Run by `bench_judge`."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from io import StringIO
from pathlib import Path

WORDS = ("bridge", "built", "river", "stone", "town", "year", "cost", "toll", "market", "ferry", "arch", "council")


def main(n_reports: int, n_criteria: int, n_words: int) -> dict[str, float]:
    """Judge a submission; the seconds of its run, of the part before the first request, and of the processor."""
    from django.core.management import call_command

    from leaderboard.models import User
    from scoring import tasks
    from scoring.models import JudgeEstimate, Run, Split, Verdict
    from tests.factories import submission

    chance = random.Random(0)
    names = [f"r{number}" for number in range(n_reports)]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tasks.jsonl"
        file.write_text("\n".join(map(json.dumps, (_task(name, n_criteria) for name in names))))
        call_command("import_benchmark", "researchrubrics", "--questions", "test", str(file), stdout=StringIO())
    split = Split.objects.select_related("benchmark", "current_revision").get(benchmark__slug="researchrubrics")
    owner = User.objects.create_user("bench", "bench@example.org")
    # The first run loads modules and prepares statements, as a worker has done long ago.
    for n_answered in (1, n_reports):
        answers = {name: _report(chance, n_words) for name in names[:n_answered]}
        submission(owner, split, {"agent": answers}, within_quota=False)
    warming, run = Run.objects.order_by("created_at")
    tasks.execute_run(str(warming.pk))
    began, busy = time.time(), time.process_time()
    tasks.execute_run(str(run.pk))
    seconds, busy = time.time() - began, time.process_time() - busy
    run.refresh_from_db()
    assert run.state == "done", run.reason
    assert Verdict.objects.filter(run=run).exclude(letter="").count() == n_reports * n_criteria
    estimated_at = JudgeEstimate.objects.get(run=run).made_at.timestamp()
    return {"seconds": seconds, "before": estimated_at - began, "busy": busy}


def _task(name: str, n_criteria: int) -> dict[str, str]:
    criteria = [
        {"title": f"Says what number {number} of {name} cost", "weight": 1.0 + number, "category": "Explicit Criteria"}
        for number in range(n_criteria)
    ]
    return {"sample_id": name, "prompt": f"Compare two bridges of {name}.", "rubrics": json.dumps(criteria)}


def _report(chance: random.Random, n_words: int) -> str:
    """Paragraphs below headings, with citations, a few of them in Markdown."""
    words = chance.choices(WORDS, k=n_words)
    paragraphs = [" ".join(words[start : start + 80]) for start in range(0, n_words, 80)]
    return "\n\n".join(
        f"## Part {number} \u2013 of many\n\n{text} [{number}]." for number, text in enumerate(paragraphs)
    )


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(main(*map(int, sys.argv[1:]))))
