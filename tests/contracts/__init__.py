"""What outsiders rely on, compared with a committed baseline; and the upgrade of a site from version 0.6.0.

``baseline/`` holds one JSON file for each part of the contract, as version 0.6.0 had it; that of the API is
`manyhop/openapi.json`. The tests collect the same from the present code (`parts`) and compare. Prose is left out: help
texts, descriptions, titles. So are module paths, because files may move. ``upgrade/`` holds a site of version 0.6.0,
which the tests upgrade and make the exports from.

``python -m tests.contracts`` writes the baselines again; CONTRIBUTING says when that is allowed.
"""
