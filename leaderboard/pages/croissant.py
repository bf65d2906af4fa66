"""A benchmark, or one of its splits, in Croissant 1.0 with the properties for responsible AI: a description of data
that other programs load (https://docs.mlcommons.org/croissant/). It begins with what the data card says to search
engines, and has the questions of open splits, never a reference answer."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from django.urls import reverse

from leaderboard.pages.data_card import structured_data_of
from leaderboard.web.site_address import at_site
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Question, Revision

_CR: Final = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: f"cr:{name}" for name in _CR},
}
"""Context of JSON-LD as the specification gives it: every description repeats it."""
CONFORMS_TO: Final = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
RAI: Final = {
    "origin": "dataCollection",
    "filtering": "dataPreprocessingProtocol",
    "validation": "dataAnnotationProtocol",
    "use": "dataUseCases",
    "flaws": "dataLimitations",
    "time": "dataLimitations",
    "corrections": "dataReleaseMaintenancePlan",
    "people-in-it": "personalSensitiveInformation",
}
"""The properties for responsible AI, by the name of the section of a data card that says it."""
AUTHOR_FIELD: Final = re.compile(r'\bauthor\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|"([^"]*)")', re.IGNORECASE)
"""Field of the authors in BibTeX."""
FIELDS: Final = {"id": "qid", "text": "text", "categories": "categories"}
"""Fields of a line in a file of questions, and where each comes from."""
JSON_LINES: Final = "application/jsonlines"


def croissant_of(benchmark: Benchmark, url: str, splits: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The description of some splits. For each open one it reads the questions.

    Args:
        url: of the data card.
        splits: as `leaderboard.pages.data_card.splits_facts` returns them.
    """
    splits = list(splits)
    definition = definition_of(benchmark.slug)
    card, form = definition.card, definition.form
    open_splits = [split for split in splits if not split["hidden"]]
    revisions = [split["revision"] for split in splits]
    licences = list(dict.fromkeys(licence.url for licence in form.all_licences))
    author = AUTHOR_FIELD.search(form.bibtex)
    names = re.split(r"\s+and\s+", author[1] or author[2]) if author else []
    authors = [re.sub(r"\\[A-Za-z]+\s?|[\\{}'`\"^~]", "", name) for name in names if name]  # without marks of LaTeX
    responsible: dict[str, list[str]] = {}
    for section in card.sections:
        if section.slug in RAI:
            responsible.setdefault(f"rai:{RAI[section.slug]}", []).extend([*section.paragraphs, *section.points])
    return {
        **structured_data_of(benchmark, url, splits),
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": f"{benchmark.name}-{splits[0]['slug']}" if len(splits) == 1 else benchmark.name,
        "description": benchmark.description or card.lede,
        **({"license": licences} if licences else {}),
        "creator": [{"@type": "sc:Person", "name": name} for name in authors],
        "citeAs": form.bibtex or benchmark.citation,
        **({"datePublished": min(revision.date for revision in revisions).isoformat()} if revisions else {}),
        "version": "1.0.0+" + ".".join(f"{split['slug']}-{split['revision'].short_hash}" for split in splits),
        **{name: "\n".join(texts) for name, texts in responsible.items()},
        "distribution": [_file(benchmark, split) for split in open_splits],
        "recordSet": [_records(split) for split in open_splits],
    }


def questions_file(revision: Revision) -> bytes:
    """The questions of a revision, one JSON object a line."""
    questions = Question.objects.filter(revision=revision).values_list(*FIELDS.values())
    lines = (dict(zip(FIELDS, question, strict=True)) for question in questions.iterator(chunk_size=500))
    return msgspec.json.Encoder().encode_lines(list(lines))


def _file(benchmark: Benchmark, split: Mapping[str, Any]) -> dict[str, Any]:
    revision: Revision = split["revision"]
    return {
        "@type": "cr:FileObject",
        "@id": _name(split),
        "name": _name(split),
        "description": f"Questions of the {split['name'].lower()} split, revision {revision.short_hash}, without "
        "reference answers.",
        "contentUrl": at_site(reverse("questions-file", args=[benchmark.slug, split["slug"]])),
        "encodingFormat": JSON_LINES,
        "sha256": hashlib.sha256(questions_file(revision)).hexdigest(),
    }


def _records(split: Mapping[str, Any]) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{split['slug']}/{name}",
            "name": name,
            "dataType": "sc:Text",
            **({"repeated": True} if name == "categories" else {}),
            "source": {"fileObject": {"@id": _name(split)}, "extract": {"column": name}},
        }
        for name in FIELDS
    ]
    key = {"@id": f"{split['slug']}/id"}
    return {"@type": "cr:RecordSet", "@id": split["slug"], "name": split["slug"], "key": key, "field": fields}


def _name(split: Mapping[str, Any]) -> str:
    return f"{split['slug']}-questions.jsonl"
