"""Running the site: health, startup checks, logs, audit records, Prometheus metrics, processes.

Reads the environment and the database, and reports to the operator. Knows models, but no page of the site.
"""
