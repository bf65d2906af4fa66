"""The tables of version 0.7.0. Sites of that version have them already."""

import uuid

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import leaderboard.models.submissions
import leaderboard.models.systems


class Migration(migrations.Migration):
    replaces = [
        ("leaderboard", "0001_squashed_0027_rankings"),
        ("leaderboard", "0028_system_not_merged_into_itself"),
        ("leaderboard", "0029_marks_from_rank_ranges"),
        ("leaderboard", "0030_token_scopes"),
        ("leaderboard", "0031_publications_that_join"),
        ("leaderboard", "0032_flag_decisions_and_file_quota"),
        ("leaderboard", "0033_quota_of_the_sender"),
        ("leaderboard", "0034_format_of_documents"),
        ("leaderboard", "0035_attributes"),
        ("leaderboard", "0036_records_of_who_sent"),
        ("leaderboard", "0037_mails"),
        ("leaderboard", "0038_known_needs"),
        ("leaderboard", "0039_run_facts"),
        ("leaderboard", "0040_board_checks"),
        ("leaderboard", "0041_log_references"),
        ("leaderboard", "0042_device_logins"),
        ("leaderboard", "0043_received_uploads"),
        ("leaderboard", "0044_keys_of_system_names"),
        ("leaderboard", "0045_keys_of_submission_names"),
        ("leaderboard", "0046_keys_of_names"),
        ("leaderboard", "0047_index_of_boards"),
        ("leaderboard", "0048_index_of_joining"),
        ("leaderboard", "0049_index_of_open_flags"),
        ("leaderboard", "0050_index_of_sent_files"),
        ("leaderboard", "0051_board_times"),
        ("leaderboard", "0052_checked_names_of_systems"),
        ("leaderboard", "0053_checked_names_of_submissions"),
        ("leaderboard", "0054_index_of_newest_entries"),
        ("leaderboard", "0055_index_of_decisions"),
        ("leaderboard", "0056_index_of_withdrawn_submissions"),
        ("leaderboard", "0057_index_of_replaced_files"),
        ("leaderboard", "0058_index_of_newest_rows"),
    ]

    initial = True

    dependencies = [
        ("auth", "0001_initial"),
        ("scoring", "0001_version_0_7_0"),
    ]

    operations = [
        migrations.CreateModel(
            name="KnownNeed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=150, unique=True)),
                (
                    "read_until",
                    models.DateTimeField(
                        blank=True, help_text="Errors until this time are marked as read; empty if none are.", null=True
                    ),
                ),
                (
                    "mailed_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When an email to maintainers last named it; empty since it was done.",
                        null=True,
                    ),
                ),
            ],
            options={
                "ordering": ["key"],
            },
        ),
        migrations.CreateModel(
            name="RateCount",
            fields=[
                (
                    "key",
                    models.CharField(
                        help_text="The limit, the client, and the window.",
                        max_length=200,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("amount", models.BigIntegerField(default=0, help_text="Requests, or milliseconds of a processor.")),
                ("expires_at", models.DateTimeField(db_index=True, help_text="When it may be deleted.")),
            ],
            options={
                "ordering": ["key"],
            },
        ),
        migrations.CreateModel(
            name="ReceiptKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", models.CharField(max_length=16, unique=True)),
                ("public_key", models.CharField(help_text="Ed25519, base64.", max_length=44)),
                ("since", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "ordering": ["since"],
            },
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("slug", models.SlugField(max_length=120, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this "
                        "instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                (
                    "muted_mails",
                    models.JSONField(blank=True, default=list, help_text="The kinds of emails that were turned off."),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to "
                        "each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(help_text="The first characters, to identify the token.", max_length=12)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("submit", "Read and submit"),
                            ("maintain", "Read, submit and use a maintainer's rights"),
                        ],
                        max_length=10,
                    ),
                ),
                ("expires_at", models.DateTimeField()),
                ("expiry_notified_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now, editable=False)),
                (
                    "actor_name",
                    models.CharField(help_text="Username at the time, or the name of the command.", max_length=150),
                ),
                ("action", models.CharField(help_text="For example submission.approved.", max_length=60)),
                (
                    "target",
                    models.CharField(
                        help_text="The object of the action, for example submission 3f2a….", max_length=200
                    ),
                ),
                ("text", models.TextField(blank=True)),
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
            ],
            options={
                "ordering": ["-at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="BoardChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.split"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="BoardSnapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("taken_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("digest", models.CharField(help_text="SHA-256 of the content.", max_length=64)),
                ("content", models.BinaryField(help_text="The board as JSON, gzip-compressed.")),
                ("n_rows", models.PositiveIntegerField()),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.split"
                    ),
                ),
            ],
            options={
                "db_table": "leaderboard_boardstate",
                "ordering": ["split", "setting", "taken_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("split", "setting", "digest"), name="board_state_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="BoardDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("serial", models.PositiveBigIntegerField(default=1)),
                ("fingerprint", models.CharField(help_text="Digest of all inputs.", max_length=64)),
                ("content", models.BinaryField(help_text="JSON, gzip-compressed; see leaderboard.board.document.")),
                (
                    "n_systems",
                    models.PositiveIntegerField(
                        help_text="Rows that are neither human rows nor the reference ceiling."
                    ),
                ),
                ("written_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "snapshot_fingerprint",
                    models.CharField(blank=True, help_text="Digest of the inputs of that snapshot.", max_length=32),
                ),
                ("format", models.PositiveSmallIntegerField(help_text="See leaderboard.board.document.FORMAT.")),
                (
                    "settled_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When it was last compared with its inputs and its statistics were complete; "
                        "empty until they are.",
                        null=True,
                    ),
                ),
                (
                    "times",
                    models.BinaryField(
                        blank=True,
                        help_text="When each row came to the board and left it, with its score; see "
                        "leaderboard.board.times.",
                        null=True,
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.split"
                    ),
                ),
                (
                    "snapshot",
                    models.ForeignKey(
                        blank=True,
                        help_text="The newest snapshot.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="leaderboard.boardsnapshot",
                    ),
                ),
            ],
            options={
                "ordering": ["split", "setting", "format"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("split", "setting", "format"), name="one_document_per_board_and_format"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BoardStatistics",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", models.CharField(max_length=64)),
                ("computed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "categories",
                    models.BinaryField(
                        blank=True,
                        help_text="Means by question category, for every row and column: JSON, gzip-compressed; "
                        "see leaderboard.board.charts.categories.",
                        null=True,
                    ),
                ),
                (
                    "deviations",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="By score: the median standard deviation of paired differences between systems;"
                        " see scoring.statistics.detectable_difference.",
                    ),
                ),
                (
                    "ranking",
                    models.BinaryField(
                        blank=True,
                        help_text="The ranking by a judge that compares systems two at a time: JSON, gzip-"
                        "compressed; see leaderboard.board.ranking. Empty where nothing is compared.",
                        null=True,
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.split"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "board statistics",
                "ordering": ["split", "setting"],
                "constraints": [models.UniqueConstraint(fields=("split", "setting"), name="one_statistics_per_board")],
            },
        ),
        migrations.CreateModel(
            name="CorrectedScore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("value", models.FloatField()),
                ("low", models.FloatField(help_text="Lower end of the 95 % confidence interval.")),
                ("high", models.FloatField()),
                ("n_graded", models.PositiveIntegerField(help_text="Number of answers graded by people.")),
                ("n_judged", models.PositiveIntegerField(help_text="Number of answers judged only by the judge.")),
                (
                    "origin",
                    models.CharField(
                        db_index=True, help_text="What produced the value, for example round spring.", max_length=120
                    ),
                ),
                ("source", models.CharField(help_text="Public source of the grades.", max_length=300)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "score",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corrected", to="scoring.score"
                    ),
                ),
            ],
            options={
                "ordering": ["score"],
            },
        ),
        migrations.CreateModel(
            name="DeviceLogin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "digest",
                    models.CharField(help_text="The SHA-256 of the program's code.", max_length=64, unique=True),
                ),
                ("user_code", models.CharField(max_length=8, unique=True)),
                ("name", models.CharField(help_text="The name of the machine, and of the token.", max_length=100)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("submit", "Read and submit"),
                            ("maintain", "Read, submit and use a maintainer's rights"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "days",
                    models.PositiveSmallIntegerField(blank=True, help_text="How long the token is valid.", null=True),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("polled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="device_logins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("name", models.CharField(max_length=200)),
                ("authors", models.TextField()),
                ("url", models.URLField(blank=True, max_length=500)),
                ("citation", models.TextField(blank=True)),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("FOUNDATION", "Foundation model"),
                            ("FINETUNE", "Fine-tuned model"),
                            ("PROMPT", "Prompting method"),
                            ("OTHER", "Other"),
                        ],
                        default="FOUNDATION",
                        max_length=20,
                    ),
                ),
                (
                    "context_size",
                    models.PositiveBigIntegerField(
                        blank=True,
                        editable=False,
                        help_text="Of versions before 0.7.0: not used, and removed in a later version; see attributes.",
                        null=True,
                    ),
                ),
                (
                    "trained_for_function_calling",
                    models.BooleanField(
                        blank=True,
                        editable=False,
                        help_text="Of versions before 0.7.0: not used, and removed in a later version; see attributes.",
                        null=True,
                    ),
                ),
                ("details", models.TextField(blank=True)),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "notified_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the owner was notified by email that scoring is finished.",
                        null=True,
                    ),
                ),
                (
                    "name_dismissed_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When a maintainer dismissed the flags of its name.",
                        null=True,
                    ),
                ),
                (
                    "attributes",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What benchmarks ask of their systems ([[attributes]] in benchmark.toml), by name.",
                        validators=[leaderboard.models.systems.validate_attributes],
                    ),
                ),
                (
                    "run_facts",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="Model, access, size, scaffold and the like, by name (scoring.benchmarks.facts).",
                        validators=[leaderboard.models.systems.validate_attributes],
                    ),
                ),
                (
                    "name_skeleton",
                    models.CharField(
                        editable=False,
                        help_text="What the name looks like: names that look alike have the same.",
                        max_length=200,
                        null=True,
                    ),
                ),
                (
                    "name_checked",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="Whether a worker has compared the name with others' since it was saved "
                        "(leaderboard.publishing.names).",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="submissions", to="scoring.split"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="The team that owns it; empty if the owner alone does.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(
                        fields=["name_skeleton", "owner", "team"],
                        name="submission_name_skeleton",
                        opclasses=["varchar_pattern_ops", "int8_ops", "int8_ops"],
                    ),
                    models.Index(fields=["created_at"], name="submission_created"),
                    models.Index(
                        condition=models.Q(("name_checked", False), ("name_dismissed_at", None)),
                        fields=["name_skeleton"],
                        name="submission_name_unchecked",
                    ),
                    models.Index(
                        condition=models.Q(("withdrawn_at__isnull", False)),
                        fields=["split"],
                        name="submission_withdrawn",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("authors", models.TextField()),
                ("url", models.URLField(blank=True, max_length=500)),
                ("citation", models.TextField(blank=True)),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("FOUNDATION", "Foundation model"),
                            ("FINETUNE", "Fine-tuned model"),
                            ("PROMPT", "Prompting method"),
                            ("OTHER", "Other"),
                        ],
                        default="FOUNDATION",
                        max_length=20,
                    ),
                ),
                (
                    "context_size",
                    models.PositiveBigIntegerField(
                        blank=True,
                        editable=False,
                        help_text="Of versions before 0.7.0: not used, and removed in a later version; see attributes.",
                        null=True,
                    ),
                ),
                (
                    "trained_for_function_calling",
                    models.BooleanField(
                        blank=True,
                        editable=False,
                        help_text="Of versions before 0.7.0: not used, and removed in a later version; see attributes.",
                        null=True,
                    ),
                ),
                ("details", models.TextField(blank=True)),
                ("slug", models.SlugField(max_length=120, unique=True)),
                ("is_human", models.BooleanField(default=False)),
                (
                    "is_pseudonym",
                    models.BooleanField(
                        default=False, help_text="Has a pseudonym while its submission is under double-blind review."
                    ),
                ),
                (
                    "traits_withheld",
                    models.BooleanField(
                        default=False, help_text="For a pseudonym: whether type and attributes are withheld."
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "attributes",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What benchmarks ask of their systems ([[attributes]] in benchmark.toml), by name.",
                        validators=[leaderboard.models.systems.validate_attributes],
                    ),
                ),
                (
                    "run_facts",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="Model, access, size, scaffold and the like, by name (scoring.benchmarks.facts).",
                        validators=[leaderboard.models.systems.validate_attributes],
                    ),
                ),
                (
                    "name_skeleton",
                    models.CharField(
                        editable=False,
                        help_text="What the name looks like: names that look alike have the same.",
                        max_length=200,
                        null=True,
                    ),
                ),
                (
                    "name_family",
                    models.CharField(
                        editable=False,
                        help_text="The same without words for a model's tuning, such as Chat.",
                        max_length=200,
                        null=True,
                    ),
                ),
                (
                    "name_checked",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="Whether a worker has compared the name with others' since it was saved "
                        "(leaderboard.publishing.names).",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="systems",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revealed_as",
                    models.ForeignKey(
                        blank=True,
                        help_text="For a pseudonym whose day has passed: the system it was a pseudonym of. Its "
                        "URL redirects there.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="pseudonyms",
                        to="leaderboard.system",
                    ),
                ),
                (
                    "same_as",
                    models.ForeignKey(
                        blank=True,
                        help_text="The system that this one was merged into: boards show both as one row. It is "
                        "merged itself into none.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="members",
                        to="leaderboard.system",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="systems",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "indexes": [
                    models.Index(
                        fields=["name_skeleton", "owner", "team"],
                        name="system_name_skeleton",
                        opclasses=["varchar_pattern_ops", "int8_ops", "int8_ops"],
                    ),
                    models.Index(fields=["name_family"], name="system_name_family"),
                    models.Index(fields=["name"], name="system_name"),
                    models.Index(
                        condition=models.Q(("name_checked", False)),
                        fields=["name_skeleton"],
                        name="system_name_unchecked",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("same_as", models.F("pk")), _negated=True),
                        name="system_not_merged_into_itself",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("scored", "Scored on this site"),
                            ("reported", "Reported"),
                            ("graded", "Graded by hand"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        blank=True, help_text="For reported rows: where the scores were published.", max_length=400
                    ),
                ),
                (
                    "is_official",
                    models.BooleanField(
                        default=False,
                        help_text="For reported rows: from the benchmark's official results, not from a paper.",
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=400)),
                (
                    "context_size",
                    models.PositiveBigIntegerField(
                        blank=True,
                        help_text="How this setting differs from the system's general description.",
                        null=True,
                    ),
                ),
                ("n_answered", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "shows_answers",
                    models.BooleanField(
                        default=False,
                        help_text="Whether the owner has made the answers public; never on a hidden split.",
                    ),
                ),
                ("published_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("replaced_at", models.DateTimeField(blank=True, null=True)),
                ("retracted_at", models.DateTimeField(blank=True, null=True)),
                ("retraction_note", models.TextField(blank=True, help_text="Public reason for the retraction.")),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "answer_set",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="board_entry",
                        to="scoring.answerset",
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="entries", to="scoring.setting"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="entries", to="scoring.split"
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="leaderboard.system"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entries",
                "ordering": ["split", "setting", "pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("replaced_at", None)),
                        fields=["split", "setting", "published_at"],
                        name="entry_of_board",
                    ),
                    models.Index(
                        condition=models.Q(("replaced_at", None), ("submission__isnull", False)),
                        fields=["-published_at", "submission"],
                        name="entry_of_submission",
                    ),
                    models.Index(
                        condition=models.Q(("replaced_at", None), ("retracted_at", None)),
                        fields=["-published_at", "-id"],
                        name="newest_entry",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("replaced_at__isnull", True)),
                        fields=("system", "split", "setting", "kind", "source"),
                        name="one_current_entry_per_system_board_and_source",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("answer_set__isnull", True), ("kind__in", ["reported", "graded"])),
                            models.Q(("answer_set__isnull", False), ("kind", "scored")),
                            _connector="OR",
                        ),
                        name="scored_entry_has_an_answer_set",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(help_text="SHA-256 of the content sent with the key.", max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [models.UniqueConstraint(fields=("user", "key"), name="idempotency_key_unique")],
            },
        ),
        migrations.CreateModel(
            name="ReceivedUpload",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(help_text="Of the system.", max_length=200)),
                ("fields", models.JSONField(default=dict, help_text="The fields of the form, as they were sent.")),
                ("by_api", models.BooleanField(default=False)),
                (
                    "counts_for_sender",
                    models.BooleanField(default=True, help_text="As of its files, once they are checked."),
                ),
                ("received_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "sent_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When a worker was last asked to check it."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("size", models.PositiveBigIntegerField(help_text="Of all files, in bytes.")),
                ("n_read", models.PositiveBigIntegerField(default=0, help_text="How many of these were read so far.")),
                ("checked_at", models.DateTimeField(blank=True, help_text="When its problems were found.", null=True)),
                (
                    "errors",
                    models.JSONField(
                        default=dict, help_text="Problems by field; those of the whole form under __all__."
                    ),
                ),
                ("reports", models.JSONField(default=list, help_text="The reports on its files.")),
                (
                    "draft_key",
                    models.UUIDField(blank=True, help_text="Of the draft in which its sender corrects it.", null=True),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "request",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="received",
                        to="leaderboard.idempotentrequest",
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.split"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="received",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["received_at"],
            },
        ),
        migrations.CreateModel(
            name="ReceivedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("part", models.CharField(blank=True, help_text="passages, or empty for answers.", max_length=10)),
                ("original", models.FileField(upload_to="received")),
                ("filename", models.CharField(max_length=255)),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="leaderboard.receivedupload",
                    ),
                ),
            ],
            options={
                "ordering": ["upload", "setting__position"],
                "constraints": [
                    models.UniqueConstraint(fields=("upload", "setting", "part"), name="one_file_per_setting_in_upload")
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportedValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="The score's name, for example rouge1.fscore.", max_length=60)),
                ("value", models.FloatField()),
                (
                    "low",
                    models.FloatField(
                        blank=True, help_text="Lower end of the 95 % interval, if it is known.", null=True
                    ),
                ),
                ("high", models.FloatField(blank=True, null=True)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reported_values",
                        to="leaderboard.entry",
                    ),
                ),
            ],
            options={
                "ordering": ["entry", "pk"],
                "constraints": [models.UniqueConstraint(fields=("entry", "name"), name="reported_value_unique")],
            },
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="The score's name, for example rouge1.fscore.", max_length=60)),
                ("rank", models.PositiveIntegerField()),
                ("best_rank", models.PositiveIntegerField(help_text="Best rank of the 95 % rank range.")),
                ("worst_rank", models.PositiveIntegerField()),
                (
                    "tie_group",
                    models.PositiveIntegerField(
                        blank=True, help_text="Group of statistical ties, from 1 in the order of ranks.", null=True
                    ),
                ),
                (
                    "p_value",
                    models.FloatField(
                        help_text="Smallest p-value of the differences from better systems, corrected for all "
                        "pairs of systems."
                    ),
                ),
                (
                    "noise",
                    models.FloatField(
                        blank=True,
                        help_text="Standard deviation of the value between judgments of the same answers, if "
                        "there are repeated ones. Empty if every reply was identical.",
                        null=True,
                    ),
                ),
                (
                    "noise_low",
                    models.FloatField(blank=True, help_text="Lower end of its 95 % confidence interval.", null=True),
                ),
                ("noise_high", models.FloatField(blank=True, null=True)),
                (
                    "n_repeats",
                    models.PositiveIntegerField(
                        default=0, help_text="Number of repeated judgments of the same answers."
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standings",
                        to="leaderboard.boardstatistics",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="standings", to="leaderboard.entry"
                    ),
                ),
            ],
            options={
                "ordering": ["board", "name", "rank"],
                "constraints": [models.UniqueConstraint(fields=("entry", "name"), name="one_standing_per_cell")],
            },
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("basis", models.CharField(help_text="SHA-256 of the files and scores in the receipt.", max_length=64)),
                ("statement_json", models.TextField(help_text="The signed statement, as canonical JSON.")),
                ("signature", models.CharField(help_text="Ed25519, base64.", max_length=88)),
                ("issued_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "names_files",
                    models.BooleanField(
                        default=False,
                        help_text="Whether the statement contains file names; if so, only people with access to "
                        "the submission see it.",
                    ),
                ),
                (
                    "has_exact_values",
                    models.BooleanField(
                        default=False,
                        help_text="It gives scores of a hidden split at full precision: shown to maintainers alone.",
                    ),
                ),
                (
                    "openings_json",
                    models.TextField(
                        blank=True,
                        help_text="Of a hidden split: exact values and salts of the commitments in the statement,"
                        " as canonical JSON.",
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="receipts",
                        to="leaderboard.receiptkey",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="receipts",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["-issued_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "basis"), name="one_receipt_per_state_of_a_submission"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "shows_answers",
                    models.BooleanField(
                        default=False, help_text="With the generations, on a split that is not hidden."
                    ),
                ),
                (
                    "anonymous_until",
                    models.DateField(
                        blank=True,
                        help_text="Under a pseudonym until this day (UTC), for double-blind review.",
                        null=True,
                    ),
                ),
                (
                    "shows_traits",
                    models.BooleanField(
                        default=False,
                        help_text="Whether its type, context size and function-calling training are shown while "
                        "it is anonymous.",
                    ),
                ),
                (
                    "revealed_at",
                    models.DateTimeField(
                        blank=True, help_text="When the pseudonym was replaced by the name.", null=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Awaiting approval by a maintainer"),
                            ("approved", "Approved"),
                            ("joining", "Approved, on the board once it shows the current revision"),
                            ("returned", "Returned with a message"),
                            ("retracted", "Retracted"),
                            ("taken_back", "Withdrawn by the submitter"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True, help_text="To the submitter.")),
                ("public_note", models.TextField(blank=True, help_text="Public reason for the retraction.")),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publications",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["submission", "requested_at", "pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "joining")), fields=["submission"], name="publication_joining"
                    ),
                    models.Index(
                        condition=models.Q(("decided_by__isnull", False)),
                        fields=["-decided_at", "submission"],
                        name="publication_decided",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "pending")),
                        fields=("submission",),
                        name="one_pending_publication_per_submission",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(help_text="One of `MailKind`.", max_length=20)),
                ("subject", models.CharField(max_length=400)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_index=True,
                        default=django.utils.timezone.now,
                        help_text="When to send it; a worker that tries to send it delays this.",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        help_text="The submission that it is about.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["due_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="leaderboard.submission"
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SubmissionFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("original", models.FileField(upload_to=leaderboard.models.submissions.upload_path)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "sent_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, help_text="Equal for files sent together."
                    ),
                ),
                (
                    "imported",
                    models.BooleanField(default=False, help_text="Imported by a command: it counts against no quota."),
                ),
                (
                    "replaced_at",
                    models.DateTimeField(blank=True, help_text="When a newer version replaced it.", null=True),
                ),
                ("filename", models.CharField(max_length=255)),
                ("size", models.PositiveBigIntegerField(help_text="In bytes, as sent.")),
                (
                    "text_size",
                    models.PositiveBigIntegerField(
                        blank=True,
                        help_text="In bytes of text; empty for files sent before this was recorded.",
                        null=True,
                    ),
                ),
                ("compression", models.CharField(blank=True, help_text="gzip, or empty.", max_length=10)),
                ("sha256", models.CharField(max_length=64)),
                ("n_lines", models.PositiveIntegerField()),
                ("n_questions", models.PositiveIntegerField()),
                ("n_answered", models.PositiveIntegerField()),
                (
                    "warnings",
                    models.JSONField(default=list, help_text="The groups of warnings reported when the file was sent."),
                ),
                (
                    "anomalies_checked_at",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="When it was last checked for anomalies.", null=True
                    ),
                ),
                (
                    "counts_hidden",
                    models.BooleanField(
                        default=False, help_text="Sent for a hidden split, and counted by its quota of files."
                    ),
                ),
                (
                    "counts_for_sender",
                    models.BooleanField(
                        default=True,
                        help_text="Not for a team with a quota of its own: then it counts for that team alone.",
                    ),
                ),
                (
                    "log_references",
                    models.BinaryField(
                        db_default=b"",
                        default=b"",
                        help_text="Of a log for a hidden split: keyed hashes of the reference answers in it, "
                        "until a worker has compared them.",
                    ),
                ),
                (
                    "answer_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submission_file",
                        to="scoring.answerset",
                    ),
                ),
                (
                    "sent_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Who sent the file; if empty, the submission's owner.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="leaderboard.submission"
                    ),
                ),
            ],
            options={
                "ordering": ["submission", "setting__position"],
                "indexes": [
                    models.Index(fields=["sent_at"], name="submissionfile_sent"),
                    models.Index(
                        condition=models.Q(("replaced_at__isnull", False)),
                        fields=["answer_set"],
                        name="submissionfile_replaced",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "setting", "version"),
                        name="one_file_per_setting_and_version_in_submission",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("replaced_at__isnull", True)),
                        fields=("submission", "setting"),
                        name="one_current_file_per_setting_in_submission",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Anomaly",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "code",
                    models.CharField(help_text="copied, addresses_judge, long, like_references, …", max_length=40),
                ),
                ("count", models.PositiveIntegerField(help_text="Number of answers.")),
                (
                    "details",
                    models.JSONField(
                        default=dict, help_text="Ids of questions and of other submissions; no answers or references."
                    ),
                ),
                ("found_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("", "Not decided"), ("dismissed", "Dismissed"), ("confirmed", "Confirmed")],
                        default="",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True, help_text="Why it was decided so; the submitter sees it.")),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="anomalies",
                        to="leaderboard.submissionfile",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "anomalies",
                "db_table": "leaderboard_oddity",
                "ordering": ["file", "code"],
                "indexes": [models.Index(condition=models.Q(("decision", "")), fields=["file"], name="anomaly_open")],
                "constraints": [models.UniqueConstraint(fields=("file", "code"), name="one_oddity_of_a_kind_per_file")],
            },
        ),
        migrations.CreateModel(
            name="QuotaException",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("per_week", models.PositiveIntegerField(blank=True, help_text="Empty for no limit.", null=True)),
                ("note", models.CharField(blank=True, help_text="Reason, for other maintainers.", max_length=400)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "more_files",
                    models.PositiveIntegerField(
                        default=0, help_text="Files for a hidden split beyond each limit of the general quota of files."
                    ),
                ),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.benchmark"
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
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quota_exceptions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quota_exceptions",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark", "-made_at"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("team__isnull", False), ("user__isnull", True)),
                            models.Q(("team__isnull", True), ("user__isnull", False)),
                            _connector="OR",
                        ),
                        name="quota_exception_is_of_a_team_or_a_person",
                    ),
                    models.UniqueConstraint(
                        fields=("benchmark", "team"), name="one_quota_exception_per_team_and_benchmark"
                    ),
                    models.UniqueConstraint(
                        fields=("benchmark", "user"), name="one_quota_exception_per_person_and_benchmark"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("member", "Member")], default="member", max_length=10
                    ),
                ),
                ("joined_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="leaderboard.team"
                    ),
                ),
            ],
            options={
                "ordering": ["team", "joined_at"],
                "constraints": [models.UniqueConstraint(fields=("team", "user"), name="one_membership_per_person")],
            },
        ),
        migrations.CreateModel(
            name="TeamInvitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="leaderboard.team"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="UploadDraft",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "target",
                    models.CharField(help_text="The form: a benchmark, or a submission and a setting.", max_length=100),
                ),
                ("fields", models.JSONField(default=dict)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-updated_at"],
            },
        ),
        migrations.CreateModel(
            name="DraftFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("part", models.CharField(blank=True, help_text="passages, or empty for answers.", max_length=10)),
                ("original", models.FileField(upload_to="drafts")),
                ("filename", models.CharField(max_length=255)),
                ("report", models.JSONField(blank=True, null=True)),
                (
                    "from_log",
                    models.JSONField(
                        blank=True, help_text="What is said of the log that it was made of, if any.", null=True
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="leaderboard.uploaddraft"
                    ),
                ),
            ],
            options={
                "ordering": ["draft", "setting__position"],
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "setting", "part"), name="one_file_per_setting_in_draft")
                ],
            },
        ),
    ]
