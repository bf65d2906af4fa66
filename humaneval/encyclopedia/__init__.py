"""The encyclopedia that participants read, behind one interface: a ZIM file or a MediaWiki."""
