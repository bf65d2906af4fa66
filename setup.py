"""The packages of a distribution; everything else about it is in pyproject.toml.

The templates and static files of the site lie beside the code, and become packages inside it.
"""

from setuptools import find_packages, setup

FOLDERS = {"leaderboard.templates": "templates", "leaderboard.static": "static"}

setup(
    packages=[*find_packages(include=["leaderboard*", "humaneval*", "manyhop*", "scoring*"]), *FOLDERS],
    package_dir=FOLDERS,
)
