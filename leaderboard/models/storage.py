"""Storage of static files."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Compressed files with a hash in their names, also in the imports of scripts: a changed module is never mixed with
    one from a browser's cache."""

    support_js_module_import_aggregation = True
