"""Commands of ``manage.py`` that span apps: import benchmarks, run the demo, check the health of the site.

Each passes its arguments to services, prints lines, and exits with a status.
"""
