"""The tables of version 0.7.0. Sites of that version have them already."""

import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import scoring.models.answers
import scoring.models.benchmarks


class Migration(migrations.Migration):
    replaces = [
        ("scoring", "0001_squashed_0022_subsets"),
        ("scoring", "0023_sums_of_python_3_11"),
        ("scoring", "0024_lengths_of_comparisons"),
        ("scoring", "0025_question_clusters"),
        ("scoring", "0026_cut_answers"),
        ("scoring", "0027_run_key_fields"),
        ("scoring", "0028_run_key_data"),
        ("scoring", "0029_run_key_constraints"),
        ("scoring", "0030_usage"),
        ("scoring", "0031_turns"),
        ("scoring", "0032_worker_version"),
        ("scoring", "0033_answer_blocks"),
        ("scoring", "0034_answers_to_blocks"),
        ("scoring", "0035_index_of_created_runs"),
        ("scoring", "0036_index_of_created_answer_sets"),
        ("scoring", "0037_index_of_closed_answer_sets"),
        ("scoring", "0038_index_of_counted_runs"),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Benchmark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(unique=True)),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True)),
                ("citation", models.TextField(blank=True, help_text="Citation of the benchmark, in one line.")),
                ("url", models.URLField(blank=True)),
                ("licence", models.CharField(blank=True, max_length=200)),
                ("position", models.PositiveIntegerField(default=0)),
                (
                    "needs_approval",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether a maintainer must approve a submission before it appears on the board."
                        " Unknown: the benchmark's own default.",
                        null=True,
                        verbose_name="publishing needs approval",
                    ),
                ),
            ],
            options={
                "ordering": ["position", "slug"],
            },
        ),
        migrations.CreateModel(
            name="Setting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField()),
                ("name", models.CharField(max_length=100)),
                ("description", models.TextField(blank=True)),
                ("position", models.PositiveIntegerField(default=0)),
                ("accepts_submissions", models.BooleanField(default=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="settings", to="scoring.benchmark"
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "slug"), name="setting_slug_unique_in_benchmark")
                ],
            },
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content_hash", models.CharField(max_length=64)),
                ("questions_hash", models.CharField(help_text="SHA-256 of the questions only.", max_length=64)),
                ("date", models.DateField(help_text="When this revision was published.")),
                ("note", models.TextField(blank=True)),
                ("has_references", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "clusters_hash",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="SHA-256 of the clusters of its questions; empty without any.",
                        max_length=64,
                    ),
                ),
            ],
            options={
                "ordering": ["split", "created_at", "pk"],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="Split",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField()),
                ("name", models.CharField(max_length=100)),
                (
                    "hidden",
                    models.BooleanField(
                        default=False, help_text="Reference answers and per-question results stay private."
                    ),
                ),
                (
                    "competition",
                    models.BooleanField(
                        default=False,
                        help_text="Whether systems compete on it for a prize or a ranking: then the Ladder is on.",
                    ),
                ),
                (
                    "ladder_step",
                    models.FloatField(
                        blank=True,
                        help_text="Of a hidden split: a new score is shown only if it is better by this than the "
                        "best that the team was shown before, and rounded to it. 0: off. Empty: 0.01 "
                        "for a competition, otherwise off.",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="step of the Ladder",
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="splits", to="scoring.benchmark"
                    ),
                ),
                (
                    "current_revision",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="current_of",
                        to="scoring.revision",
                    ),
                ),
                (
                    "subset_of",
                    models.ForeignKey(
                        blank=True,
                        help_text="The split that has these questions too, if this is a subset with reference "
                        "answers of its own.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="scoring.split",
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "slug"), name="split_slug_unique_in_benchmark")
                ],
            },
        ),
        migrations.CreateModel(
            name="AnswerSet",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "submission_group",
                    models.UUIDField(
                        blank=True,
                        db_index=True,
                        help_text="Equal for answer sets submitted together; the judge budget applies to all of them.",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "closed_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When answers in it were deleted; it is not scored again after that.",
                        null=True,
                    ),
                ),
                (
                    "party",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="Who waits for the scores, as a key that says nothing of them; parties take "
                        "turns in a queue.",
                        max_length=40,
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="answer_sets", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="answer_sets", to="scoring.split"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at"],
                "indexes": [
                    models.Index(fields=["created_at"], name="answerset_created"),
                    models.Index(
                        condition=models.Q(("closed_at__isnull", False)), fields=["split"], name="answerset_closed"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FolderDraft",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(help_text="The name of the uploaded file.", max_length=200)),
                ("content", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "preview",
                    models.JSONField(default=dict, help_text="The effect of its import, as it is shown for review."),
                ),
                ("make_current", models.BooleanField(default=False)),
                ("made_by", models.CharField(max_length=150)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "ordering": ["created_at"],
            },
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("qid", models.CharField(max_length=64)),
                ("position", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("categories", models.JSONField(default=list)),
                (
                    "decomposition",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Sub-questions without their answers; empty on a hidden split, where they would"
                        " reveal the answer.",
                        validators=[scoring.models.benchmarks.require_json_object_list],
                    ),
                ),
                (
                    "evidence",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Necessary evidence: page id (or none), revision id, title and URL of each article.",
                        validators=[scoring.models.benchmarks.require_json_object_list],
                    ),
                ),
                (
                    "cluster",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="The name of its cluster of similar questions, for statistics. Never shown.",
                        max_length=100,
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="questions", to="scoring.revision"
                    ),
                ),
            ],
            options={
                "ordering": ["revision", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("revision", "qid"), name="question_unique_in_revision"),
                    models.UniqueConstraint(
                        fields=("revision", "position"), name="question_position_unique_in_revision"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkerHeartbeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255, unique=True)),
                (
                    "queues",
                    models.CharField(
                        help_text="The queues that the worker takes work from, separated by commas.", max_length=255
                    ),
                ),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "version",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The version of Manyhop that the worker runs.",
                        max_length=40,
                    ),
                ),
            ],
            options={
                "db_table": "scoring_workersighting",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "answer_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="usage",
                        serialize=False,
                        to="scoring.answerset",
                    ),
                ),
                ("totals", models.JSONField(default=dict, help_text="Of the whole run, by field.")),
                (
                    "questions",
                    models.JSONField(
                        default=dict,
                        help_text="By field, the values of the questions in qids; empty if only totals are stated.",
                    ),
                ),
            ],
            options={
                "ordering": ["answer_set"],
            },
        ),
        migrations.CreateModel(
            name="DeclaredFolder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "content",
                    models.BinaryField(help_text="A zip archive of benchmark.toml and the files that it names."),
                ),
                ("sha256", models.CharField(max_length=64)),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "benchmark",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="folder", to="scoring.benchmark"
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark"],
            },
        ),
        migrations.CreateModel(
            name="PassageFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("original", models.FileField(upload_to=scoring.models.answers.passages_path)),
                ("filename", models.CharField(max_length=255)),
                ("size", models.PositiveBigIntegerField(help_text="In bytes, as sent.")),
                ("sha256", models.CharField(max_length=64)),
                ("n_questions", models.PositiveIntegerField(help_text="Questions with at least one passage.")),
                (
                    "warnings",
                    models.JSONField(default=list, help_text="The groups of warnings reported when the file was sent."),
                ),
                (
                    "answer_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="passage_file", to="scoring.answerset"
                    ),
                ),
            ],
            options={
                "ordering": ["answer_set"],
            },
        ),
        migrations.CreateModel(
            name="Reference",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answer_json", models.TextField()),
                (
                    "decomposition_json",
                    models.TextField(
                        default="[]", help_text="The decomposition, including the answers to the sub-questions."
                    ),
                ),
                (
                    "question",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reference", to="scoring.question"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Ceiling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("metric", models.CharField(max_length=40)),
                ("name", models.CharField(help_text="The score's name, for example rouge1.fscore.", max_length=60)),
                ("signature", models.CharField(max_length=400)),
                ("value", models.FloatField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ceilings", to="scoring.revision"
                    ),
                ),
            ],
            options={
                "ordering": ["revision", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("revision", "signature", "name"), name="ceiling_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("metric", models.CharField(max_length=40)),
                ("signature", models.CharField(max_length=400)),
                (
                    "repeat",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="0 is the score; higher numbers are repeats that measure its test–retest "
                        "variability.",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("incomplete", "Incomplete"),
                            ("failed", "Failed"),
                            ("not_configured", "Not configured"),
                            ("over_budget", "Over budget"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=20,
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True, help_text="Why the run is waiting, failed or cannot run; shown to the submitter."
                    ),
                ),
                ("done_items", models.PositiveIntegerField(default=0)),
                ("total_items", models.PositiveIntegerField(default=0)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("lease_token", models.CharField(blank=True, max_length=32)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True, help_text="When its last message was sent to the broker.", null=True
                    ),
                ),
                ("times_sent", models.PositiveIntegerField(default=0)),
                (
                    "not_before",
                    models.DateTimeField(
                        blank=True, help_text="A waiting run does not start before this time.", null=True
                    ),
                ),
                (
                    "n_deferrals",
                    models.PositiveIntegerField(
                        default=0, help_text="Number of consecutive returns to the queue without a result."
                    ),
                ),
                (
                    "trouble_since",
                    models.DateTimeField(
                        blank=True, help_text="When the first of these returns was; empty without any.", null=True
                    ),
                ),
                (
                    "too_long",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Ids of the questions whose answers were not scored, because they took longer "
                        "than the time budget.",
                    ),
                ),
                (
                    "retry_requested_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When a retry was requested; earlier failures do not count against it.",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "counts",
                    models.BooleanField(
                        default=True,
                        help_text="Whether boards, receipts, emails and quotas use its scores. Repeats and "
                        "comparisons of further pairs do not count.",
                    ),
                ),
                (
                    "subset",
                    models.SlugField(
                        blank=True,
                        db_index=False,
                        help_text="The subset whose questions are scored; empty for the whole split.",
                    ),
                ),
                (
                    "answer_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="scoring.answerset"
                    ),
                ),
                (
                    "opponent",
                    models.ForeignKey(
                        blank=True,
                        help_text="The answer set that it is compared with; empty for metrics that compare with "
                        "references.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs_against",
                        to="scoring.answerset",
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="scoring.revision"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "metric"],
                "indexes": [
                    models.Index(fields=["state", "lease_until"], name="scoring_run_state_7b510c_idx"),
                    models.Index(fields=["state", "sent_at"], name="scoring_run_state_e170f1_idx"),
                    models.Index(
                        condition=models.Q(("repeat", 0), ("state", "done")),
                        fields=["metric", "-finished_at"],
                        name="run_done_lately_by_metric",
                    ),
                    models.Index(fields=["created_at"], name="run_created"),
                    models.Index(
                        condition=models.Q(("counts", True)),
                        fields=["revision", "signature", "metric", "subset", "state"],
                        name="run_counted",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            models.Q(("lease_until__isnull", False), models.Q(("lease_token", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="running_run_has_a_lease",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("opponent", None)),
                        fields=("answer_set", "metric", "subset", "signature", "repeat"),
                        name="run_unique",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("opponent__isnull", False)),
                        fields=("answer_set", "metric", "subset", "signature", "repeat", "opponent"),
                        name="comparing_run_unique",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeTurn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "run",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="scoring.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="JudgeEstimate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("n_calls", models.PositiveIntegerField()),
                ("tokens_in", models.PositiveIntegerField()),
                ("tokens_out", models.PositiveIntegerField()),
                ("usd", models.DecimalField(decimal_places=10, max_digits=16, null=True)),
                ("method", models.CharField(help_text="How tokens were counted.", max_length=60)),
                ("batch", models.BooleanField(default=False)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="estimate", to="scoring.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="JudgeBatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("made", "Saved"),
                            ("uploaded", "File uploaded"),
                            ("open", "Sent to the provider"),
                            ("done", "Read"),
                            ("failed", "Failed"),
                        ],
                        default="made",
                        max_length=10,
                    ),
                ),
                ("file_id", models.CharField(blank=True, max_length=200)),
                ("batch_id", models.CharField(blank=True, max_length=200)),
                ("endpoint", models.CharField(blank=True, max_length=253)),
                (
                    "requests",
                    models.JSONField(help_text="Id of each request → address, question id, ask, seed, repeat."),
                ),
                (
                    "status",
                    models.CharField(blank=True, help_text="The provider's name for the status.", max_length=40),
                ),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="batches",
                        to="scoring.run",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "judge batches",
                "ordering": ["created_at", "pk"],
                "indexes": [models.Index(fields=["state"], name="scoring_jud_state_50923c_idx")],
            },
        ),
        migrations.CreateModel(
            name="Comparison",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "arrays",
                    models.BinaryField(help_text="A NumPy .npz file: qids, scores, verdicts, answered, lengths."),
                ),
                (
                    "n_unparsed",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="Questions left out of the scores: a reply in one order or both has no readable"
                        " scores.",
                    ),
                ),
                (
                    "n_cut",
                    models.PositiveIntegerField(
                        default=0, help_text="Compared answers of which the judge got only the beginning."
                    ),
                ),
                (
                    "n_cut_opponent",
                    models.PositiveIntegerField(default=0, help_text="The same of the opponent's answers."),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comparison", to="scoring.run"
                    ),
                ),
            ],
            options={
                "ordering": ["run"],
            },
        ),
        migrations.CreateModel(
            name="BudgetRelease",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "limit_usd",
                    models.DecimalField(
                        decimal_places=10,
                        help_text="Total budget of the run in US dollars; empty for no limit.",
                        max_digits=16,
                        null=True,
                    ),
                ),
                ("by", models.CharField(max_length=150)),
                ("note", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="releases", to="scoring.run"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(help_text="For example rouge1.fscore; the run has the subset.", max_length=60),
                ),
                ("value", models.FloatField()),
                ("vector", models.BinaryField()),
                ("n_items", models.PositiveIntegerField()),
                ("n_answered", models.PositiveIntegerField()),
                ("signature", models.CharField(max_length=400)),
                (
                    "low",
                    models.FloatField(
                        blank=True,
                        help_text="Lower end of the 95 % bootstrap confidence interval of the value.",
                        null=True,
                    ),
                ),
                (
                    "high",
                    models.FloatField(
                        blank=True,
                        help_text="Upper end of the 95 % bootstrap confidence interval; empty until computed.",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="scoring.run"
                    ),
                ),
            ],
            options={
                "ordering": ["run", "pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("low__isnull", True), ("n_items__gt", 1)),
                        fields=["id"],
                        name="score_without_interval",
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("run", "name"), name="score_unique_in_run")],
            },
        ),
        migrations.CreateModel(
            name="ScoreAudit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("metric", models.CharField(max_length=40)),
                ("signature", models.CharField(help_text="The metric's signature, without the data.", max_length=400)),
                ("n_checked", models.PositiveIntegerField(help_text="Answers that were scored again.")),
                ("n_equal", models.PositiveIntegerField(help_text="Answers of which all numbers were equal.")),
                (
                    "differences",
                    models.JSONField(
                        default=list,
                        help_text="The other answers: run, question, key of the item, and the scores that differ.",
                    ),
                ),
                (
                    "problem",
                    models.CharField(blank=True, help_text="Why the official code could not be run.", max_length=200),
                ),
                ("checked_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["checked_at", "pk"],
                "indexes": [models.Index(fields=["metric", "-checked_at"], name="scoring_sco_metric_2ef985_idx")],
            },
        ),
        migrations.CreateModel(
            name="ImportDraft",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("content_json", models.TextField()),
                ("content_hash", models.CharField(max_length=64)),
                ("n_questions", models.PositiveIntegerField()),
                (
                    "remarks",
                    models.JSONField(default=list, help_text="Warnings about the files; they do not block the import."),
                ),
                ("date", models.DateField(help_text="When this revision was published.")),
                ("note", models.TextField(blank=True)),
                ("make_current", models.BooleanField(default=False)),
                ("made_by", models.CharField(max_length=150)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="import_drafts", to="scoring.split"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at"],
            },
        ),
        migrations.CreateModel(
            name="CurrentSignature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("metric", models.CharField(max_length=40)),
                ("signature", models.CharField(max_length=400)),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "subset",
                    models.SlugField(
                        blank=True,
                        db_index=False,
                        help_text="The subset on which it is computed; empty for the whole split.",
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="current_signatures",
                        to="scoring.split",
                    ),
                ),
            ],
            options={
                "ordering": ["split", "metric"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("split", "metric", "subset"), name="one_current_signature_per_split_and_metric"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Baseline",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of its answers; the signature of scores begins it.", max_length=64
                    ),
                ),
                ("chosen_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("chosen_by", models.CharField(max_length=150)),
                (
                    "answer_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="baseline_of", to="scoring.answerset"
                    ),
                ),
                (
                    "split",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="baseline", to="scoring.split"
                    ),
                ),
            ],
            options={
                "ordering": ["split"],
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("queue", models.CharField(max_length=20)),
                ("party", models.CharField(blank=True, max_length=40)),
                ("taken_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["queue", "taken_at"],
                "constraints": [models.UniqueConstraint(fields=("queue", "party"), name="one_turn_of_a_party")],
            },
        ),
        migrations.CreateModel(
            name="Verdict",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(max_length=64)),
                ("ask", models.PositiveSmallIntegerField(help_text="1 for the first request with this address.")),
                (
                    "repeat",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="0 is the score; higher numbers are repeats that measure test–retest variability.",
                    ),
                ),
                ("qid", models.CharField(max_length=64)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("verdict", "judged"),
                            ("unparsed", "unparsed: the reply has no readable verdict"),
                            ("empty", "empty reply"),
                            ("refused", "the judge refused"),
                            ("filtered", "stopped by the endpoint's content filter"),
                            ("truncated", "reply cut off at the maximum length"),
                            ("malformed", "the reply does not have the format of the API"),
                            ("rejected", "the endpoint rejects the request"),
                            ("timeout", "no reply before the timeout"),
                            ("rate_limited", "the endpoint's rate limit was exceeded"),
                            ("server_error", "error inside the endpoint"),
                            ("connection", "connection lost"),
                            ("expired", "not finished before the batch expired"),
                            ("surplus", "a verdict that already existed"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "letter",
                    models.CharField(
                        blank=True,
                        help_text="The verdict: a letter from A to F, or of a list its counts "
                        "(scoring.metrics.judge.lists).",
                        max_length=60,
                    ),
                ),
                (
                    "rule",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("last_line", "the letter alone on the last line"),
                            ("json", "a field of a JSON object"),
                            ("tag", "a tag around the letter"),
                            ("boxed", "a LaTeX box"),
                            ("lone_line", "the letter alone on another line, or with a bullet or a label"),
                            ("statement", "a statement of the answer"),
                            ("option", "an option, written out"),
                            ("end", "the letter after the last sentence"),
                        ],
                        help_text="The rule that read the letter; empty for verdicts from before version 0.6.0: "
                        "the last line.",
                        max_length=20,
                    ),
                ),
                ("reply", models.TextField(blank=True)),
                ("endpoint", models.CharField(blank=True, help_text="Host of the endpoint.", max_length=253)),
                ("model", models.CharField(max_length=200)),
                ("reported_model", models.CharField(blank=True, max_length=200)),
                ("system_fingerprint", models.CharField(blank=True, max_length=200)),
                ("finish_reason", models.CharField(blank=True, max_length=50)),
                ("seed", models.BigIntegerField()),
                ("tokens_in", models.PositiveIntegerField(null=True)),
                ("tokens_out", models.PositiveIntegerField(null=True)),
                (
                    "tokens_estimated",
                    models.BooleanField(default=False, help_text="Empty if the endpoint did not report it."),
                ),
                (
                    "price_usd",
                    models.DecimalField(
                        decimal_places=10,
                        help_text="Empty if the price of the model is unknown.",
                        max_digits=16,
                        null=True,
                    ),
                ),
                (
                    "latency",
                    models.FloatField(default=0.0, help_text="Seconds from the request to the end of the reply."),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="verdicts",
                        to="scoring.judgebatch",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="verdicts",
                        to="scoring.run",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "pk"],
                "indexes": [
                    models.Index(fields=["created_at"], name="scoring_ver_created_3ac978_idx"),
                    models.Index(fields=["model", "created_at"], name="scoring_ver_model_9b1f1a_idx"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("address", "ask"), name="reply_unique_per_ask"),
                    models.UniqueConstraint(
                        condition=models.Q(("letter", ""), _negated=True),
                        fields=("address",),
                        name="one_verdict_per_address",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("outcome", "verdict"), models.Q(("letter", ""), _negated=True)),
                            models.Q(models.Q(("outcome", "verdict"), _negated=True), ("letter", "")),
                            _connector="OR",
                        ),
                        name="letter_if_and_only_if_verdict",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AnswerBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveIntegerField(help_text="1, and the first bits of the hashes of the questions' ids."),
                ),
                (
                    "content",
                    models.BinaryField(help_text="Texts by the ids of their questions: JSON, compressed by Zstandard."),
                ),
                (
                    "answer_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="scoring.answerset",
                    ),
                ),
            ],
            options={
                "ordering": ["answer_set", "number"],
                "constraints": [models.UniqueConstraint(fields=("answer_set", "number"), name="block_unique_in_set")],
            },
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("qid", models.CharField(max_length=64)),
                ("participant", models.CharField(blank=True, max_length=32)),
                ("text", models.TextField(blank=True)),
                (
                    "withdrawn_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the participant withdrew. Earlier scores include the answer; new scores "
                        "do not.",
                        null=True,
                    ),
                ),
                (
                    "answer_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="scoring.answerset"
                    ),
                ),
            ],
            options={
                "ordering": ["answer_set", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("answer_set", "qid", "participant"), name="answer_unique_in_set")
                ],
            },
        ),
        migrations.AddField(
            model_name="revision",
            name="split",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="revisions", to="scoring.split"
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(
                fields=("split", "content_hash"), name="revision_content_unique_in_split"
            ),
        ),
    ]
