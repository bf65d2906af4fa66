"""Submissions: from an uploaded file to stored answers, their progress, replacement, receipts and deletion.

Enters: a form or an API request with generation files. Leaves: a submission with one answer set a setting, and its
runs. ``forms`` reads the request, ``intake`` checks the files, ``validation`` and ``storage`` store them in one
transaction.
"""
