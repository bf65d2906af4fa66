"""How a language model is asked for verdicts: over the network, within limits, and at a known cost. No Django.

``metric`` has the metrics that ask; ``items`` what is asked, and ``prompts`` with which words; ``endpoint`` sends one
request, ``pool`` many, ``replies`` reads responses, ``letters`` the letters in them; ``config`` reads settings.
"""
