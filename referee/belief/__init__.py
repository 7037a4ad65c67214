"""
What most likely happened: a Bayesian filter over whole games.

In: what a camera tells, each event with its doubts (``options``). Out: rulings and announcements, each with the line it
belongs to, and the likeliest position. It knows the law (``referee.judge``) and how often things happen (``rates``);
it knows nothing of pictures, files or clocks.
"""
