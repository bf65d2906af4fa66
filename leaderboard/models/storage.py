"""How static files are kept."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Compressed files with a hash in their names, in the imports of scripts too: a changed module is never mixed with
    one from a browser's cache."""

    support_js_module_import_aggregation = True
