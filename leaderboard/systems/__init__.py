"""Systems: the page of one, with its results on all boards, its rank history and its answers.

Enters: the slug of a system. Leaves: plain values that the page and the API show. ``comparison`` compares several
systems.
"""
