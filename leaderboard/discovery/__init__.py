"""Ways to the site from elsewhere: robots.txt, sitemaps and badges.

Nothing here shows more than a board does.
"""
