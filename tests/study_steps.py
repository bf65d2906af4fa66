"""The steps of a study's settings, filled in as a browser does: what the page shows is sent, but for some changes."""

import datetime
from typing import Any

from django.test import Client
from django.urls import reverse

from humaneval.models import Study
from humaneval.studies.forms import StudyForm


def form_of(client: Client, study: Study, step: str) -> StudyForm:
    """The form on the page of a step."""
    form: StudyForm = client.get(reverse("manage-study-step", args=[study.slug, step])).context["form"]
    return form


def begin(client: Client, study: Study, step: str) -> dict[str, Any]:
    """What the form of a step sends if nothing is changed in it."""
    sent = {}
    form = form_of(client, study, step)
    entries = [form.entries.management_form, *form.entries] if form.entries is not None else []
    for field in (field for part in (form, *entries) for field in part):
        value = field.value()
        if value is None and field.widget_type == "select":
            value = field.field.choices[0][0]
        if isinstance(value, datetime.datetime):
            value = value.strftime("%Y-%m-%dT%H:%M")
        if value is not None and value is not False:
            sent[field.html_name] = value
    return sent


def save(client: Client, study: Study, step: str, **changes: Any) -> Any:
    """Save a step with some changes."""
    sent = begin(client, study, step) | changes
    return client.post(reverse("manage-study-step", args=[study.slug, step]), sent)
