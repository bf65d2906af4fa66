"""The GPT judge without the site: what it is asked, asking over the network, and what its replies mean. No Django.

Enters: questions, references, answers. Leaves: a reply for each, with a letter or why there is none. ``prompt`` makes
requests, ``endpoint`` sends one, ``pool`` many at the pace of ``rate_limits``, ``batch_api`` many at half the price;
``replies`` names outcomes, ``cost`` counts money, ``prompt_injection`` flags answers that address the judge.
"""
