"""Alert to maintainers that stored scores differ from the official code: a record in the audit log, and an email."""

import logging

from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.mail import send_mail
from django.db.models import Q

from leaderboard.models import User
from leaderboard.operations import audit
from scoring.models import ScoreAudit

logger = logging.getLogger(__name__)

NAMED: int = 20
"""The number of answers that a message names."""


def report_difference(difference: ScoreAudit) -> None:
    """Record an audit that found differences, and email everybody who may see reference answers.

    Names runs and questions, no text and no number of an answer.
    """
    n_different = difference.n_checked - difference.n_equal
    named = "\n".join(f"run {answer['run']}, question {answer['qid']}" for answer in difference.differences[:NAMED])
    text = f"{n_different} of {difference.n_checked} answers differ from the official code in {difference.metric}.\n"
    text += named
    audit.record("audit_scores", "scores.differ", f"metric {difference.metric}", text)
    may_see = Permission.objects.filter(codename="view_reference", content_type__app_label="scoring")
    people = User.objects.filter(
        Q(is_superuser=True) | Q(user_permissions__in=may_see) | Q(groups__permissions__in=may_see),
        is_active=True,
        is_staff=True,
    )
    addresses = sorted(people.exclude(email="").values_list("email", flat=True).distinct())
    for address in addresses:
        try:
            send_mail(
                f"{difference.metric}: scores differ from the official code",
                f"{text}\n\nAll of them: {settings.SITE_URL}/admin/scoring/scoreaudit/{difference.pk}/change/\n",
                None,
                [address],
            )
        except OSError as error:
            logger.error("The alert about %s could not be sent: %s", difference.metric, type(error).__name__)
