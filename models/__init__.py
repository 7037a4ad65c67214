"""The networks' weights, the manifest that names them, how they learnt (``training``) and how well (``evaluation``)."""

import vision as vision  # sets what the networks' runtimes read when they are imported
