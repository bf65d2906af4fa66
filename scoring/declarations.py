"""Declared benchmarks in the database, as definitions: each process reads them once, and again when one changed."""

from __future__ import annotations

import hashlib
import io
import logging
import time
import zipfile
from dataclasses import replace
from typing import Final

from django.conf import settings
from django.db import Error
from django.db.models import Exists, OuterRef, QuerySet

from scoring import benchmarks
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.benchmarks.declared.files import pack
from scoring.benchmarks.declared.reading import Declaration, read_declaration
from scoring.models import Benchmark, DeclaredFolder, Split

logger = logging.getLogger(__name__)

_SHOWN_PROBLEMS: Final = 3
_by_hash: dict[str, BenchmarkDefinition | None] = {}
"""The definition in each folder that this process has read, by its SHA-256; None if it cannot be read."""


class _Look:
    """Time at which this process last looked for changed declarations."""

    at = 0.0


def read_definitions() -> benchmarks.Definitions | None:
    """The definitions of the benchmarks in the database, by slug: one query, and one for each folder that changed.

    None without a database or its tables: the next use tries again.
    """
    try:
        hashes = dict(DeclaredFolder.objects.values_list("benchmark__slug", "sha256"))
        read = {slug: _definition(slug, sha256) for slug, sha256 in hashes.items()}
    except Error as error:
        logger.debug("Declared benchmarks were not read: %s", type(error).__name__)
        return None
    for sha256 in _by_hash.keys() - set(hashes.values()):
        _by_hash.pop(sha256, None)  # another thread may have been quicker
    _Look.at = time.monotonic()
    return {slug: definition for slug, definition in read.items() if definition is not None}


def known_benchmarks(*, drafts: bool = False) -> QuerySet[Benchmark]:
    """The benchmarks that have a definition and, unless drafts are wanted, a split that is no draft; one whose package
    was removed is not shown."""
    known = Benchmark.objects.filter(slug__in=list(benchmarks.definitions()))
    return known if drafts else known.filter(Exists(Split.objects.filter(benchmark=OuterRef("pk"))))


def unreadable_benchmarks() -> dict[str, str]:
    """The benchmarks in the database, and in this software, without a definition, by slug, each with the reason. One
    query, and one for each of them that has a folder."""
    missing = Benchmark.objects.exclude(slug__in=list(benchmarks.definitions()))
    packaged = {slug: _first_problems(error) for slug, error in benchmarks.unreadable_packages().items()}
    reasons = dict(packaged)
    for benchmark in missing.select_related("folder").defer("folder__content"):
        folder = getattr(benchmark, "folder", None)
        reason = "It can be read now, and is shown as soon as this process has looked again."
        if folder is None:
            reason = packaged.get(benchmark.slug, "It is not part of this version of the software.")
        else:
            try:
                read_declaration(files_of(bytes(folder.content)), with_questions=False)
            except SourceError as error:
                reason = _first_problems(error)
        reasons[benchmark.slug] = reason
    return reasons


def _first_problems(error: SourceError) -> str:
    return " ".join(error.problems[:_SHOWN_PROBLEMS])


def expire(**kwargs: object) -> None:
    """Have the next use look for changes by other processes, if ``BENCHMARKS_REFRESH_SECONDS`` have passed since the
    last look (None: never). No query: a request that uses no definition needs no database for it."""
    del kwargs
    every: float | None = settings.BENCHMARKS_REFRESH_SECONDS
    if every is not None and time.monotonic() - _Look.at >= every:
        benchmarks.expire_declared()


def expire_before_task(**kwargs: object) -> None:
    """Have a task look for changes by other processes at once: its benchmark may have been imported just now."""
    del kwargs
    if settings.BENCHMARKS_REFRESH_SECONDS is not None:
        benchmarks.expire_declared()


def clear() -> None:
    """Have the next use read the database: what is known may have been rolled back."""
    benchmarks.expire_declared()


def forget_all() -> None:
    """Know that there is none, without a look: for a database that is known to be empty."""
    _by_hash.clear()
    benchmarks.know_declared({})


def _definition(slug: str, sha256: str) -> BenchmarkDefinition | None:
    """A definition; None, with a line in the log, if its folder cannot be read by this version of the site."""
    definition = _by_hash.get(sha256)
    if sha256 not in _by_hash:
        content = DeclaredFolder.objects.values_list("content", flat=True).filter(benchmark__slug=slug).first()
        try:
            definition = read_declaration(files_of(bytes(content or b"")), with_questions=False).definition
        except SourceError as error:
            logger.error("The declared benchmark %s cannot be read: %s", slug, _first_problems(error))
        _by_hash[sha256] = definition
    return definition


def files_of(content: bytes) -> dict[str, bytes]:
    """The files of a stored folder, which the site packed itself.

    Raises:
        SourceError: the content is damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise SourceError([f"The stored folder is damaged: {error}"]) from error


def stored_files(benchmark: Benchmark) -> dict[str, bytes]:
    """The files of a benchmark's folder as they are stored; none if it has no folder."""
    content = DeclaredFolder.objects.values_list("content", flat=True).filter(benchmark=benchmark).first()
    return files_of(bytes(content)) if content is not None else {}


def store(benchmark: Benchmark, declaration: Declaration) -> None:
    """Store a benchmark's folder. This process uses it at once: call `clear` if the transaction is rolled back."""
    content = pack(declaration.files)
    sha256 = hashlib.sha256(content).hexdigest()
    DeclaredFolder.objects.update_or_create(benchmark=benchmark, defaults={"content": content, "sha256": sha256})
    # Without the questions, as other processes have it.
    _by_hash[sha256] = replace(declaration.definition, questions={})
    benchmarks.expire_declared()
