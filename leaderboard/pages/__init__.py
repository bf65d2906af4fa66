"""Pages of text: about, how to submit, definitions of metrics, data cards; and the context of every page.

Enters: a benchmark's definition and its revisions. Leaves: HTML. Nothing here changes state.
"""
