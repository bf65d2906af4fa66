"""Pages for the maintainer of a study: create, invite, watch, exclude, export, publish, delete.

Enters: a maintainer's request. Leaves: changes to a study, each in its activity log.
"""
