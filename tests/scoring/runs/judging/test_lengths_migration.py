"""The upgrade that stores the lengths of compared answers (scoring 0024)."""

import io
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from django.apps import apps

from scoring.models import Answer, Comparison, Split
from tests import compared, compared_site, factories

pytestmark = pytest.mark.django_db

MIGRATION = import_module("scoring.migrations.0024_lengths_of_comparisons")
N = 4


@pytest.fixture
def comparison() -> Comparison:
    """Of a system with long, short, empty and missing answers, stored by the version before."""
    split: Split = factories.split(compared_site.declare(N), "dev")
    texts = [{f"dev-{n}": "Worth 50" for n in range(N)}, {"dev-0": "x" * 20_001, "dev-1": "é", "dev-2": " "}]
    sets = [
        factories.submission(factories.user(name), split, {"closed-book": answers}, name=name).files.get().answer_set
        for name, answers in zip(("base", "ada"), texts, strict=True)
    ]
    factories.answers_as_rows()
    compared.store(sets, [(1, 0)], [0, 0])
    stored = Comparison.objects.get()
    arrays = dict(np.load(io.BytesIO(bytes(stored.arrays))))
    arrays["answered"] = np.array([[True, True], [True, True], [False, True], [False, True]])
    del arrays["lengths"]
    return rewritten(stored, arrays)


def rewritten(stored: Comparison, arrays: dict[str, Any]) -> Comparison:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    stored.arrays = buffer.getvalue()
    stored.save()
    return stored


def test_lengths_are_those_that_the_judge_saw(comparison: Comparison) -> None:
    before = dict(np.load(io.BytesIO(bytes(comparison.arrays))))
    MIGRATION.add_lengths(apps, None)
    comparison.refresh_from_db()
    after = dict(np.load(io.BytesIO(bytes(comparison.arrays))))
    assert after.pop("lengths").tolist() == [[20_000, 8], [1, 8], [0, 0], [0, 0]]
    assert after.keys() == before.keys()
    assert all(np.array_equal(after[name], before[name], equal_nan=name == "scores") for name in before)


def test_stored_lengths_stay(comparison: Comparison) -> None:
    MIGRATION.add_lengths(apps, None)
    stored = bytes(Comparison.objects.get().arrays)
    Answer.objects.update(text="something else")
    MIGRATION.add_lengths(apps, None)
    assert bytes(Comparison.objects.get().arrays) == stored
