"""
Present the results of the vision pipeline to people.

In: tracks, zones and hands. Out: a ``PipelineView``, and a picture with outlines and names drawn on it. Nothing flows
back from here.
"""
