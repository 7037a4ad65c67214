"""
Estimate the course of a game from uncertain evidence: a Bayesian filter over whole games.

In: the events of a record, each with its likelihoods and alternatives (``reported_event``). Out: rulings and
announcements, each with the line that it belongs to, and the most likely position. The prior is the rules of the game
(``referee.effects``) together with how often events and errors occur (``rates``). The package knows nothing of
pictures, files or clocks.
"""
