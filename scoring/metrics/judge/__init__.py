"""The GPT judge without the site: its prompt, its requests over the network, and its replies. No Django.

Enters: questions, references, answers. Leaves: a reply for each, with a verdict or the reason why there is none.
``kinds`` lists the kinds of judge (``prompt`` for answers, ``lists``, ``pairs``), which build requests; ``endpoint``
sends one, ``pool`` many, ``batch_api`` many at half the price; ``replies`` names outcomes, ``letters`` reads letters.
"""
