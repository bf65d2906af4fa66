"""The layout of submissions and results in FanOutQA's own repository: ``leaderboard-submissions/`` at
https://github.com/zhudotexe/fanoutqa, as its ``hydrate.py`` reads and writes it."""

from scoring.benchmarks.base import OfficialLayout, ResultField

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
)
