"""The form of a decision about a reference answer."""

import json
import math
from typing import Any, Final

from django import forms

from humaneval.grading.desk.services import LONGEST_NOTE
from humaneval.models import CorrectionState
from scoring.metrics.base import Primitive, UnusableReference, check_references, primitives

CANNOT_BE_FOUND: Final = "Remove empty texts, NaN and Infinity. No answer can contain them."


class CorrectionForm(forms.Form):
    """A decision about a reference answer that graders marked as wrong."""

    state = forms.ChoiceField(choices=CorrectionState.choices)
    answer = forms.CharField(required=False, max_length=100_000)
    note = forms.CharField(required=False, max_length=LONGEST_NOTE)

    def clean(self) -> dict[str, Any]:
        """The corrected answer, which must be JSON in the form of a reference answer.

        Raises:
            ValidationError: it is not such JSON.
        """
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("state") != CorrectionState.ACCEPTED:
            cleaned["answer"] = ""
            return cleaned
        try:
            value = json.loads(cleaned.get("answer") or "")
            check_references([value])
            # JSON can express a lone surrogate, which no database stores.
            json.dumps(value, ensure_ascii=False).encode()
        except UnusableReference as error:
            self.add_error("answer", f"This is not a valid reference answer: {error.problems[0].what}.")
        except (ValueError, RecursionError):
            self.add_error("answer", 'Write the corrected answer as JSON, for example {"Mars": 2} or "Oslo".')
        else:
            if not all(map(_can_be_found, primitives(value))):
                self.add_error("answer", CANNOT_BE_FOUND)
        return cleaned


def _can_be_found(primitive: Primitive) -> bool:
    value = primitive.value
    return bool(value.strip()) if isinstance(value, str) else not isinstance(value, float) or math.isfinite(value)
