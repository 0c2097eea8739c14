"""ArcRAG with a model in the loop: what one pass over a question retrieves.

One pass, from a question (or the follow-up of the pass before) to queries that were run::

    readings        the offline interpretation proposes patterns, best first                     (options.py)
      | sure: the best one is run, and nobody is asked
    previews        each pattern is run within a bound, so that what it brings can be seen       (query.py)
    seed            where nothing is named: the question in other words, and search phrases      (seed.py)
    interface       anchors, directed relations, properties around the question; it grows        (interface.py)
      | nothing fits, or the model says so
    hints           texts of the store that read like the question                               (hints.py)
    gaps            words of the question that nothing seen explains; no call                    (gaps.py)
    explore         two explorers look around in parallel; what they report joins the interface  (explore.py)
    plan            at most four subplans over the interface, one an open scan, each a pattern   (plan.py)
    generate        choice, edit or query of its own; refined while it is not acceptable         (generate.py, edit.py)

What a model may say is restricted by the JSON schema of its reply to identifiers that the prompt offers: ``O3`` is an
option that was run, ``R7`` a relation with its direction, ``K2`` a property, ``A1`` an entity. Each call is a
:class:`~arcgraph.llm.reason.Ask` with the offline decision beside it, which stands where the model fails.

Passes, answering, judging and follow-up questions are the agent's: see :mod:`arcgraph.loop`.
"""
