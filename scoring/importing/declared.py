"""Import of a declared benchmark: its splits, settings, folder and revisions, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from django.db import transaction

from scoring import declarations
from scoring.benchmarks import definitions, packaged_definitions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.files import Files
from scoring.benchmarks.declared.reading import Declaration
from scoring.files.mistakes import DECLARATION, Mistake, shown
from scoring.files.toml_lines import read_toml
from scoring.importing.hidden_splits import opened
from scoring.importing.pictures import store_pictures
from scoring.importing.revisions import (
    ImportedSplit,
    import_definition,
    import_split,
    in_split,
    require_private,
    require_subsets_apart,
    splits_by_slug,
)
from scoring.models import AnswerSet, Benchmark, Split

_MISSING: Final = object()
HAS_IT: Final = "the site has it already"
Remove: TypeAlias = Callable[[Split], str]
"""Removes a split; returns why it must stay, as the end of a sentence, empty if it is removed."""


def _removes_nothing(split: Split) -> str:
    del split
    return HAS_IT


@dataclass(frozen=True)
class ImportedBenchmark:
    """The result of importing a declared benchmark."""

    benchmark: Benchmark
    created: bool
    changes: list[str]
    """Differences from the earlier declaration, a line each; empty for a new benchmark."""
    warnings: list[str] = field(default_factory=list)
    """Warnings for the maintainer before the import."""
    splits: list[tuple[Split, ImportedSplit]] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return self.created or bool(self.changes) or any(split.changed for _, split in self.splits)


def import_declaration(
    declaration: Declaration, *, make_current: bool = False, as_drafts: bool = False, remove: Remove = _removes_nothing
) -> ImportedBenchmark:
    """Import a declared benchmark with the questions of all its splits; see `import_split` for ``make_current``.

    This process uses the new definition at once. A caller whose own transaction is rolled back later calls
    `declarations.clear`.

    Args:
        as_drafts: whether new splits are drafts.
        remove: removes a split that is not declared any more, or says why it must stay.

    Raises:
        SourceError: its slug is that of a packaged benchmark, a split or setting that exists is not declared and cannot
            be removed, its task type is another one than that of the answers that exist, another benchmark has one of
            its attributes with another kind, or changed questions have the date of the earlier ones.
    """
    definition = declaration.definition
    try:
        with transaction.atomic():
            earlier = Benchmark.objects.filter(slug=definition.slug).first()
            removed = _require_free(declaration, earlier, remove)
            before = declarations.stored_files(earlier) if earlier else {}
            hidden = _hidden_splits(earlier)
            warnings = [opened(split.slug) for split in definition.splits if split.slug in hidden and not split.hidden]
            warnings += declaration.warnings()
            benchmark = import_definition(definition, as_drafts=as_drafts)
            declarations.store(benchmark, declaration)
            changed = [*removed, *changes(before, declaration.files)]
            imported = ImportedBenchmark(benchmark, earlier is None, changed, warnings)
            splits = splits_by_slug(benchmark)
            store_pictures(declaration.pictures, definition.packaged(), splits)
            for slug, packaged in definition.packaged().items():
                done = import_split(
                    splits[slug],
                    packaged.source.questions,
                    date=packaged.date,
                    note=packaged.note,
                    make_current=make_current,
                    one_of_several=True,
                )
                if (splits[slug].subset_of or splits[slug]).slug in hidden:  # until this import is confirmed
                    done = replace(done, diff=replace(done.diff, new_answers=()))
                imported.splits.append((splits[slug], done))
            _require_own_dates(imported.splits)
            require_subsets_apart(benchmark)
            for slug, packaged in definition.packaged().items():  # also against splits that were imported alone
                questions = in_split(splits[slug], packaged.source.questions)
                imported.warnings.extend(require_private(splits[slug], questions))
            return imported
    except BaseException:
        declarations.clear()
        raise


def _hidden_splits(benchmark: Benchmark | None) -> set[str]:
    hidden = Split.with_drafts.filter(benchmark=benchmark, hidden=True)
    return set(hidden.values_list("slug", flat=True)) if benchmark is not None else set()


def _require_own_dates(splits: Iterable[tuple[Split, ImportedSplit]]) -> None:
    """Refuse changed questions under the date of the earlier ones: readers could not tell the two apart."""
    problems = [
        f"{DECLARATION}: splits.{split.slug}.date: found {imported.revision.date}, the date of the earlier questions, "
        "expected the day on which these questions were changed. Change the date."
        for split, imported in splits
        if imported.created and imported.current and imported.current.date == imported.revision.date
    ]
    if problems:
        raise SourceError(problems)


def _require_free(declaration: Declaration, earlier: Benchmark | None, remove: Remove) -> list[str]:
    """Refuse a slug that is taken, to drop what has submissions or questions, and to read answers as another type.

    Returns:
        The splits that were removed, a line each.
    """
    definition = declaration.definition
    if definition.slug in packaged_definitions():
        text = f"{DECLARATION}: slug: found {definition.slug!r}, which is a benchmark of this site's software."
        raise SourceError([f"{text} Choose another slug."])
    others = {
        attribute.name: (attribute, other.slug)
        for other in definitions().values()
        for attribute in other.attributes
        if other.slug != definition.slug
    }
    clashes = []
    for attribute in definition.attributes:
        other, slug = others.get(attribute.name, (attribute, ""))
        if other.kind != attribute.kind:
            expected = f"{shown(other.kind)}, its kind in the benchmark {slug}, because systems are on several boards"
            fix = "Choose another name or that kind."
            field = f"attributes.{attribute.name}.kind"
            clashes.append(str(Mistake(DECLARATION, 0, field, shown(attribute.kind), expected, fix)))
    if clashes:
        raise SourceError(clashes)
    if earlier is None:
        return []
    splits, settings = ({part.slug for part in kind} for kind in (definition.splits, definition.settings))
    missing: dict[str, str] = {}
    removed = []
    for split in Split.with_drafts.filter(benchmark=earlier).exclude(slug__in=splits):
        reason = remove(split)
        if reason:
            missing[f"splits.{split.slug}"] = reason
        else:
            removed.append(f"splits.{split.slug}: removed")
    subsets = {(subset.slug, subset.split) for subset in definition.subsets}
    stored = Split.every.filter(benchmark=earlier, subset_of__isnull=False, part="").values_list(
        "slug", "subset_of__slug"
    )
    missing |= {f"subsets.{slug}": HAS_IT for slug, whole in stored if (slug, whole) not in subsets}
    missing |= {f"settings.{one.slug}": HAS_IT for one in earlier.settings.all() if one.slug not in settings}
    problems = [
        f"{DECLARATION}: {name}: found nothing, expected this table, because {reason}. Add it again; for a setting, "
        "accepts_submissions = false closes it."
        for name, reason in missing.items()
    ]
    # Answers that the site has were read and stored as its task type says; another one cannot read them.
    kept = read_toml(DECLARATION, declarations.stored_files(earlier).get(DECLARATION, b"")).values.get("task_type")
    if kept not in (None, definition.task_type) and AnswerSet.objects.filter(split__benchmark=earlier).exists():
        expected = f"{shown(kept)}, because the site has answers of this type"
        fix = "Change it back, or declare another benchmark with another slug."
        problems.append(str(Mistake(DECLARATION, 0, "task_type", shown(definition.task_type), expected, fix)))
    if problems:
        raise SourceError(problems)
    return removed


def changes(before: Files, after: Files) -> list[str]:
    """Each changed field of ``benchmark.toml`` and each changed other file, in one line. Nothing for a new benchmark.

    >>> old = {"benchmark.toml": b'name = "A"\\n[splits.test]\\nhidden = true', "data-card.md": b"x"}
    >>> changes(old, {"benchmark.toml": b'name = "B"\\n[splits.test]\\nhidden = false', "data-card.md": b"y"})
    ['name: the text "A" → the text "B"', 'splits.test.hidden: true → false', 'data-card.md: changed']
    """
    if not before:
        return []
    old, new = (
        dict(_flat(read_toml(DECLARATION, files.get(DECLARATION, b"")).values, "")) for files in (before, after)
    )
    lines = [
        f"{name}: {_shown(old.get(name, _MISSING))} → {_shown(new.get(name, _MISSING))}"
        for name in dict.fromkeys([*new, *old])
        if old.get(name, _MISSING) != new.get(name, _MISSING)
    ]
    for name in sorted({*before, *after} - {DECLARATION}):
        if before.get(name) != after.get(name):
            what = "added" if name not in before else "removed" if name not in after else "changed"
            lines.append(f"{name}: {what}")
    return lines


def _shown(value: Any) -> str:
    return "nothing" if value is _MISSING else shown(value)


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for index, item in enumerate(value, start=1):
                yield from _flat(item, f"{prefix}{name}[{index}].")
        else:
            yield f"{prefix}{name}", value
