"""All Numba code. Imports NumPy and Numba only, raises nothing, knows no configuration.

Nothing here is imported by ``import txtfp_np``: stages import the kernel they need when they
first run, so that start-up never pays for Numba.

House rules of this folder:

* Inputs are read-only C-contiguous arrays, outputs writable ones, offsets ``int64``. The doors
  (``columns/``) make them so; a kernel therefore compiles exactly once.
* The caller allocates outputs, with the slack that the docstring asks for.
* Every constant that meets a ``uint64`` is wrapped in ``np.uint64``.
"""
