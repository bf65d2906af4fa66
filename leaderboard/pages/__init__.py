"""Pages of text: about, how-to, definitions of metrics, data cards, the context of every page.

Enters: a benchmark's definition. Leaves: HTML. Nothing here changes state.
"""
