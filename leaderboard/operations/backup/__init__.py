"""Backup and restore: one file with every table and every uploaded file, as they were at one moment.

The file is a gzip-compressed tar archive: ``tables/APP.MODEL.jsonl`` (one JSON list a row, in the order of the columns
that the manifest names), ``files/NAME``, and last ``manifest.json`` with versions, migrations, counts and hashes. It
is the same whatever database it was made on, and can be restored into another.
"""
