"""The networks' weights, the manifest that names them, how they learnt (``training``) and how well (``evaluation``)."""
