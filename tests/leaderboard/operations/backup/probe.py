"""Everything that a site holds, by Django's serialiser alone: ``python -m tests.leaderboard.operations.backup.probe``.

Restores FILE, says what then is there, and makes a further backup under each name that follows.
"""

import hashlib
import json
import os
import sys


def probe() -> dict[str, str]:
    """The SHA-256 of every table (as Django serialises it) and of every file."""
    from django.apps import apps
    from django.conf import settings
    from django.core import serializers

    found = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.label_lower not in ("scoring.importdraft", "sessions.session"):
            rows = list(model._base_manager.order_by("pk"))
            text = serializers.serialize("json", rows, use_natural_foreign_keys=False)
            exact = [[repr(getattr(row, field.attname)) for field in model._meta.concrete_fields
                      if field.get_internal_type() == "DateTimeField"] for row in rows]  # fmt: skip
            digest = hashlib.sha256(f"{text}{exact}".encode()).hexdigest()
            found[model._meta.label_lower] = f"{len(rows)} {digest}"
    root = settings.MEDIA_ROOT
    for path in sorted(root.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(root))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.live_settings")
    django.setup()
    from django.core.management import call_command

    restored, *further = sys.argv[1:]
    call_command("restore", restored, stdout=sys.stderr)
    json.dump(probe(), sys.stdout)
    for target in further:
        call_command("backup", target, stdout=sys.stderr)
