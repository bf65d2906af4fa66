"""The questions of open splits: how hard each is, how well it tells systems apart, and every system's answer.

A split whose answers are public has, in each setting, the list of its questions and a page for each, with the marks of
`scoring.analysis.explanations`; answers only where their owners made them public (`leaderboard.access`). Hidden splits
have no such page, for anybody.
"""
