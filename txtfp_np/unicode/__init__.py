"""Frozen Unicode: the tables that decide bytes, and the script that built them.

``tables.npz`` holds normalisation and segmentation of Unicode 17.0 and case folding and confusables
of Unicode 16.0, the versions inside txtfp 0.2.2. No installed package is asked at run time: an
upgrade of it would silently change every signature. Code points assigned later pass unchanged.

``frozen.py`` loads them, ``build.py`` makes them; ``kernels/layout.py`` says what the numbers mean.
"""
