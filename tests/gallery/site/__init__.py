"""Sample data for the gallery: each kind of page and component, with its empty or refused state.

Numbers of published systems are those of the first benchmark; the rest is made up.
"""

from tests.gallery.site.pages import SamplePage, components, pages

__all__ = ["SamplePage", "components", "pages"]
