"""Receipt of large uploads, which a worker checks (`checking`).

Enters: an upload whose fields are valid and whose files are unread. Leaves: a `ReceivedUpload` with its files byte for
byte, in one committed transaction, and a message to a worker. What depends on the time of receipt is decided here:
quotas, the team, the token.
"""

from typing import Final, cast

from django.core.files import File
from django.db import transaction
from django.http import QueryDict

from leaderboard.models import ApiToken, ReceivedFile, ReceivedUpload, User
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions import quotas, storage
from leaderboard.submissions.forms import Upload
from leaderboard.submissions.intake import PASSAGES, display_filename
from scoring.workers import broker

CHECK: Final = "leaderboard.tasks.check_upload"
QUEUE: Final = "cpu"
"""Checks take seconds of a processor, so they are not for the queue of housekeeping; they go before runs, which have a
lower priority."""


def receive(upload: Upload, *, owner: User, by_api: bool, token: ApiToken | None = None) -> ReceivedUpload:
    """Store an upload as it was sent, to be checked by a worker; raises as `storage.create_submission`."""
    if upload.split is None:
        raise SubmissionError("A form with errors cannot be submitted.")
    form, data = upload.form, cast("QueryDict", upload.form.data)
    sent = [(part, *file) for part in ("", PASSAGES) for file in form.sent_files(part).items()]
    with storage.files_removed_on_error() as written, transaction.atomic():
        transaction.on_commit(written.clear)
        storage.admit(owner, upload.split, upload.team, token, n_files=len(form.sent_files()))
        received = ReceivedUpload.objects.create(
            owner=owner,
            team=upload.team,
            split=upload.split,
            name=upload.system["name"],
            fields={  # PostgreSQL stores no null characters
                name: value for name, value in data.dict().items() if name in form.fields and "\0" not in value
            },
            by_api=by_api,
            counts_for_sender=quotas.counts_for_sender(upload.split.benchmark, upload.team),
            size=sum(file.size or 0 for _, _, file in sent),
        )
        for part, setting, file in sent:
            row = ReceivedFile(upload=received, setting=setting, part=part, filename=display_filename(file.name or ""))
            written.append(row)
            file.seek(0)
            row.original.save("original", File(file), save=False)
            row.save()
        broker.send_on_commit(CHECK, str(received.pk), queue=QUEUE, expires=None)
    return received
