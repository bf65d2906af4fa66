"""The GPT judge without the site: its prompt, its requests over the network, and its replies. No Django.

Enters: questions, references, answers. Leaves: a reply for each, with a letter or the reason why there is none.
``prompt`` builds requests, ``endpoint`` sends one, ``pool`` sends many within the ``rate_limits``, ``batch_api`` many
at half the price; ``replies`` names outcomes, ``cost`` counts money, ``prompt_injection`` flags answers that address
the judge.
"""
