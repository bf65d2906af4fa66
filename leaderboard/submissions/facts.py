"""The form with which the facts of a system are edited, for its page, the API and tables of many systems.

The form is about a system or a submission, and has its fields by the names of facts (`leaderboard.publishing.facts`).
Only the fields that were sent are checked and changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from leaderboard.attributes import accepted
from leaderboard.models import Submission
from leaderboard.publishing import facts
from leaderboard.submissions.forms import RUN_FACTS, TYPED_SUMS, SystemForm, usage_field
from scoring.benchmarks import definitions
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.generations.usage import NAMED, read_usage


class EditFactsForm(SystemForm):
    """Form of what a system states of itself, with the present values."""

    def __init__(self, *args: Any, subject: facts.Subject, **kwargs: Any) -> None:
        answer_sets = facts.usages_of(subject)
        if isinstance(subject, Submission):
            slugs = {subject.split.benchmark.slug}
        else:
            slugs = set(subject.entries.order_by().values_list("split__benchmark__slug", flat=True).distinct())
        known = {attribute.name: attribute for attribute in OLD_NAMES.values()}
        for slug in sorted(slugs & definitions().keys()):
            known |= {attribute.name: attribute for attribute in accepted(definitions()[slug])}
        self.now = facts.current(subject, answer_sets)
        super().__init__(*args, attributes=tuple(known.values()), **kwargs)
        self.initial = {**self.initial, **{name: as_text(value) for name, value in self.now.items()}}
        del self.fields[RUN_FACTS]
        self.answer_sets = answer_sets
        for place in answer_sets:
            self.fields |= {f"{place}{known_sum.name}": usage_field(known_sum) for known_sum in TYPED_SUMS}
        self.names = list(self.fields)

    def clean(self) -> dict[str, Any]:
        """No total contradicts another one of the same run."""
        sent = {name: self.cleaned_data.get(name) for name in self.names if name.startswith(facts.USAGE)}
        cleaned = super().clean()
        for place, answer_set in self.answer_sets.items():
            totals = facts.totals_of(answer_set)
            totals |= {name.removeprefix(place): value for name, value in sent.items() if name.startswith(place)}
            for name, found, expected in read_usage(totals, NAMED)[1]:
                self.add_error(f"{place}output_tokens", f"{NAMED[name].label}: {found}; enter {expected}.")
        return cleaned

    def values(self) -> dict[str, Any]:
        """The valid values by fact; None for those that are not stated."""
        cleaned = self.cleaned_data
        stated = {f"{facts.RUN_FACTS}{name}": value for name, value in cleaned[RUN_FACTS].items()}
        stated |= cleaned["attributes"]
        return {name: stated.get(name) if (value := cleaned.get(name)) in (None, "") else value for name in self.names}

    def attribute_fields(self) -> list[forms.BoundField]:
        return [self[attribute.name] for attribute in self.attributes]

    def usage_fields(self) -> list[tuple[Any, list[forms.BoundField]]]:
        return [
            (answer_set.setting, [self[f"{place}{known.name}"] for known in TYPED_SUMS])
            for place, answer_set in self.answer_sets.items()
        ]


def as_text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def changed_form(subject: facts.Subject, sent: Mapping[str, Any]) -> tuple[EditFactsForm, dict[str, list[str]]]:
    """The form of a subject with some facts changed, and the errors of these facts alone, by name.

    Args:
        sent: texts by the names of facts; an empty one means that the fact is not stated.
    """
    form = EditFactsForm(subject=subject)
    data = {**{name: as_text(form.now.get(name)) for name in form.names}, **{k: as_text(v) for k, v in sent.items()}}
    form = EditFactsForm(data, subject=subject)
    form.is_valid()
    errors = {name: [str(text) for text in texts] for name, texts in form.errors.items() if name in sent}
    errors |= {name: ["There is no such fact."] for name in sent if name not in form.names}
    scalars = (str, int, float, bool, type(None))
    errors |= {name: ["Enter a single value."] for name, value in sent.items() if not isinstance(value, scalars)}
    return form, errors


def values_of(form: EditFactsForm, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the facts that were sent, of a form without errors in them."""
    return {name: value for name, value in form.values().items() if name in sent}
