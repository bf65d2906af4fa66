"""Files of generations: from an uploaded byte stream to answers, or to every problem in it with its remedy.

Enters: a stream, the ids of a split, limits. Leaves: a `report.GenerationsReport`. ``reader`` goes through the file and
collects its answers, ``lines`` cuts it, ``records`` reads one line; ``problems``, ``json_errors`` and ``nearest_id``
describe what is wrong. Plain Python: no Django.
"""
