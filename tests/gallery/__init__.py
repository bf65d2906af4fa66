"""The component gallery: a development site that shows every component and page in every state, with sample data.

`make gallery` serves it at /gallery/, beside the site's own pages. It has its own settings, URLs, templates and style.
``site`` has the samples of the leaderboard, ``studies`` those of studies and grading.
"""
