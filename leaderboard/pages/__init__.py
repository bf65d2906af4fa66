"""Pages of text: about, how to submit, definitions of metrics, the glossary, data cards.

They show a benchmark's definition and its revisions. Nothing here changes state.
"""
