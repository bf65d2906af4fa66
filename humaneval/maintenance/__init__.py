"""Pages for the maintainer of a study: create, invite, monitor, exclude, export, publish, delete.

Enters: a maintainer's request. Leaves: changes to a study, each recorded in its activity log.
"""
