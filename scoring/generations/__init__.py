"""Files of generations: from an uploaded byte stream to answers, or to every problem in it with its fix.

``reader`` reads the file and collects its answers, ``lines`` splits it into lines, ``records`` reads one line;
``problems``, ``json_errors`` and ``nearest_id`` describe what is wrong. Plain Python: no Django.
"""
