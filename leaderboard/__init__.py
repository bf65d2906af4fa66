"""The public site; the Django project is in ``project``.

Enters: requests of readers, submitters and maintainers. Leaves: pages, the API and the boards. It builds on
``scoring``; ``humaneval`` builds on it. No reference answer is ever read here.
"""

__version__ = "0.9.0.dev0"
