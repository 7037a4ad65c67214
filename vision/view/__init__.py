"""
What people are shown of what the eye sees.

In: tracks, zones and hands. Out: a ``PipelineView``, and a picture with outlines and names drawn on it. Nothing flows
back from here.
"""
