"""Backup and restore: one file with every table and every uploaded file, as they were at one moment.

Enters: the database and the uploads, or such a file. Leaves: a gzip-compressed tar archive of
``tables/APP.MODEL.jsonl`` (one JSON list a row), ``files/NAME`` and last ``manifest.json`` with versions and hashes; or
a restored site. The archive does not depend on the kind of database.
"""
