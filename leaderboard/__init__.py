"""The public site; the Django project is in ``project``.

It serves readers, submitters and maintainers: pages, the API and the boards. It builds on ``scoring``, and
``humaneval`` builds on it. No reference answer is ever read here.
"""

__version__ = "0.9.0.dev0"
