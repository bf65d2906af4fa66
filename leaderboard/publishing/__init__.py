"""Publishing: putting a scored submission on a board under its name or anonymously, and taking it off.

Enters: a submission, and how its owner wants it published. Leaves: publications, entries, systems and pseudonyms; the
board is marked stale. ``services`` publishes, ``requests`` asks, ``reveal`` names, ``removal`` takes off.
"""
