"""The differences that are allowed between the site of version 0.7.0 and the same site after the upgrade.

Add a line when a migration removes, recomputes or adds something. Each exception gives the reason why nothing is lost.
"""

from typing import Final

CHANGED_TABLES: Final[dict[str, str]] = {
    "auth_permission": "Rights of new tables are added.",
    "django_content_type": "The types of new tables are added.",
    "django_migrations": "The migrations of this version are added.",
    "leaderboard_draftfile": "Files of refused forms were saved for an hour; the site saves none any more.",
    "leaderboard_uploaddraft": "As its files.",
    "leaderboard_devicelogin": "The client asks for a token of the account page.",
    "leaderboard_oddity": "Dismissed flags and those that are no longer found are deleted; two codes are renamed.",
}
"""Tables that are not compared and may be removed → the reason."""

CHANGED_COLUMNS: Final[dict[tuple[str, str], str]] = {
    **{
        ("scoring_run", name): "Repeated judgings are cancelled; their signature names the repeat."
        for name in ("repeat", "signature", "counts", "state", "reason", "finished_at")
    },
    **{
        ("leaderboard_standing", name): "The shown noise of a judge counted unread replies; docs/judge.md says more."
        for name in ("noise", "noise_low", "noise_high", "n_repeats")
    },
    **{
        ("leaderboard_submission", name): "One key of names, made on save."
        for name in ("name_dismissed_at", "name_checked", "name_skeleton")
    },
    **{
        ("leaderboard_system", name): "One key of names, made on save."
        for name in ("name_family", "name_checked", "name_skeleton")
    },
    ("leaderboard_submissionfile", "log_references"): "Reference answers in logs are not looked for.",
    ("humaneval_study", "closes_at"): "A study that the public voted in is closed.",
    ("humaneval_study", "encyclopedia"): "One read by kiwix-serve becomes the site's; the study's log names it.",
    ("humaneval_study", "questions_per_participant"): "Items of the test are no longer among the questions.",
    ("humaneval_study", "public_from"): "There is no public voting; the votes stay.",
    ("leaderboard_boarddocument", "times"): "A system's ranks over time are computed from its scores.",
    ("scoring_budgetrelease", "note"): "The audit log says who released a run.",
    ("scoring_judgeestimate", "batch"): "Judging is live.",
    ("scoring_split", "competition"): "What the Ladder withheld is in withheld_scores.",
    ("scoring_split", "ladder_step"): "It is the rounding_step.",
    ("scoring_verdict", "batch_id"): "The batches stay.",
    ("scoring_verdict", "repeat"): "The address of a verdict tells repeats apart.",
    ("leaderboard_receivedupload", "request_id"): "It named a repeated request, which is kept for a week.",
}
"""A table and a column whose values may change, or which may be removed → the reason. The rows must remain."""

GROWING_TABLES: Final[dict[str, str]] = {
    "humaneval_studyevent": "The closing of a public study is recorded.",
}
"""Tables that may get further rows → the reason."""

LEFT_COLUMNS: Final[dict[str, str]] = {
    "humaneval_visit: ('note', False)": "Notes of articles stay until 0.9.0; new rows get an empty one by default.",
}
"""Columns that the database has beside those of the models → the reason."""

GONE_PAGES: Final = ("/receipts/",)
"""Where the addresses begin that answer 410 now."""
