"""Backup and restore: one file with every table and every uploaded file at one point in time.

Enters: the database and the uploads, or such a file. Leaves: a gzip-compressed tar archive of
``tables/APP.MODEL.jsonl`` (one JSON list per row), ``files/NAME`` and last ``manifest.json`` with versions and hashes;
or a restored site. The archive does not depend on the kind of database.
"""
