"""Pages of text: about, how to submit, definitions of metrics, data cards; and the context of every page.

They show a benchmark's definition and its revisions. Nothing here changes state.
"""
