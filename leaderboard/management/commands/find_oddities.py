"""``manage.py find_oddities``: check files for anomalies."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.models import SubmissionFile
from leaderboard.publishing import flags


class Command(BaseCommand):
    """Run the workers' check after scoring at once, or again after references were added or thresholds changed."""

    help = (
        "Check submitted files for anomalies: answers copied from another submission, answers that address "
        "the judge, unusually long answers, answers identical to the references. Workers do this after "
        "scoring; --again checks all files again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--again", action="store_true", help="include files that were checked before")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        files = SubmissionFile.objects.filter(submission__withdrawn_at=None) if options["again"] else flags.due()
        files = files.select_related("submission", "answer_set__split__current_revision").order_by("sent_at", "pk")
        n_files = n_odd = 0
        for file in files.iterator(chunk_size=100):
            anomalies = flags.check_file(file)
            n_files += 1
            n_odd += bool(anomalies)
            for anomaly in anomalies:
                self.stdout.write(
                    f"{file.submission_id} {file.filename}: {flags.TITLES[anomaly.code]}, {anomaly.count}"
                )
        self.stdout.write(f"{n_files} files checked, {n_odd} with anomalies.")
