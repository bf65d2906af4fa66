"""Sources of articles: a ZIM file, a kiwix-serve, or a MediaWiki, behind one interface with a cache.

Enters: an address such as ``zim:/path``. Leaves: articles, search results and images.
"""
