"""What leads to the site from elsewhere: robots.txt, sitemaps, canonical addresses and badges.

Nothing here shows more than a board does.
"""
