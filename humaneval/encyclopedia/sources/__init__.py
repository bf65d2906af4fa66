"""Sources of articles: a ZIM file or a MediaWiki, behind one interface with a cache."""
