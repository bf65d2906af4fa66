"""Commands of ``manage.py`` that span apps: import benchmarks, run the demo, check the health of the site.

Enters: arguments and options. Leaves: the effect of the services they call, lines of output, and an exit status.
"""
