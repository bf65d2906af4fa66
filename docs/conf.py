"""How `make docs` builds the documentation as pages for ``/docs/``, without scripts or styles inside of pages."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from leaderboard import __version__

ROOT = Path(__file__).resolve().parent.parent
BESIDE = {"overview": "README.md", "changelog": "CHANGELOG.md"}
"""Pages that show a document from the top of the repository."""
NO_PAGES = r"\[([^\]]*)\]\((?:SECURITY\.md|LICENSE|constraints\.txt|examples/manyhop-example/)\)"
"""Links to files of the repository that are no pages; their words stay."""

project = "Manyhop"
author = "The Manyhop developers"
project_copyright = author
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["examples"]
myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
add_module_names = False

html_theme = "basic"
html_title = f"Manyhop {release}"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_extra_path = ["../static"]  # tokens, fonts and the theme of the site
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_domain_indices = False
pygments_style = "bw"


def lead_to_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Show the documents from the top of the repository, and let links lead to pages."""
    del app
    text = (ROOT / BESIDE[name]).read_text() if name in BESIDE else source[0]
    for page, document in BESIDE.items():
        text = text.replace(f"](../{document}", f"]({page}.md")
    source[0] = re.sub(NO_PAGES, r"\1", text.replace("](docs/", "]("))


def setup(app: Sphinx) -> None:
    app.connect("source-read", lead_to_pages)
