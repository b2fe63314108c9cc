"""How good sketches and measures are.

=============  =====================================================================================
``ranking``    average precision, NDCG, precision and recall at a rank; measures that rank alike
``pairs``      best F1, AUC, found pairs against labels
``bootstrap``  confidence intervals
``ladder``     robustness: texts that lose more and more of their sentences
``h3d``        the H3D benchmark: ``collections`` of judged papers, ``methods`` and ``embeddings`` side by side
``plots``      quality over time, heat maps, ladders
=============  =====================================================================================
"""

from .bootstrap import Interval, bootstrap_interval
from .collections import Collection, Paper, Unit, read_collection
from .embeddings import embedding_methods
from .h3d import Row, SplitGap, make_task, queries_csv, split_gap
from .h3d import run as run_h3d
from .ladder import Rung, delete_sentences, deletion_ladder
from .methods import METHODS, Method
from .pairs import BestF1, PrecisionRecall, all_pairs_precision_recall, auc, best_f1
from .plots import pareto_front, plot_heat_map, plot_ladder, plot_pareto
from .ranking import AtRank, at_rank, average_precision, mean_average_precision, ndcg, rank_equivalent, ranked

__all__ = [
    "METHODS",
    "AtRank",
    "BestF1",
    "Collection",
    "Interval",
    "Method",
    "Paper",
    "PrecisionRecall",
    "Row",
    "Rung",
    "SplitGap",
    "Unit",
    "all_pairs_precision_recall",
    "at_rank",
    "auc",
    "average_precision",
    "best_f1",
    "bootstrap_interval",
    "delete_sentences",
    "deletion_ladder",
    "embedding_methods",
    "make_task",
    "mean_average_precision",
    "ndcg",
    "pareto_front",
    "plot_heat_map",
    "plot_ladder",
    "plot_pareto",
    "queries_csv",
    "rank_equivalent",
    "ranked",
    "read_collection",
    "run_h3d",
    "split_gap",
]
