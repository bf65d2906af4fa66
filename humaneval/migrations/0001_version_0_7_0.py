"""The tables of version 0.7.0. Sites of that version have them already."""

import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import humaneval.models.grading
import humaneval.models.studies


class Migration(migrations.Migration):
    replaces = [
        ("humaneval", "0001_squashed_0013_public_votes"),
        ("humaneval", "0014_unfinished_answers"),
        ("humaneval", "0015_blind_pairs"),
        ("humaneval", "0016_graded_answer_sets"),
    ]

    initial = True

    dependencies = [
        ("leaderboard", "__first__"),
        ("scoring", "0001_version_0_7_0"),
    ]

    operations = [
        migrations.CreateModel(
            name="Study",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=80, unique=True)),
                ("name", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("answer", "Answer questions with an encyclopedia"),
                            ("items", "Check answers against passages"),
                            ("pairs", "Compare answers side by side"),
                            ("ratings", "Rate items"),
                        ],
                        default="answer",
                        max_length=12,
                        verbose_name="type",
                    ),
                ),
                ("consent_text", models.TextField(help_text="The text that participants agree to before they start.")),
                ("instructions", models.TextField()),
                (
                    "questions_per_participant",
                    models.PositiveIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1)]),
                ),
                (
                    "drawing",
                    models.CharField(
                        choices=[
                            ("random", "Random, without repeats for a participant"),
                            (
                                "balanced",
                                "Balanced: each question reaches the target number of answers before any exceeds it",
                            ),
                            ("stratified", "Stratified: random within categories, in proportion to the split"),
                            ("fixed", "Fixed list, the same for every participant"),
                        ],
                        default="random",
                        max_length=12,
                    ),
                ),
                (
                    "seed",
                    models.PositiveIntegerField(
                        default=0, help_text="Seed of the sampling. The same seed selects the same questions."
                    ),
                ),
                (
                    "answers_per_question",
                    models.PositiveIntegerField(
                        default=1,
                        help_text="Target number of answers per question, for balanced sampling.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "question_ids",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Question IDs, for a fixed list.",
                        validators=[humaneval.models.studies._require_texts],
                    ),
                ),
                (
                    "attention_checks",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text='Questions that test attention: [{"text": "…", "answers": ["…"]}].',
                        validators=[humaneval.models.studies._require_attention_checks],
                    ),
                ),
                (
                    "n_qualification",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Number of items of known outcome that each person gets first.",
                        verbose_name="qualification items",
                    ),
                ),
                (
                    "qualification_share",
                    models.FloatField(
                        default=0.8,
                        help_text="Share of the qualification items that must be right, 0 to 1.",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="qualification threshold",
                    ),
                ),
                (
                    "injected_share",
                    models.FloatField(
                        default=0.1,
                        help_text="Wrong answers added, as a share of the items or pairs, 0 to 0.5.",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(0.5),
                        ],
                        verbose_name="injected wrong answers",
                    ),
                ),
                (
                    "checked_share",
                    models.FloatField(
                        default=0.05,
                        help_text="Share of the accepted items that the team checks, 0 to 1.",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="staff check",
                    ),
                ),
                (
                    "declaration",
                    models.TextField(
                        blank=True,
                        editable=False,
                        help_text="What participants rate on which scales, as uploaded: TOML.",
                    ),
                ),
                (
                    "encyclopedia",
                    models.CharField(
                        blank=True,
                        help_text="zim:/path, kiwix:http://… or mediawiki:https://…. Leave empty to use the "
                        "site's encyclopedia.",
                        max_length=500,
                    ),
                ),
                (
                    "on_withdrawal",
                    models.CharField(
                        choices=[("delete", "Deleted"), ("anonymise", "Anonymised")], default="delete", max_length=10
                    ),
                ),
                (
                    "seats",
                    models.PositiveIntegerField(default=14, validators=[django.core.validators.MinValueValidator(1)]),
                ),
                ("reward_note", models.TextField(blank=True)),
                (
                    "opens_at",
                    models.DateTimeField(blank=True, help_text="Leave empty to keep the study a draft.", null=True),
                ),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                (
                    "public_from",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When public voting was opened; empty while it is closed.",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "counts_unfinished",
                    models.BooleanField(
                        default=False,
                        help_text="Also counts answers that were saved while being typed and never marked done, "
                        "unless the participant finished the study.",
                        verbose_name="count unfinished answers",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="studies", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "practice_question",
                    models.ForeignKey(
                        blank=True,
                        help_text="Must be from a split with public answers, because participants see the reference.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="scoring.question",
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="studies", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="studies", to="scoring.split"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "studies",
                "ordering": ["-created_at", "slug"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closes_at__isnull", True),
                            ("opens_at__isnull", True),
                            ("closes_at__gt", models.F("opens_at")),
                            _connector="OR",
                        ),
                        name="study_closes_after_it_opens",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ConsentVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField()),
                (
                    "on_withdrawal",
                    models.CharField(
                        help_text="What the text promises on withdrawal: delete or anonymise.", max_length=10
                    ),
                ),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="consent_versions",
                        to="humaneval.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "number"), name="consent_version_number_unique_in_study")
                ],
            },
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                (
                    "is_preview",
                    models.BooleanField(
                        default=False, help_text="A maintainer's preview; takes no seat and does not count."
                    ),
                ),
                ("joined_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("last_seen_at", models.DateTimeField(blank=True, null=True)),
                ("consented_at", models.DateTimeField(blank=True, null=True)),
                ("declined_at", models.DateTimeField(blank=True, null=True)),
                (
                    "instructed_at",
                    models.DateTimeField(blank=True, help_text="When the instructions were completed.", null=True),
                ),
                ("practised_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "dropped_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the participant was marked as dropped out, which frees the seat.",
                        null=True,
                    ),
                ),
                ("excluded_at", models.DateTimeField(blank=True, null=True)),
                ("exclusion_reason", models.TextField(blank=True)),
                (
                    "extended_until",
                    models.DateTimeField(
                        blank=True, help_text="Personal deadline, if later than the study's end.", null=True
                    ),
                ),
                ("reminded_at", models.DateTimeField(blank=True, null=True)),
                (
                    "receipt_code",
                    models.CharField(
                        help_text="Shown at the end, as proof of participation for a reward.",
                        max_length=32,
                        unique=True,
                    ),
                ),
                (
                    "consent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="humaneval.consentversion",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="participants", to="humaneval.study"
                    ),
                ),
            ],
            options={
                "ordering": ["study", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "number"), name="participant_number_unique_in_study")
                ],
            },
        ),
        migrations.CreateModel(
            name="StudyItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(help_text="Names the item in exports: I-00001.", max_length=20)),
                (
                    "name",
                    models.CharField(blank=True, help_text="The id of a text to rate, as in its file.", max_length=200),
                ),
                (
                    "group",
                    models.CharField(
                        blank=True, help_text="The group of a text to rate; participants do not see it.", max_length=100
                    ),
                ),
                (
                    "candidate",
                    models.TextField(blank=True, help_text="The answer to check; of a pair, the first answer."),
                ),
                ("other", models.TextField(blank=True, help_text="The second answer of a pair.")),
                ("passage_title", models.TextField(blank=True)),
                ("passage_text", models.TextField(blank=True, help_text="The passage, or the text to rate.")),
                (
                    "origin",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("gold", "Gold answer of the question"),
                            ("prediction", "Another answer"),
                            ("injected", "Wrong answer, injected"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "is_qualification",
                    models.BooleanField(default=False, help_text="Its outcome is known; it tests participants."),
                ),
                (
                    "supported",
                    models.BooleanField(blank=True, help_text="The known outcome, if there is one.", null=True),
                ),
                (
                    "named",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="An answer of the pair named its system when people compared it: what they "
                        "chose is left out.",
                    ),
                ),
                (
                    "first_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="scoring.answerset",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="scoring.question",
                    ),
                ),
                (
                    "second_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="scoring.answerset",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="humaneval.study"
                    ),
                ),
            ],
            options={
                "ordering": ["study", "key"],
                "constraints": [models.UniqueConstraint(fields=("study", "key"), name="item_key_unique_in_study")],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(help_text="From 1.")),
                (
                    "attention_check",
                    models.JSONField(
                        blank=True,
                        help_text="An attention check instead of a question: its text and the accepted answers.",
                        null=True,
                    ),
                ),
                ("text", models.TextField(blank=True, help_text="The current answer; of an item, the vote.")),
                ("version", models.PositiveIntegerField(default=0, help_text="Number of saves.")),
                ("saved_at", models.DateTimeField(blank=True, null=True)),
                (
                    "opened_at",
                    models.DateTimeField(blank=True, help_text="First opened, by the server's clock.", null=True),
                ),
                (
                    "done_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When it was marked done; empty while the answer is being changed.",
                        null=True,
                    ),
                ),
                ("skipped_at", models.DateTimeField(blank=True, null=True)),
                (
                    "active_seconds",
                    models.FloatField(
                        blank=True,
                        help_text="Seconds with the page visible and used within the last 60 s, at most the "
                        "elapsed time; empty if the page's script reported none, so that it is unknown.",
                        null=True,
                    ),
                ),
                (
                    "active_at",
                    models.DateTimeField(blank=True, help_text="Until when active time has been counted.", null=True),
                ),
                ("note", models.TextField(blank=True, help_text="The participant's note on the question.")),
                (
                    "swapped",
                    models.BooleanField(default=False, help_text="Whether the second answer of a pair is on the left."),
                ),
                (
                    "critique",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Scores of the two answers of a pair, and what is marked as strength, weakness "
                        "or missing, by place.",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="scoring.question",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="humaneval.participant",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        blank=True,
                        help_text="An answer to check instead of a question.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="humaneval.studyitem",
                    ),
                ),
            ],
            options={
                "ordering": ["participant", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("participant", "position"), name="one_assignment_per_position"),
                    models.UniqueConstraint(
                        fields=("participant", "question"), name="a_question_is_asked_once_per_participant"
                    ),
                    models.UniqueConstraint(
                        fields=("participant", "item"), name="an_item_is_asked_once_per_participant"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("attention_check__isnull", True), ("item__isnull", True), ("question__isnull", False)
                            ),
                            models.Q(
                                ("attention_check__isnull", False), ("item__isnull", True), ("question__isnull", True)
                            ),
                            models.Q(
                                ("attention_check__isnull", True), ("item__isnull", False), ("question__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="assignment_is_a_question_an_attention_check_or_an_item",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="GradedAnswerOrigin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "why",
                    models.CharField(
                        blank=True,
                        help_text="Why the answer was selected, when selecting by disagreement.",
                        max_length=200,
                    ),
                ),
                (
                    "probability",
                    models.FloatField(
                        blank=True,
                        help_text="Probability with which the answer was drawn for grading, unless selected by "
                        "disagreement.",
                        null=True,
                    ),
                ),
                (
                    "answer_set",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="gradings",
                        to="scoring.answerset",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="gradings",
                        to="humaneval.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("answer_set__isnull", False), ("assignment__isnull", True)),
                            models.Q(("answer_set__isnull", True), ("assignment__isnull", False)),
                            _connector="OR",
                        ),
                        name="graded_answer_is_a_submission_s_or_a_study_s",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="GradingRound",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=80, unique=True)),
                ("name", models.CharField(max_length=200)),
                (
                    "selection",
                    models.CharField(
                        choices=[
                            ("all", "All"),
                            ("sample", "A random sample, spread evenly over systems and categories"),
                            ("disagreements", "Answers on which scores and earlier grades differ most"),
                        ],
                        default="all",
                        max_length=14,
                    ),
                ),
                (
                    "seed",
                    models.PositiveIntegerField(
                        default=0, help_text="Seed of all random sampling and ordering in the round."
                    ),
                ),
                (
                    "sampling",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="For each source of answers, the number of answers and the probability of each "
                        "to be graded.",
                    ),
                ),
                (
                    "graders_per_answer",
                    models.PositiveSmallIntegerField(
                        default=2,
                        help_text="Number of graders for answers graded more than once.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "shared_share",
                    models.FloatField(
                        default=1.0,
                        help_text="Share of answers with that many graders; the others get one.",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                (
                    "calibration_share",
                    models.FloatField(
                        default=0.1,
                        help_text="Share of calibration answers after the start.",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(0.5),
                        ],
                    ),
                ),
                (
                    "calibration_start",
                    models.PositiveSmallIntegerField(
                        default=3, help_text="Number of calibration answers at the start."
                    ),
                ),
                (
                    "shows_matches",
                    models.BooleanField(default=True, help_text="Highlight string metric matches in answers."),
                ),
                (
                    "masks",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Texts masked in answers.",
                        validators=[humaneval.models.studies._require_texts],
                    ),
                ),
                ("guidelines", models.TextField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("closed_at", models.DateTimeField(blank=True, help_text="When grading ended.", null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grading_rounds",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grading_rounds",
                        to="scoring.revision",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "slug"],
            },
        ),
        migrations.CreateModel(
            name="Grader",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gradings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="graders", to="humaneval.gradinground"
                    ),
                ),
            ],
            options={
                "ordering": ["round", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("round", "user"), name="grader_once_in_a_round"),
                    models.UniqueConstraint(fields=("round", "number"), name="grader_number_unique_in_round"),
                ],
            },
        ),
        migrations.CreateModel(
            name="GradedAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(help_text="From 1, in random order.")),
                ("text", models.TextField()),
                ("n_items", models.PositiveIntegerField(help_text="Number of items in the reference answer.")),
                ("n_wanted", models.PositiveSmallIntegerField(help_text="Number of graders planned.")),
                (
                    "is_calibration",
                    models.BooleanField(
                        default=False,
                        help_text="A calibration answer: every grader gets it, and their grades are compared with"
                        " the known grade.",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.question"
                    ),
                ),
                (
                    "origin",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="graded_answer",
                        to="humaneval.gradedanswerorigin",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="humaneval.gradinground"
                    ),
                ),
            ],
            options={
                "ordering": ["round", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("round", "position"), name="graded_answer_position_unique_in_round")
                ],
            },
        ),
        migrations.CreateModel(
            name="GradingSlot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveIntegerField(help_text="From 1; for calibration answers, the grader's number."),
                ),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("graded_at", models.DateTimeField(blank=True, null=True)),
                (
                    "graded_answer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="slots", to="humaneval.gradedanswer"
                    ),
                ),
                (
                    "grader",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="slots",
                        to="humaneval.grader",
                    ),
                ),
            ],
            options={
                "ordering": ["graded_answer", "number"],
                "indexes": [models.Index(fields=["graded_at", "lease_until"], name="grading_slot_by_state")],
                "constraints": [
                    models.UniqueConstraint(fields=("graded_answer", "number"), name="grading_slot_number_unique"),
                    models.UniqueConstraint(
                        fields=("graded_answer", "grader"), name="one_grading_slot_per_grader_and_answer"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("graded_at__isnull", True), ("grader__isnull", True), ("lease_until__isnull", True)
                            ),
                            models.Q(("grader__isnull", False), ("lease_until__isnull", False)),
                            _connector="OR",
                        ),
                        name="taken_grading_slot_has_grader_and_lease",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Grade",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("grade", "Grader"),
                            ("known", "Known grade (calibration)"),
                            ("decision", "Adjudication"),
                        ],
                        default="grade",
                        max_length=10,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "ticks",
                    models.JSONField(
                        help_text="For each reference item, in order, whether the answer contains it.",
                        validators=[humaneval.models.grading._require_ticks],
                    ),
                ),
                ("contradicts", models.BooleanField(default=False)),
                ("extra_wrong", models.BooleanField(default=False, verbose_name="wrong claims beyond the reference")),
                ("extra_right", models.BooleanField(default=False, verbose_name="correct facts beyond the reference")),
                ("refuses", models.BooleanField(default=False, verbose_name="refuses, or does not answer")),
                ("unclear_question", models.BooleanField(default=False)),
                ("reference_wrong", models.BooleanField(default=False)),
                ("note", models.TextField(blank=True)),
                ("proposal", models.TextField(blank=True, help_text="Corrected reference, if it is marked as wrong.")),
                (
                    "seconds",
                    models.FloatField(
                        blank=True,
                        help_text="Seconds on the screen; at most the time since the answer was reserved.",
                        null=True,
                    ),
                ),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "graded_answer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="grades", to="humaneval.gradedanswer"
                    ),
                ),
                (
                    "slot",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty unless given by a grader.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="grades",
                        to="humaneval.gradingslot",
                    ),
                ),
            ],
            options={
                "ordering": ["graded_answer", "made_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("slot__isnull", False)),
                        fields=("slot", "version"),
                        name="grade_version_unique_in_slot",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("slot__isnull", True)),
                        fields=("graded_answer", "kind", "version"),
                        name="grade_version_unique_without_slot",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "grade"), ("slot__isnull", False)),
                            models.Q(models.Q(("kind", "grade"), _negated=True), ("slot__isnull", True)),
                            _connector="OR",
                        ),
                        name="grader_s_grade_has_a_slot",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[("personal", "Personal"), ("shared", "Shared, up to its limit")],
                        default="personal",
                        max_length=10,
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "generation",
                    models.PositiveIntegerField(
                        default=1, help_text="Increased when the link is renewed; older links stop working."
                    ),
                ),
                (
                    "limit",
                    models.PositiveIntegerField(
                        default=1, help_text="Maximum number of people who can join with this link."
                    ),
                ),
                ("n_used", models.PositiveIntegerField(default=0)),
                (
                    "label",
                    models.CharField(
                        blank=True, help_text="Visible to maintainers only, for example a course.", max_length=100
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "participant",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitation",
                        to="humaneval.participant",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="humaneval.study"
                    ),
                ),
            ],
            options={
                "ordering": ["study", "created_at"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("n_used__lte", models.F("limit"))), name="invitation_within_its_limit"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Contact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "invitation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="contact", to="humaneval.invitation"
                    ),
                ),
            ],
            options={
                "ordering": ["invitation"],
            },
        ),
        migrations.CreateModel(
            name="ReaderTab",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("path", models.CharField(help_text="The source's path of the article.", max_length=1000)),
                ("title", models.CharField(max_length=500)),
                ("opened_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "shown_at",
                    models.DateTimeField(blank=True, help_text="When it was last shown; empty if never.", null=True),
                ),
                (
                    "place",
                    models.FloatField(
                        default=0.0, help_text="Where it was left, as a share of the article's height, 0 to 1."
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tabs", to="humaneval.assignment"
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "opened_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ReferenceCorrection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(choices=[("accepted", "Accepted"), ("rejected", "Rejected")], max_length=10),
                ),
                (
                    "answer_json",
                    models.TextField(blank=True, help_text="The corrected reference answer as JSON, if accepted."),
                ),
                ("note", models.TextField(blank=True)),
                ("decided_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "decided_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.question"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="humaneval.gradinground",
                    ),
                ),
            ],
            options={
                "ordering": ["round", "decided_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SavedPassage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("path", models.CharField(help_text="The source's path of the article.", max_length=1000)),
                ("title", models.CharField(help_text="Title of the article.", max_length=500)),
                ("url", models.URLField(blank=True, max_length=2000)),
                ("page_id", models.PositiveBigIntegerField(blank=True, null=True)),
                ("revision_id", models.PositiveBigIntegerField(blank=True, null=True)),
                ("text", models.TextField(blank=True, help_text="The selected or copied text.")),
                ("note", models.TextField(blank=True, help_text="The participant's note.")),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "removed_at",
                    models.DateTimeField(
                        blank=True, help_text="When the participant removed it from the list.", null=True
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="passages", to="humaneval.assignment"
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "saved_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Search",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("encyclopedia", "Encyclopedia"), ("passages", "Passages of an article")],
                        default="encyclopedia",
                        max_length=12,
                    ),
                ),
                ("query", models.CharField(max_length=500)),
                (
                    "article",
                    models.CharField(
                        blank=True, help_text="Title of the article, for passage searches.", max_length=500
                    ),
                ),
                ("n_results", models.PositiveIntegerField()),
                ("n_reloads", models.PositiveIntegerField(default=0, help_text="How often the results were reloaded.")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="searches", to="humaneval.assignment"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "searches",
                "ordering": ["assignment", "at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="StudyEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "participant_code",
                    models.CharField(blank=True, help_text="Remains when the participant is deleted.", max_length=16),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("text", models.CharField(max_length=400)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="humaneval.study"
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="PublicVote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "visitor",
                    models.CharField(
                        db_index=True, help_text="The random number in the visitor's cookie.", max_length=32
                    ),
                ),
                (
                    "address",
                    models.CharField(help_text="A keyed hash of the visitor's network address.", max_length=64),
                ),
                ("swapped", models.BooleanField(help_text="Whether the second answer was on the left.")),
                (
                    "vote",
                    models.CharField(
                        choices=[
                            ("left", "The left one is better"),
                            ("right", "The right one is better"),
                            ("tie", "Both are equally good"),
                            ("bad", "Both are bad"),
                        ],
                        max_length=5,
                    ),
                ),
                (
                    "seconds",
                    models.FloatField(help_text="Seconds from showing the pair to the vote, by the server's clock."),
                ),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "n_skipped",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="How often the address was shown the pair again before anybody there voted on it.",
                        verbose_name="skips",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="public_votes",
                        to="humaneval.studyitem",
                    ),
                ),
            ],
            options={
                "ordering": ["made_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "visitor"), name="one_public_vote_per_pair_and_visitor")
                ],
            },
        ),
        migrations.CreateModel(
            name="OpenPair",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "address",
                    models.CharField(help_text="A keyed hash of the visitors' network address.", max_length=64),
                ),
                (
                    "n_skipped",
                    models.PositiveIntegerField(
                        default=0, help_text="How often it was shown again.", verbose_name="skips"
                    ),
                ),
                ("shown_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="open_pairs", to="humaneval.study"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="humaneval.studyitem"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("study", "address"), name="one_open_pair_per_study_and_address")
                ],
            },
        ),
        migrations.CreateModel(
            name="ItemCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("supported", models.BooleanField()),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="checks", to="humaneval.studyitem"
                    ),
                ),
            ],
            options={
                "ordering": ["item", "made_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="StudyResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("n_participants", models.PositiveIntegerField()),
                ("n_answers", models.PositiveIntegerField()),
                ("n_questions", models.PositiveIntegerField(help_text="Number of distinct questions with an answer.")),
                (
                    "n_unfinished",
                    models.PositiveIntegerField(default=0, help_text="Number of its answers that were not finished."),
                ),
                (
                    "answer_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="study_result", to="scoring.answerset"
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="results", to="humaneval.study"
                    ),
                ),
            ],
            options={
                "ordering": ["study", "made_at"],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("result", "Search result"),
                            ("suggestion", "Suggestion"),
                            ("link", "Link in another article"),
                            ("back", "Back, forward or the list of articles read"),
                            ("tab", "Tab of the reader"),
                            ("reported", "Read elsewhere and added by the participant"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "rank",
                    models.PositiveIntegerField(blank=True, help_text="Rank of the clicked result, from 1.", null=True),
                ),
                ("path", models.CharField(blank=True, help_text="The source's path of the article.", max_length=1000)),
                ("title", models.CharField(max_length=500)),
                ("url", models.URLField(blank=True, max_length=2000)),
                ("page_id", models.PositiveBigIntegerField(blank=True, null=True)),
                ("revision_id", models.PositiveBigIntegerField(blank=True, null=True)),
                ("opened_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("n_reloads", models.PositiveIntegerField(default=0, help_text="How often the article was reloaded.")),
                (
                    "visible_seconds",
                    models.FloatField(
                        blank=True, help_text="At most the time since it was opened; empty if unknown.", null=True
                    ),
                ),
                (
                    "scrolled_share",
                    models.FloatField(
                        blank=True, help_text="Furthest scroll position, 0 to 1; empty if unknown.", null=True
                    ),
                ),
                ("used", models.BooleanField(default=False, help_text="Selected by the participant.")),
                ("note", models.TextField(blank=True, help_text="The participant's note.")),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="visits", to="humaneval.assignment"
                    ),
                ),
                (
                    "search",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="visits",
                        to="humaneval.search",
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "opened_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="AnswerRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField(help_text="From 1.")),
                (
                    "client_revision_id",
                    models.UUIDField(help_text="Created by the browser, one for each text it sends."),
                ),
                ("text", models.TextField(blank=True)),
                (
                    "typed_at",
                    models.DateTimeField(
                        blank=True, help_text="Typing time by the browser's clock, if it was sent later.", null=True
                    ),
                ),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="revisions", to="humaneval.assignment"
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "version"],
                "constraints": [
                    models.UniqueConstraint(fields=("assignment", "version"), name="answer_version_unique"),
                    models.UniqueConstraint(fields=("assignment", "client_revision_id"), name="answer_key_unique"),
                ],
            },
        ),
    ]
