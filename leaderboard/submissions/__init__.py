"""Submissions: from an upload to stored answers, their progress, replacement, withdrawal and deletion.

A request of the page or the API with generations files becomes a submission with one answer set per setting, and its
runs. An upload goes from ``forms`` through ``intake`` to ``storage``.
"""
