"""Systems: the page of one, its results on all boards, its answers question by question where they may be seen.

Enters: a slug. Leaves: types that the page, the API and exports show.  holds two to six systems against each other.
"""
