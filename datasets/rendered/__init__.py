"""
Fragments of Durak rendered with path-traced light (the extra ``render``), with exact truth.

Only :mod:`datasets.rendered.blender` imports ``bpy``.
"""
