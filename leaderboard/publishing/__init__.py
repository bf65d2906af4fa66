"""Publishing: putting a scored submission on a board under its name or anonymously, and taking it off.

A submission and its owner's publication options become publications, entries, systems and pseudonyms; the board is
marked stale. ``services`` publishes, ``requests`` handles requests, ``reveal`` reveals names, ``removal`` takes
submissions off.
"""
