"""Running the site: health, startup checks, logs, audit records, Prometheus metrics, processes.

Enters: the environment and the database. Leaves: reports for the operator. Knows models, but no page of the site.
"""
