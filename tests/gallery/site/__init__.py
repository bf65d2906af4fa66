"""Sample data for the gallery: every state that a component or page can be in, from empty to far too long.

Numbers of published systems are those of the first benchmark; the rest is made up.
"""

from tests.gallery.site.pages import SamplePage, components, pages

__all__ = ["SamplePage", "components", "pages"]
