"""What leads to the site from elsewhere: search engines, feed readers, previews of links, badges and embedded boards.

Enters: the public pages of the other folders. Leaves: robots.txt and sitemaps, Atom feeds, pictures for previews,
badges, and boards that other sites may put into a frame. Nothing here shows more than a board does.
"""
