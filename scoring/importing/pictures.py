"""The pictures of a declared benchmark's questions, as files of the site."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.files.base import ContentFile
from django.db import transaction

from scoring.benchmarks.base import PackagedSplit
from scoring.benchmarks.declared.context import is_picture
from scoring.benchmarks.declared.pictures import PictureFile, Pictures
from scoring.models import Picture, Split
from scoring.models.pictures import picture_path


def store_pictures(pictures: Pictures, packaged: Mapping[str, PackagedSplit], splits: Mapping[str, Split]) -> None:
    """Store the pictures that the site does not have yet, and which splits have questions about them.

    The files are written when the transaction is committed: an import that is rolled back, or only tried, leaves none.
    """
    stored = {picture.sha256: _stored(picture, pictures) for picture in pictures}
    for slug, questions in packaged.items():
        blocks = (block for question in questions.source.questions for block in question.context)
        shown = {block["picture"] for block in blocks if is_picture(block)}
        split = splits[slug].subset_of or splits[slug]
        split.pictures.add(*(stored[sha256] for sha256 in shown))


def _stored(picture: PictureFile, pictures: Pictures) -> Picture:
    known = Picture.objects.filter(sha256=picture.sha256).first()
    row = known or Picture(sha256=picture.sha256, type=picture.type)
    row.file.name = name = picture_path(row, "")
    row.save()

    def write() -> None:
        if not row.file.storage.exists(name):
            row.file.storage.save(name, ContentFile(pictures.content(picture)))

    transaction.on_commit(write)
    return row
