"""How a language model is asked for verdicts: over the network, within limits, and at a known cost. No Django.

Enters: items, with the settings of a site. Leaves: a reply for each, with a verdict or the reason why there is none.
``metric`` has the metrics that ask; ``items`` what is asked; ``endpoint`` sends one request, ``pool`` many,
``replies`` names outcomes, ``letters`` reads letters; ``config`` reads settings.
"""
