"""Publishing: putting a scored submission on a board under a name or anonymously, and taking it off.

Enters: a submission and a publication request. Leaves: entries, systems and pseudonyms; the board is marked stale.
"""
