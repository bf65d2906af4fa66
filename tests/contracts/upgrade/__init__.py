"""The upgrade of a site from version 0.6.0 to the present code.

``version_0_6_0/`` holds the site. Version 0.6.0 made its files, with the script ``fill.py.txt``; they never change. A
backup has the same format on every database, so one archive serves both SQLite and PostgreSQL.

`site` builds the site in a process of its own: it creates the tables with the SQL statements of real databases of
0.6.0, inserts the rows, writes the files and records the migrations of 0.6.0 as applied. Then it migrates to the
present and reports what it finds. `running` starts that process, `expected` lists the differences that are allowed.
"""
