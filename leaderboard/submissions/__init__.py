"""Submissions: from an upload to stored answers, their progress, replacement, withdrawal and deletion.

Enters: a request of the page or the API with generations files. Leaves: a submission with one answer set per setting,
and its runs. An upload goes from ``forms`` through ``intake`` and ``validation`` to ``storage``.
"""
