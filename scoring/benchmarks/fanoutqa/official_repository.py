"""The layout of submissions and results in FanOutQA's own repository: ``leaderboard-submissions/`` at
https://github.com/zhudotexe/fanoutqa, as its ``hydrate.py`` reads and writes it."""

import datetime

from scoring.benchmarks.base import OfficialLayout, ResultField

PUBLISHED = {
    datetime.date(2024, 3, 14): "claude gpt-3.5-turbo gpt-4 gpt-4-turbo llama-chat mistral-chat mixtral",
    datetime.date(2024, 4, 24): "gemma-7b-it llama-3",
    datetime.date(2024, 4, 25): "claude-3",
    datetime.date(2024, 6, 11): "gpt-4o",
    datetime.date(2024, 10, 16): "mistral-large-2407 mistral-small-2409",
    datetime.date(2025, 3, 5): "llama33_70b_distill_ds_32k",
    datetime.date(2025, 9, 21): "gpt-oss-120b gpt-oss-20b",
}
"""The results files by the day on which the repository got their numbers, from its history."""
SETTINGS = ("closedbook", "openbook", "evidenceprovided")

OFFICIAL = OfficialLayout(
    split="test",
    roots=("", "leaderboard-submissions"),
    metadata="metadata",
    fields={
        "name": "name",
        "authors": "authors",
        "url": "url",
        "citation": "citation",
        "type": "type",
        "context": "context_size",
        "is_trained_for_function_calling": "trained_for_function_calling",
        "details": "details",
    },
    generations={setting: f"{setting}-generations" for setting in SETTINGS},
    file_fields={setting: f"{setting}_generations" for setting in SETTINGS},
    results="results",
    results_metadata="metadata",
    result_settings={setting: setting for setting in SETTINGS},
    result_fields=(
        ResultField(("acc", "loose"), "loose"),
        ResultField(("acc", "strict"), "strict"),
        *(
            ResultField(("rouge", kind, part), f"{kind}.{part}")
            for kind in ("rouge1", "rouge2", "rougeL")
            for part in ("precision", "recall", "fscore")
        ),
        ResultField(("bleurt",), "bleurt", low=-2.0, high=2.0),  # a regression, which may leave the range from 0 to 1
        ResultField(("gpt",), "judge", zero_is_missing=True),  # ``gptscore = 0`` without a key
    ),
    results_ignored=frozenset({"_submission_hash", "_results_hash"}),  # both are salted with a secret of its own
    source="Official leaderboard of FanOutQA, results/{file}",
    note=(
        "Computed by the benchmark's own scorer against the reference answers of that time. The file does "
        "not name the judge model, which differs between rows."
    ),
    result_dates={f"{name}.json": day for day, names in PUBLISHED.items() for name in names.split()},
)
