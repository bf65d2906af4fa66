"""No setting has the name of a field of the submission form or of the API: the field of its file would replace it."""

import re

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.api.serializers import submissions as serializers
from leaderboard.submissions.forms import PageReplacementForm, PageSubmissionForm, open_settings, open_splits
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.benchmarks.form import RESERVED_SETTINGS
from scoring.files.tables import SLUG
from scoring.models import Setting
from tests import factories
from tests.leaderboard.declared import declared_site

BUTTONS = {"benchmark", "csrfmiddlewaretoken", "form", "statement"}
"""Further names in requests of the form, and the key of errors that concern no field."""


@pytest.mark.django_db
def test_each_field_is_reserved() -> None:
    benchmark = factories.benchmark()
    splits, settings = open_splits(benchmark, AnonymousUser()), open_settings(benchmark)
    page = PageSubmissionForm(splits=splits, submission_settings=settings)
    newer = PageReplacementForm(split=splits[0], setting=settings[0])
    requests = (
        serializers.SubmissionRequestSerializer(),
        serializers.ReplacementRequestSerializer(),
        serializers.ValidationRequestSerializer(),
    )
    names = {*page.fields, *newer.fields, *BUTTONS}
    names |= {name for one in requests for name in one.fields}
    names -= {*page.file_names, *Setting.objects.values_list("slug", flat=True)}
    assert {"url", "split"} < names
    assert {name for name in names if re.fullmatch(SLUG, name)} <= set(RESERVED_SETTINGS)


def files(name: str) -> dict[str, bytes]:
    """The template with another name of its second setting."""
    made = template(declared_site.SLUG)
    toml = made["benchmark.toml"].replace(b"[settings.open-book]", f"[settings.{name}]".encode())
    return made | {"benchmark.toml": toml}


@pytest.mark.parametrize("name", ["separator", "url"])
def test_a_stored_benchmark_keeps_such_a_setting(name: str) -> None:
    with pytest.raises(SourceError):
        read_declaration(files(name))
    stored = read_declaration(files(name), with_questions=False).definition
    assert name in {one.slug for one in stored.settings}
