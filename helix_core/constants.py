"""The numbers helix scores with, each with the reason it has that value. Imports nothing.

Names follow the specification's table of tuning constants. Thresholds that belong to an embedding
model are given here for arctic-embed-m-v1.5 only; `helix_core.profiles` holds them per model.
"""

from __future__ import annotations

# -- fusion and ranking -------------------------------------------------------------------------
RRF_K = 60  # Cormack, Clarke & Buettcher 2009: flat optimum of reciprocal rank fusion on TREC.
MIN_RELEVANCE_DEFAULT = 0.35  # Lower edge of "topically related" for arctic-embed-m-v1.5.
CANDIDATE_DEPTH_FACTOR = 3  # Each list is fused three times as deep as the answer is long ...
CANDIDATE_DEPTH_MIN = 9  # ... and never shallower than this (decision 18).
HOP_DISCOUNT = 0.7  # Under PageRank's damping of 0.85; one hop of spreading activation.
RECENCY_DECAY_PER_DAY = 0.003  # 231-day half-life: slower than the 150 days of Ding & Li 2005.
RECENCY_FLOOR = 0.85  # Age alone never costs more than 15%, reached after 50 days.
VELOCITY_PER_USE = 0.02  # Five causal uses in the window give the whole boost.
VELOCITY_CAP = 0.10  # Keeps a busy insight from outrunning relevance.
VELOCITY_WINDOW_DAYS = 14  # What counts as "recent" for the velocity boost.

# -- learning from outcomes ---------------------------------------------------------------------
FEEDBACK_EMA_WEIGHT = 0.2  # Sutton & Barto 2018, ch. 2: constant step size, window of 9 events.
EROSION_RATE = 0.09  # EMA weight over the loss-aversion factor 2.25 of Kahneman & Tversky 1992.
DECAY_RATE = 0.1  # Per session, towards neutral; the shape of Anderson & Schooler 1991.
DECAY_AFTER_DAYS = 30  # Days without use before forgetting sets in.
CAUSAL_MIN_USES = 3  # Fewer uses say nothing about how often an insight is causal.
CAUSAL_ADJUSTMENT_FLOOR = 0.33  # Chance rate of one hit in CAUSAL_MIN_USES uses.
CAUSAL_SIMILARITY_THRESHOLD = 0.50  # Attribution gate on arctic's query-to-document cosines.
CAUSAL_WEIGHT_RAMP = 0.50  # From weight 0 at the threshold to weight 1 at cosine 1.
NEUTRAL_EFFECTIVENESS = 0.5  # Where an insight starts, and what erosion and decay head for.
DERIVED_EFFECTIVENESS = 0.35  # Written from a failure by rule: has to earn its way up.
SYNTHESIS_EFFECTIVENESS = 0.45  # Seen in several sessions: between derived and neutral.
GENERALITY_SPREAD_CAP = 0.30  # Context spread from which an insight counts as a principle.
GENERALITY_DECAY_DISCOUNT = 0.50  # A principle is forgotten at half the pace.
GENERALITY_MIN_SPREAD = 0.05  # Less spread than this is no evidence of generality.
SPREAD_MIN_CONTEXTS = 3  # The mean of one or two directions says nothing about spread.

# -- graph and duplicates -----------------------------------------------------------------------
DUPLICATE_THRESHOLD = 0.85  # Paraphrase level on STS sets with arctic-embed-m-v1.5.
RELATED_THRESHOLD = 0.60  # Where "same topic" turns into "says something similar".
MAX_AUTOLINK_EDGES = 5  # Watts & Strogatz 1998: degree 4 to 8 gives a small world.

# -- pruning ------------------------------------------------------------------------------------
PRUNE_THRESHOLD = 0.25  # Adjusted effectiveness; half of neutral.
PRUNE_MIN_USES = 3  # Same evidence as the causal adjustment needs.
PRUNE_MAX_LIFT = -0.2  # With `prune_contrast`: it also did this much worse than its like.
GHOST_DAYS = 60  # Never used for this long: nobody asks for it.

# -- synthesis over sessions --------------------------------------------------------------------
CLUSTER_SIM_THRESHOLD = 0.60  # Average-linkage cut for failure summaries (decision 15).
MIN_CLUSTER_CONFIDENCE = 1.5  # tightness times sqrt(count): two failures are never enough.
REINFORCEMENT_SIMILARITY = 0.80  # Similarity at which synthesis confirms a known insight.

# -- ranking for injection (decision 29) --------------------------------------------------------
INJECTION_STRENGTH = 0.15  # Best measured: 0.1 to 0.2; neighbouring RRF ranks differ by 1.6%.
CONTEXT_KERNEL_START = 0.5  # A task further away than this says nothing about the present one.
CONTEXT_PRIOR_WEIGHT = 1.0  # One pseudo-observation at neutral keeps single outcomes in check.
PROVEN_MIN_EVENTS = 2  # Causal events needed before a second slot is given.
PROVEN_MIN_VALUE = 0.58  # Value in context needed for it.
INJECTION_LIMIT = 3  # Never more insights than this in one prompt (decision 4).

# -- strategic recall, for a whole objective -----------------------------------------------------
STRATEGIC_LIMIT = 15  # A plan is shaped by an overview, one task by one lesson.
STRATEGIC_MIN_RELEVANCE = 0.30  # Below the gate of a task: an objective is wider than its parts.
STRATEGIC_LINEAGE_SHARE = 5  # Up to one place in five for what descends from, or led to, a hit.
PROVEN_FROM = 0.70  # Effectiveness from which an insight is called proven ...
RISKY_UNDER = 0.40  # ... and under which it is called risky.
TOPOLOGY_MIN_NODES = 3  # Two nodes have no shape.

# -- lineage ------------------------------------------------------------------------------------
LINEAGE_DEPTH = 3  # Beyond a great-grandparent nothing can be said about today's lesson.
LINEAGE_CREDIT_SHARE = 0.7  # What a parent gets of its child's causal weight; one step.

# -- hold-out: does it help? --------------------------------------------------------------------
HOLDOUT_MAX = 0.5  # Withholding more than half would cost more than it tells.
LIFT_HALF_WIDTH = 0.10  # The lift of all insights is told once it is known to ten points ...
LIFT_HALF_WIDTH_ONE = 0.25  # ... that of a single one to twenty-five: it has far fewer tasks.
LIFT_MIN_ARM = 20  # With fewer on either side nobody can say how much the outcomes vary.

NORMAL_Z95 = 1.9599640  # Normal quantile for a two-sided 95% interval.
WILSON_Z90 = 1.6448536  # Normal quantile for a two-sided 90% interval.
