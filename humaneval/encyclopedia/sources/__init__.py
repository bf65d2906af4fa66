"""Sources of articles: a ZIM file or a MediaWiki, behind one interface with a cache.

Enters: an address such as ``zim:/path``. Leaves: articles, search results and images.
"""
