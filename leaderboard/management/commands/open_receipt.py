"""``manage.py open_receipt ID``: the exact values that a receipt of a hidden split commits to."""

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.models import Receipt
from leaderboard.operations import audit
from leaderboard.submissions.receipts import services


class Command(BaseCommand):
    """Write the openings of a receipt as JSON to standard output."""

    help = (
        "Write the exact values and salts of a receipt of a hidden split, as JSON, to standard output. "
        "python -m scoring verify RECEIPT.json --openings FILE proves them. Do not publish them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the receipt's argument."""
        parser.add_argument("receipt", help="the receipt's id, as in its address")

    def handle(self, *args: Any, receipt: str, **options: Any) -> None:
        """Find the receipt and write its openings."""
        del args, options
        try:
            stored = Receipt.objects.filter(pk=receipt).first()
        except ValidationError:
            stored = None
        if stored is None:
            raise CommandError(f"There is no receipt {receipt}.")
        if not stored.openings_json:
            raise CommandError("The receipt has no commitments: it is of an open split, or of an earlier version.")
        audit.record("open_receipt", "receipt.opened", f"receipt {stored.pk}")
        self.stdout.write(json.dumps(services.openings_of(stored), indent=1))
