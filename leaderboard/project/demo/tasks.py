"""The task of the demo's worker, which no other site's worker has: baselines, submitted, and published once scored."""

from typing import Any, Final

from celery import shared_task

from leaderboard.models import User
from leaderboard.project.demo import content

SUBMIT_BASELINES: Final = "leaderboard.project.demo.tasks.submit_baselines"
SECONDS_BETWEEN: Final = 2


@shared_task(name=SUBMIT_BASELINES, bind=True, max_retries=300, default_retry_delay=SECONDS_BETWEEN)
def submit_baselines(self: Any, owner_id: int) -> None:
    """Submit the baselines that are not there yet, and publish those that are scored; again while one is being scored.
    Then make a study of the answers that are compared."""
    submissions = content.submit_baselines(User.objects.get(pk=owner_id))
    settled = [submission for submission in submissions if content.is_settled(submission)]
    for submission in settled:
        content.publish_if_new(submission)
    if len(settled) < len(submissions):
        raise self.retry()
    maintainer = User.objects.filter(username="maintainer").first()
    if maintainer is not None:
        content.load_pairs(maintainer)
