"""Fuzzing: tables of every kind, pools of questions and texts, each drawn from one seed.

``python -m fuzz`` runs it (``make fuzz``). A case is drawn from its seed alone, and is plain JSON::

plan, cells, containers     a seed -> what a table holds, and in which library and layout
oracles                     what must hold of every table, one small function each
pools, texts, calls         further targets: rule searches, what reads text, native calls
shrink, runner              a failing case made small; many seeds in processes of their own
cluster                     ``python -m fuzz.cluster``: trees of a Dask cluster and of one machine
cases/                      shrunk cases of faults that were mended; a test repeats them
"""
