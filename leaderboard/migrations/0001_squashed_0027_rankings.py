import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
import leaderboard.models.submissions
import uuid
from django.conf import settings
from django.db import migrations, models

from scoring.migrations._new_tables import NewTables


class Migration(NewTables):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("scoring", "0001_squashed_0022_subsets"),
    ]

    operations = [
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
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
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
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(help_text="The first characters, to identify the token.", max_length=12)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at"],
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
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="leaderboard.team"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("member", "Member")], default="member", max_length=10
                    ),
                ),
                ("joined_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="leaderboard.team"
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at"],
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
                ("context_size", models.PositiveBigIntegerField(blank=True, help_text="In tokens.", null=True)),
                ("trained_for_function_calling", models.BooleanField(blank=True, null=True)),
                ("details", models.TextField(blank=True)),
                ("slug", models.SlugField(max_length=120, unique=True)),
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
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="systems",
                        to="leaderboard.team",
                    ),
                ),
                ("is_human", models.BooleanField(default=False)),
                (
                    "is_pseudonym",
                    models.BooleanField(
                        default=False, help_text="Has a pseudonym while its submission is under double-blind review."
                    ),
                ),
                (
                    "revealed_as",
                    models.ForeignKey(
                        blank=True,
                        help_text="For a pseudonym whose day has passed: the system it was a pseudonym of. Its URL redirects there.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="pseudonyms",
                        to="leaderboard.system",
                    ),
                ),
                (
                    "traits_withheld",
                    models.BooleanField(
                        default=False,
                        help_text="For a pseudonym: whether type, context size and function calling are withheld.",
                    ),
                ),
                (
                    "same_as",
                    models.ForeignKey(
                        blank=True,
                        help_text="The system that this one was merged into: boards show both as one row. It is merged itself into none.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="members",
                        to="leaderboard.system",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["name"],
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
                ("context_size", models.PositiveBigIntegerField(blank=True, help_text="In tokens.", null=True)),
                ("trained_for_function_calling", models.BooleanField(blank=True, null=True)),
                ("details", models.TextField(blank=True)),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
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
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="submissions", to="scoring.split"
                    ),
                ),
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
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="SubmissionFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="leaderboard.submission"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.setting"
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
                ("original", models.FileField(upload_to=leaderboard.models.submissions.upload_path)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "sent_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, help_text="Equal for files sent together."
                    ),
                ),
                (
                    "sent_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Who sent the file; if empty, the submission's owner.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
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
            ],
            options={
                "ordering": ["submission", "setting__position"],
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
            name="UploadDraft",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "target",
                    models.CharField(help_text="The form: a benchmark, or a submission and a setting.", max_length=100),
                ),
                ("fields", models.JSONField(default=dict)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["-updated_at"],
            },
        ),
        migrations.CreateModel(
            name="DraftFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="leaderboard.uploaddraft"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                ("part", models.CharField(blank=True, help_text="passages, or empty for answers.", max_length=10)),
                ("original", models.FileField(upload_to="drafts")),
                ("filename", models.CharField(max_length=255)),
                ("report", models.JSONField(blank=True, null=True)),
            ],
            options={
                "ordering": ["draft", "setting__position"],
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "setting", "part"), name="one_file_per_setting_in_draft")
                ],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="leaderboard.submission"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("text", models.CharField(max_length=400)),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publications",
                        to="leaderboard.submission",
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
                        help_text="Whether its type, context size and function-calling training are shown while it is anonymous.",
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
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["submission", "requested_at", "pk"],
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
            name="Anomaly",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="anomalies",
                        to="leaderboard.submissionfile",
                    ),
                ),
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
            ],
            options={
                "verbose_name_plural": "anomalies",
                "db_table": "leaderboard_oddity",
                "ordering": ["file", "code"],
                "constraints": [models.UniqueConstraint(fields=("file", "code"), name="one_oddity_of_a_kind_per_file")],
            },
        ),
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now, editable=False)),
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
            ],
            options={
                "ordering": ["-at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="leaderboard.system"
                    ),
                ),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="entries", to="scoring.split"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="entries", to="scoring.setting"
                    ),
                ),
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
            ],
            options={
                "verbose_name_plural": "entries",
                "ordering": ["split", "setting", "pk"],
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
            name="ReportedValue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reported_values",
                        to="leaderboard.entry",
                    ),
                ),
                ("name", models.CharField(help_text="The score's name, for example rouge1.fscore.", max_length=60)),
                ("value", models.FloatField()),
                (
                    "low",
                    models.FloatField(
                        blank=True, help_text="Lower end of the 95 % interval, if it is known.", null=True
                    ),
                ),
                ("high", models.FloatField(blank=True, null=True)),
            ],
            options={
                "ordering": ["entry", "pk"],
                "constraints": [models.UniqueConstraint(fields=("entry", "name"), name="reported_value_unique")],
            },
        ),
        migrations.CreateModel(
            name="BoardStatistics",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.split"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                ("fingerprint", models.CharField(max_length=64)),
                ("computed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "categories",
                    models.BinaryField(
                        blank=True,
                        help_text="Means by question category, for every row and column: JSON, gzip-compressed; see leaderboard.board.charts.categories.",
                        null=True,
                    ),
                ),
                (
                    "deviations",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="By score: the median standard deviation of paired differences between systems; see scoring.statistics.detectable_difference.",
                    ),
                ),
                (
                    "ranking",
                    models.BinaryField(
                        blank=True,
                        help_text="The ranking by a judge that compares systems two at a time: JSON, gzip-compressed; see leaderboard.board.ranking. Empty where nothing is compared.",
                        null=True,
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
            name="Standing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                ("best", models.BooleanField(help_text="Has the highest value of the column.")),
                ("marked", models.BooleanField(help_text="The best, or not significantly different from it.")),
                ("p_value", models.FloatField(help_text="p-value of the difference from the best, Holm-corrected.")),
                (
                    "noise",
                    models.FloatField(
                        blank=True,
                        help_text="Standard deviation of the value between judgments of the same answers, if there are repeated ones. Empty if every reply was identical.",
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
            ],
            options={
                "ordering": ["board", "name", "rank"],
                "constraints": [models.UniqueConstraint(fields=("entry", "name"), name="one_standing_per_cell")],
            },
        ),
        migrations.CreateModel(
            name="CorrectedScore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "score",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corrected", to="scoring.score"
                    ),
                ),
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
            ],
            options={
                "ordering": ["score"],
            },
        ),
        migrations.CreateModel(
            name="BoardSnapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.split"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="scoring.setting"
                    ),
                ),
                ("taken_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("digest", models.CharField(help_text="SHA-256 of the content.", max_length=64)),
                ("content", models.BinaryField(help_text="The board as JSON, gzip-compressed.")),
                ("n_rows", models.PositiveIntegerField()),
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
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.split"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                ("serial", models.PositiveBigIntegerField(default=1)),
                ("fingerprint", models.CharField(help_text="Digest of all inputs.", max_length=64)),
                ("content", models.BinaryField(help_text="JSON, gzip-compressed; see leaderboard.board.contents.")),
                (
                    "n_systems",
                    models.PositiveIntegerField(
                        help_text="Rows that are neither human rows nor the reference ceiling."
                    ),
                ),
                ("written_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                (
                    "snapshot_fingerprint",
                    models.CharField(blank=True, help_text="Digest of the inputs of that snapshot.", max_length=32),
                ),
            ],
            options={
                "ordering": ["split", "setting"],
                "constraints": [models.UniqueConstraint(fields=("split", "setting"), name="one_document_per_board")],
            },
        ),
        migrations.CreateModel(
            name="BoardChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "split",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.split"
                    ),
                ),
                (
                    "setting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.setting"
                    ),
                ),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(help_text="SHA-256 of the content sent with the key.", max_length=64)),
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
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [models.UniqueConstraint(fields=("user", "key"), name="idempotency_key_unique")],
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
            name="QuotaException",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="scoring.benchmark"
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
                ("per_week", models.PositiveIntegerField(blank=True, help_text="Empty for no limit.", null=True)),
                ("note", models.CharField(blank=True, help_text="Reason, for other maintainers.", max_length=400)),
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
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
            name="Receipt",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="receipts",
                        to="leaderboard.submission",
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
                ("basis", models.CharField(help_text="SHA-256 of the files and scores in the receipt.", max_length=64)),
                ("statement_json", models.TextField(help_text="The signed statement, as canonical JSON.")),
                ("signature", models.CharField(help_text="Ed25519, base64.", max_length=88)),
                ("issued_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "names_files",
                    models.BooleanField(
                        default=False,
                        help_text="Whether the statement contains file names; if so, only people with access to the submission see it.",
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
                        help_text="Of a hidden split: exact values and salts of the commitments in the statement, as canonical JSON.",
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
    ]
