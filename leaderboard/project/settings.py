"""Settings of the site, all from environment variables (the README has a table of them).

Safe by default: without ``DEBUG=1`` a strong secret key is required, cookies are secure and HTTPS is enforced; with it
the site does not start if it is configured for public access (`leaderboard.operations.startup_checks`).
"""

import datetime
import re
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from leaderboard import __version__
from leaderboard.accounts.providers import providers
from leaderboard.operations import startup_checks
from leaderboard.operations.environment import LOG_LEVELS, Environment, path_of, time_zone
from leaderboard.operations.object_storage import storage_settings
from leaderboard.project import places
from leaderboard.web.rate_limits import RateLimit, file_limits, weekly_limits
from scoring.workers.periodic import INTERVAL

env = Environment()
BASE_DIR = places.ROOT
DOCS_DIR = places.DOCS

# --- What kind of site this is -----------------------------------------------------------------------------------

DEBUG: bool = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("MANYHOP_DATA_DIR", default=str(places.VAR))).resolve()
MANYHOP_VERSION = __version__
SITE_NAME: str = env.str("SITE_NAME", default="Manyhop")
SITE_OPERATOR: str = env.str("SITE_OPERATOR", default="")
SITE_CONTACT: str = env.str("SITE_CONTACT", default="")

SECRET_KEY: str = env.str("SECRET_KEY", default="")
if not SECRET_KEY and DEBUG:
    SECRET_KEY = startup_checks.DEVELOPMENT_KEY
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
"""Earlier keys, whose sessions and links remain valid until the keys are removed."""
_weakness = startup_checks.keys_weakness(SECRET_KEY, SECRET_KEY_FALLBACKS, debug=DEBUG)
if _weakness:
    raise ImproperlyConfigured(
        f"{_weakness}. {startup_checks.HOW_TO_MAKE_A_KEY} On a development machine, DEBUG=1 is enough."
    )


ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured(
        "ALLOWED_HOSTS is *, so that any client could choose the host in links and emails. List the site's hosts."
    )

SITE_URL: str = env.str("SITE_URL", default=(CSRF_TRUSTED_ORIGINS or ["http://127.0.0.1:8000"])[0]).rstrip("/")
"""The site's address for links in emails, since a worker has no request. If it has a path (``/manyhop``), every address
of the site begins with that; the proxy takes it off, so that routes and health checks are the same as without one."""
SITE_PATH = path_of(SITE_URL)
FORCE_SCRIPT_NAME = SITE_PATH or None

# --- Applications ------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "leaderboard.apps.LeaderboardConfig",
    "humaneval.apps.HumanevalConfig",
    "scoring.apps.ScoringConfig",
    "leaderboard.project.apps.ProjectConfig",
    "leaderboard.apps.RecordedAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "axes",
    "csp",
    "rest_framework",
    "drf_spectacular",
]

MIDDLEWARE = [
    "leaderboard.operations.logs.RequestIdMiddleware",
    "leaderboard.web.middleware.ProbesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.web.middleware.HeadersMiddleware",
    "leaderboard.web.middleware.StaticFilesMiddleware",
    "leaderboard.web.middleware.PageTagsMiddleware",
    "csp.middleware.CSPMiddleware",
    "leaderboard.web.middleware.RefusedPagesMiddleware",
    "leaderboard.web.middleware.UploadLimitMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "leaderboard.web.middleware.PrivatePagesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
    "leaderboard.accounts.second_factor.SecondFactorMiddleware",
]

ROOT_URLCONF = "leaderboard.project.urls"
WSGI_APPLICATION = "leaderboard.project.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", BASE_DIR / "scoring"],  # metrics have their formulas beside them
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.project.context_processors.site",
            ],
            "builtins": ["django.templatetags.i18n"],
        },
    },
]

# --- Database ----------------------------------------------------------------------------------------------------

DATABASES: dict[str, Any] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'manyhop.sqlite3'}"),
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # WAL: readers never wait for the writer. IMMEDIATE: a transaction that will write waits for its turn at its
    # start, where SQLite honours the timeout, instead of failing half-way.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        {
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
        }
    )
else:
    DATABASES["default"].setdefault("CONN_MAX_AGE", 60)
    DATABASES["default"].setdefault("CONN_HEALTH_CHECKS", True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Queue -------------------------------------------------------------------------------------------------------

REDIS_URL: str = env.str("REDIS_URL", default="")
CELERY_BROKER_URL: str = env.str("CELERY_BROKER_URL", default=REDIS_URL or "filesystem://")
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any]
if CELERY_BROKER_URL.startswith("filesystem://"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
        "store_processed": False,
        "polling_interval": 0.2,  # seconds; with the default of 1.0 a worker receives only a few messages per second
    }
else:
    # A web request that submits must not hang if the broker is unavailable: the run is in the database, and the sweeper
    # sends it once the broker is back.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 2,
        "socket_timeout": 10,
        "socket_keepalive": True,
        "retry_on_timeout": False,
        "health_check_interval": 15,
        "visibility_timeout": 3600,
        "queue_order_strategy": "leaderboard.operations.processes.redis_broker:SiteFirst",
    }
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_STORE_EAGER_RESULT = False
CELERY_TASK_DEFAULT_QUEUE = "cpu"
CELERY_TASK_ACKS_LATE = False  # the lease in the database, not the broker, determines what is unfinished
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]

RUN_LEASE_SECONDS = 60
"""How long a worker's claim on a run lasts without being renewed; it renews at a third of this."""
RUN_RESEND_SECONDS = 10
"""How long after its message a waiting run is sent again, if its queue lacks messages."""
METRIC_ANSWER_SECONDS = 10
RUN_MAX_ATTEMPTS = 5
"""How often a run is started without progress before a worker that dies in it makes it *failed*."""
RUN_TIME_LIMIT_SECONDS = 3600
SWEEP_SECONDS: int = env.int("SWEEP_SECONDS", default=10)
CELERY_TASK_TIME_LIMIT = RUN_TIME_LIMIT_SECONDS
START_PARKED_SECONDS = 60
"""How often a worker checks whether the requirement of parked runs (a checkpoint, say) is available on its machine."""


def _every(sweeps: int, task: str) -> dict[str, Any]:
    """A periodic task, once in so many sweeps. Its messages say how often they come, and never expire."""
    seconds = float(sweeps * SWEEP_SECONDS)
    return {"task": task, "schedule": seconds, "options": {"queue": "site", "headers": {INTERVAL: seconds}}}


# A worker receives only a few messages per second from a file queue, so less urgent tasks run less often.
CELERY_BEAT_SCHEDULE = {
    "sweep": _every(1, "scoring.tasks.sweep"),
    "refresh-boards": _every(1, "leaderboard.tasks.refresh_boards"),
    "send-notices": _every(2, "leaderboard.tasks.send_notices"),
    "find-oddities": _every(5, "leaderboard.tasks.find_oddities"),
    "end-splits": _every(2, "leaderboard.tasks.end_splits"),
    "reveal-names": _every(20, "leaderboard.tasks.reveal_names"),
    "delete-expired-study-data": _every(180, "humaneval.tasks.delete_expired"),
    "mail-maintainers": _every(20, "leaderboard.tasks.mail_maintainers"),
}

# --- Cache: only what may be lost ---------------------------------------------------------------------------------

CACHES: dict[str, Any] = {
    "default": (
        {
            "BACKEND": "leaderboard.web.cache.ForgivingRedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {
                "serializer": "leaderboard.web.cache.MsgpackSerializer",
                # No page may hang on an unavailable cache.
                "socket_connect_timeout": 1,
                "socket_timeout": 2,
            },
        }
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

RATE_COUNTS_IN_DATABASE = not REDIS_URL
"""Rate limits hold over all processes: they are counted in Redis or, without it, in the database."""

# --- Metrics -----------------------------------------------------------------------------------------------------

LEMMATISER: str = env.str("LEMMATISER", default="auto")
BLEURT_CHECKPOINT: str = env.str("BLEURT_CHECKPOINT", default="")
"""The directory of the checkpoint on the machines that score; without it BLEURT is *not configured*."""
BLEURT_DTYPE: str = env.str("BLEURT_DTYPE", default="float32")
BLEURT_DEVICE: str = env.str("BLEURT_DEVICE", default="auto")

# A judge costs money: no request is sent unless one of the first two is set, and no other variable has this effect.
JUDGE_BASE_URL: str = env.str("JUDGE_BASE_URL", default="")
JUDGE_API_KEY: str = env.str("JUDGE_API_KEY", default="")
JUDGE_MODEL: str = env.str("JUDGE_MODEL", default="gpt-4o-2024-11-20")
JUDGE_LIST_MODEL: str = env.str("JUDGE_LIST_MODEL", default="gpt-4.1-2025-04-14")
JUDGE_CONCURRENCY: int = env.int("JUDGE_CONCURRENCY", default=32)
JUDGE_RPM: int = env.int("JUDGE_RPM", default=0)
JUDGE_TPM: int = env.int("JUDGE_TPM", default=0)
JUDGE_TIMEOUT_SECONDS: float = env.float("JUDGE_TIMEOUT_SECONDS", default=120)
JUDGE_MAX_ASKS: int = env.int("JUDGE_MAX_ASKS", default=3)
JUDGE_MAX_REPLY_TOKENS: int = env.int("JUDGE_MAX_REPLY_TOKENS", default=4096)
JUDGE_SUBMISSION_CAP_USD: str = env.str("JUDGE_SUBMISSION_CAP_USD", default="25")
JUDGE_MONTHLY_CAP_USD: str = env.str("JUDGE_MONTHLY_CAP_USD", default="250")
JUDGE_PRICES: str = env.str("JUDGE_PRICES", default="")
JUDGE_RETRY_SECONDS = 30
JUDGE_GIVE_UP_SECONDS = 1800

# --- People ------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "leaderboard.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it counts attempts before the password is checked
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "leaderboard.accounts.tokens.EndTokens"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "my-submissions"
LOGOUT_REDIRECT_URL = "home"
AXES_LOCKOUT_CALLABLE = "leaderboard.accounts.login_views.locked_out"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # together, so that nobody locks another user out remotely
AXES_USERNAME_CALLABLE = "leaderboard.accounts.login_views.counted_name"
AXES_CLIENT_IP_CALLABLE = "leaderboard.accounts.login_views.counted_address"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
ACCOUNT_ADAPTER = "leaderboard.accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "leaderboard.accounts.forms.SignInForm",
    "signup": "leaderboard.accounts.forms.SignUpForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_REDIRECT_URL = "submit"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # only in the browser in which the account was created
ACCOUNT_LOGIN_TIMEOUT = 3600  # so long after signing up, the confirmed address signs in
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_MAX_EMAIL_ADDRESSES = 10
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": None}  # django-axes counts these
REQUIRE_SECOND_FACTOR: bool = env.bool("REQUIRE_SECOND_FACTOR", default=False)
"""Whether staff must have used a second factor in their session before any page is shown to them."""
MFA_ADAPTER = "leaderboard.accounts.adapters.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "authenticate": "leaderboard.accounts.forms.SignInCodeForm",
    "reauthenticate": "leaderboard.accounts.forms.ConfirmCodeForm",
    "add_webauthn": "leaderboard.accounts.forms.AddPasskeyForm",
    "authenticate_webauthn": "leaderboard.accounts.forms.SignInPasskeyForm",
    "reauthenticate_webauthn": "leaderboard.accounts.forms.ConfirmPasskeyForm",
}
MFA_TOTP_ISSUER = SITE_NAME
MFA_TOTP_TOLERANCE = 1  # a code is valid for 30 seconds before and after its own, so clocks may differ
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody signs in without a verified address, except accounts from the operator
SOCIALACCOUNT_FORMS = {"signup": "leaderboard.accounts.forms.SocialSignUpForm"}
SOCIALACCOUNT_EMAIL_REQUIRED = True
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
GITHUB_CLIENT_ID: str = env.str("GITHUB_CLIENT_ID", default="")
GITHUB_CLIENT_SECRET: str = env.str("GITHUB_CLIENT_SECRET", default="")
OIDC_NAME: str = env.str("OIDC_NAME", default="OpenID Connect")
OIDC_ISSUER: str = env.str("OIDC_ISSUER", default="")
OIDC_CLIENT_ID: str = env.str("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET: str = env.str("OIDC_CLIENT_SECRET", default="")
try:
    SOCIALACCOUNT_PROVIDERS: dict[str, Any] = providers(
        github=(GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET),
        oidc=(OIDC_NAME, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET),
    )
except ValueError as error:
    raise ImproperlyConfigured(str(error)) from error
if env.str("EMAIL_URL", default=""):
    vars().update(env.email_url("EMAIL_URL"))
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL: str = env.str("EMAIL_FROM", default="manyhop@localhost")

# --- Studies -----------------------------------------------------------------------------------------------------

ENCYCLOPEDIA: str = env.str("ENCYCLOPEDIA", default="")
"""What participants and graders read unless a study names another: ``zim:…`` or ``mediawiki:…``."""
MODEL_NAMES: str = env.str("MODEL_NAMES", default="")
"""A file with the site's own families of models, like ``humaneval/studies/model_names.toml``."""

# --- Uploads -----------------------------------------------------------------------------------------------------

BENCHMARKS_REFRESH_SECONDS: float | None = 2
"""How often a process looks for benchmarks that another one has imported."""
UPLOAD_LIMIT_MB: int = env.int("UPLOAD_LIMIT_MB", default=32)
"""The largest generations file, in MiB."""
UPLOAD_LIMIT_BYTES = UPLOAD_LIMIT_MB * 2**20
PASSAGES_LIMIT_MB = 200
"""The largest file of retrieved passages, in MiB."""
PASSAGES_LIMIT_BYTES = PASSAGES_LIMIT_MB * 2**20
try:
    SUBMISSIONS_PER_WEEK = weekly_limits(env.str("SUBMISSIONS_PER_WEEK", default="20"))
except ValueError as error:
    raise ImproperlyConfigured(f"The setting SUBMISSIONS_PER_WEEK is invalid. {error}") from error
try:
    HIDDEN_FILES = file_limits(env.str("HIDDEN_FILES", default="9, 30, 60"))
except ValueError as error:
    raise ImproperlyConfigured(f"The setting HIDDEN_FILES is invalid. {error}") from error
"""Files for a hidden split that are scored for a team and for a person: in a day, in 30 days and in all."""
HIDDEN_STATES_MINUTES = env.int("HIDDEN_STATES_MINUTES", default=10)
"""Senders to a hidden split learn new states and results only at multiples of so many minutes; 0 for at once."""
MIN_ANSWERED_SHARE = 0.9
"""Scores of a hidden split are shown for files with answers to at least this share of its questions."""
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
"""A grading round of many files sends a field for each that is ticked."""
DATA_UPLOAD_MAX_NUMBER_FILES = 100
"""The limit on a request's size, of one file per setting, is narrower."""
FILE_UPLOAD_HANDLERS = ["leaderboard.web.uploads.LimitedUploadHandler"]
MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
STORAGE_URL: str = env.str("STORAGE_URL", default="")
"""The bucket of uploaded files; without it they are in ``MEDIA_ROOT``."""
UPLOADS: dict[str, Any] = {"BACKEND": "leaderboard.models.storage.UploadStorage"}
try:
    UPLOADS = storage_settings(STORAGE_URL) if STORAGE_URL else UPLOADS
except ValueError as error:
    raise ImproperlyConfigured(f"STORAGE_URL has an invalid value, which is not shown. {error}") from error
STORAGES = {
    "default": UPLOADS,
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "leaderboard.models.storage.StaticStorage"
        )
    },
}

# --- Static files ------------------------------------------------------------------------------------------------

STATIC_URL = f"{SITE_PATH}/static/"
STATICFILES_DIRS = places.STATIC_FOLDERS
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(DATA_DIR / "static")))
WHITENOISE_MAX_AGE = 0 if DEBUG else 3600
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # a name without its hash leads to the same file: StaticFilesMiddleware

# --- Security ----------------------------------------------------------------------------------------------------

SECURE_SSL = env.bool("SECURE_SSL", default=not DEBUG)
"""Whether the site is reached by HTTPS; turn off only for a site on one machine."""
BEHIND_PROXY: bool = env.bool("BEHIND_PROXY", default=False)
if DEBUG:
    _refusal = startup_checks.debug_refusal(
        hosts=ALLOWED_HOSTS, database=DATABASES["default"], behind_proxy=BEHIND_PROXY, https=SECURE_SSL
    )
    if _refusal:
        raise ImproperlyConfigured(
            f"DEBUG is on, but {_refusal}. With DEBUG, error pages show everyone the site's internals, "
            "including hidden answers. Use DEBUG only for development on one machine; remove it here."
        )
    MIDDLEWARE.insert(0, "leaderboard.web.middleware.ThisMachineOnlyMiddleware")
SECURE_SSL_REDIRECT = SECURE_SSL
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_REDIRECT_EXEMPT = [rf"^{re.escape(f'{SITE_PATH}/'[1:])}{probe}$" for probe in ("healthz", "readyz", "metrics")]
SECURE_HSTS_SECONDS = 365 * 86400 if SECURE_SSL else 0
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they want HSTS of all subdomains
SESSION_COOKIE_SECURE = SECURE_SSL
CSRF_COOKIE_SECURE = SECURE_SSL
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{SITE_PATH}/"
# Names of their own under a path: browsers also send the cookies of a site at the root of the host, which may be
# made with Django too, and Django reads the last of several with one name.
SESSION_COOKIE_NAME = f"sessionid{SITE_PATH.replace('/', '_')}"
CSRF_COOKIE_NAME = f"csrftoken{SITE_PATH.replace('/', '_')}"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 14 * 86400
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "manifest-src": ["'self'"],
    },
}

# --- Language and time -------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE: str = time_zone("TIME_ZONE", env.str("TIME_ZONE", default="UTC"))
USE_I18N = True
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

# --- The API -----------------------------------------------------------------------------------------------------

try:
    API_RATES = {
        "anonymous": RateLimit.parse(env.str("API_RATE_ANONYMOUS", default="600/minute")),
        "account": RateLimit.parse(env.str("API_RATE_ACCOUNT", default="1200/minute")),
        "submit": RateLimit(300, 3600),
        "validate": RateLimit(300, 3600),
    }
except ValueError as error:
    raise ImproperlyConfigured(f"A setting API_RATE_… is invalid. {error}") from error
SIGN_IN_RATES = {"account": RateLimit(10, 3600), "address": RateLimit(100, 3600)}
AXES_FAILURE_LIMIT = SIGN_IN_RATES["account"].number
AXES_COOLOFF_TIME = datetime.timedelta(seconds=SIGN_IN_RATES["account"].seconds)
CHECK_SECONDS = RateLimit(20, 60)
"""The processor time for checks of files that an address may use, in seconds."""
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "leaderboard.api.parsers.SmallJSONParser",
        "rest_framework.parsers.MultiPartParser",
        "leaderboard.api.parsers.SmallFormParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "leaderboard.web.problem_details.problem_details",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Manyhop API",
    "DESCRIPTION": "Benchmarks, leaderboards and systems with unrounded scores; submissions and their scoring.",
    "VERSION": __version__,
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVERS": [{"url": SITE_PATH}] if SITE_PATH else [],
    "SORT_OPERATIONS": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.schema.complete",
    ],
    "ENUM_NAME_OVERRIDES": {
        "SystemType": "leaderboard.models.SystemType",
        "EntryKind": "leaderboard.models.EntryKind",
        "BoardRowKindEnum": "leaderboard.api.serializers.boards.ROW_KINDS",
        "SubmissionState": "leaderboard.api.serializers.submissions.STATES",
        "StudyState": "humaneval.models.StudyState",
    },
}

# --- Logging -----------------------------------------------------------------------------------------------------

LOG_LEVEL: str = env.str("LOG_LEVEL", default="INFO")
if LOG_LEVEL not in LOG_LEVELS:
    raise ImproperlyConfigured(f"LOG_LEVEL is {LOG_LEVEL!r}; it must be one of {', '.join(LOG_LEVELS)}.")
LOG_FORMAT: str = env.str("LOG_FORMAT", default="text")
if LOG_FORMAT not in ("text", "json"):
    raise ImproperlyConfigured(f"LOG_FORMAT is {LOG_FORMAT!r}; it must be text or json.")
METRICS_TOKEN: str = env.str("METRICS_TOKEN", default="")
"""The token that Prometheus sends to ``/metrics``; without it only signed-in maintainers see that page."""
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "leaderboard.operations.logs.TextFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {"()": "leaderboard.operations.logs.JsonFormatter"},
        "runserver": {
            "()": "django.utils.log.ServerFormatter",
            "format": "[{server_time}] {message}",
            "style": "{",
        },
    },
    "filters": {"without-links": {"()": "leaderboard.operations.redaction.WithoutLinks"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["without-links"]},
        "runserver": {"class": "logging.StreamHandler", "formatter": "runserver", "filters": ["without-links"]},
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # Named so that Django's own handlers, which would write and send every URL unredacted, are removed.
        "django": {"level": "INFO"},
        "django.server": {"handlers": ["runserver"], "level": "INFO", "propagate": False},
        "django.utils.autoreload": {"level": "WARNING"},
        # They log the full URL of each request, which contains a participant's searches and articles.
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
    },
}
