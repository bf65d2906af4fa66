"""The pictures of a declared benchmark's questions, as files of the site."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.files.base import ContentFile

from scoring.benchmarks.base import PackagedSplit
from scoring.benchmarks.declared.context import is_picture
from scoring.benchmarks.declared.pictures import PictureFile, Pictures
from scoring.models import Picture, Split
from scoring.models.pictures import picture_path


def store_pictures(pictures: Pictures, packaged: Mapping[str, PackagedSplit], splits: Mapping[str, Split]) -> None:
    """Store the pictures that the site does not have yet, and which splits have questions about them.

    A file that the transaction leaves behind when it is rolled back is used by the next import: its name is that of its
    content.

    Args:
        pictures: Those of the folder.
        packaged: The questions of each split or subset.
        splits: The stored splits and subsets.
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
    name = picture_path(row, "")
    if not row.file.storage.exists(name):
        name = row.file.storage.save(name, ContentFile(pictures.content(picture)))
    row.file.name = name
    row.save()
    return row
