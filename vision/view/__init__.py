"""
What people are shown of the vision pipeline.

In: tracks, zones and hands. Out: a ``PipelineView``, and a picture with outlines and names drawn on it. Nothing flows
back from here.
"""
