"""How well recall finds what was stored, on sets of passages and queries with known answers.

Rankings by the product's own code, each one call for 15 results: the vectors alone, the keyword
index alone, their fusion behind the gate without the graph, recall in full, and for comparison
recall with the gate open. Printed are recall@3, @5, @15, nDCG@10 and MRR with 95% bootstrap
intervals over the queries.

On each of the sets `til` and `ruff_msg`, full recall has to reach R@3 of 0.905, lie above the
vectors alone, at most 0.002 below the fusion without graph and at most 0.012 below the keyword
index; and above the keyword index on the mean of both. Other sets are held to the comparison with
the fusion: helix's own asks in words so far from the answers that the gate stops half of them, and
shows what the gate costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import corpora, filled, measures, report
from helix_core.memory import recall
from helix_core.memory.context import Memory
from helix_core.store import insights
from helix_core.text import terms

LIMIT = 15
JUDGED = ("til", "ruff_msg")
AT_LEAST, UNDER_FUSION, UNDER_KEYWORD = 0.905, 0.002, 0.012
QUICK_QUERIES = 200

Method = Callable[[Memory, str], list[int]]


def vector_only(mem: Memory, text: str) -> list[int]:
    """The nearest, whatever their cosine."""
    assert mem.index is not None and mem.embedder is not None
    return [i for i, _ in mem.index.top(mem.embedder.embed_query(text), LIMIT, -1.0)]


def keyword_only(mem: Memory, text: str) -> list[int]:
    """The best of the keyword index, with no condition."""
    expression = terms.match_expression(text)
    return [i for i, _ in insights.search_keywords(mem.conn, expression, LIMIT)]


def fusion(mem: Memory, text: str) -> list[int]:
    """Recall without the graph."""
    found = recall.recall(mem, recall.Query(text, limit=LIMIT, hops=0))
    return [item.insight.id for item in found.ranked]


def full(mem: Memory, text: str) -> list[int]:
    """Recall as every command calls it."""
    return [r.insight.id for r in recall.recall(mem, recall.Query(text, limit=LIMIT)).ranked]


def open_gate(mem: Memory, text: str) -> list[int]:
    """Recall in full, whatever the cosine."""
    query = recall.Query(text, limit=LIMIT, min_relevance=-1.0)
    return [item.insight.id for item in recall.recall(mem, query).ranked]


METHODS: dict[str, Method] = {
    "vector only": vector_only,
    "keyword only": keyword_only,
    "fusion, no graph": fusion,
    "full recall": full,
    "full, gate open": open_gate,
}


def run(corpus: corpora.Corpus, embeddings: corpora.Embeddings, quick: bool) -> dict[str, Any]:
    """Every measure of every method on one set, per query."""
    questions = corpus.questions[: QUICK_QUERIES if quick else None]
    texts = [p.text for p in corpus.passages]
    known = filled.Known()
    # Always all of them: a part would be another list, and another file in the cache.
    every = [q.text for q in corpus.questions]
    known.learn(every, embeddings.of(every, queries=True))
    with filled.memory(known) as mem:
        ids = filled.fill(mem, texts, [p.tags for p in corpus.passages], embeddings.of(texts))
        names = dict(zip(ids, (p.id for p in corpus.passages), strict=True))
        assert mem.index is not None
        mem.index.refresh(mem.conn)
        edges = mem.conn.execute("SELECT count(*) FROM insight_edges").fetchone()[0]
        scores = {}
        for method, rank in METHODS.items():
            ranked = [[names[n] for n in rank(mem, one.text)] for one in questions]
            scores[method] = _scores(ranked, questions)
    return {"passages": len(texts), "queries": len(questions), "edges": edges, "scores": scores}


def _scores(
    ranked: Sequence[list[str]], questions: Sequence[corpora.Question]
) -> dict[str, list[float]]:
    """For every measure its value at each query."""
    found: dict[str, list[float]] = {name: [] for name in measures.MEASURES}
    for question, names in zip(questions, ranked, strict=True):
        for name, measure in measures.MEASURES.items():
            found[name].append(measure(names, question.gold))
    return found


def summarise(found: dict[str, Any]) -> dict[str, Any]:
    """Intervals in place of the values per query, and full recall against each other method."""
    scores = found.pop("scores")
    ours = scores["full recall"]["R@3"]
    return {
        **found,
        "measures": {
            method: {name: measures.interval(values) for name, values in by_name.items()}
            for method, by_name in scores.items()
        },
        "R@3 of full recall minus": {
            method: measures.interval(
                [a - b for a, b in zip(ours, scores[method]["R@3"], strict=True)]
            )
            for method in METHODS
            if method != "full recall"
        },
    }


def verdicts(results: dict[str, Any]) -> list[tuple[str, str, float, bool]]:
    """(set, condition, figure, whether it holds)."""
    found = []
    for name, result in results.items():
        gain = {k: v["mean"] for k, v in result["R@3 of full recall minus"].items()}
        vector, keyword, fused = (gain[m] for m in list(METHODS)[:3])
        found.append((name, f"full - fusion >= -{UNDER_FUSION}", fused, fused >= -UNDER_FUSION))
        if name in JUDGED:
            found.append((name, "full above vector only", vector, vector > 0))
            reached = result["measures"]["full recall"]["R@3"]["mean"]
            found.append((name, f"full R@3 >= {AT_LEAST}", reached, reached >= AT_LEAST))
            held = keyword >= -UNDER_KEYWORD
            found.append((name, f"full - keyword >= -{UNDER_KEYWORD}", keyword, held))
    both = [
        results[n]["R@3 of full recall minus"]["keyword only"]["mean"]
        for n in JUDGED
        if n in results
    ]
    if len(both) == len(JUDGED):
        mean = sum(both) / len(both)
        found.append(("mean of both", "full above keyword only", mean, mean > 0))
    return found


def show(name: str, result: dict[str, Any]) -> None:
    """The table of one set."""
    print(
        f"\n{name}: {result['passages']} passages, {result['queries']} queries,"
        f" {result['edges']} edges"
    )
    rows = [
        [method, *(f"{v['mean']:.3f} [{v['low']:.3f}, {v['high']:.3f}]" for v in by_name.values())]
        for method, by_name in result["measures"].items()
    ]
    report.table(("", *measures.MEASURES), rows)


def main() -> int:
    """Run it."""
    parser = report.arguments(__doc__ or "")
    parser.add_argument("--data", metavar="DIR", type=Path, help="folder with more sets")
    options = parser.parse_args()
    embeddings = corpora.Embeddings()
    results = {}
    for folder in corpora.folders(options.data):
        corpus = corpora.read(folder)
        results[corpus.name] = summarise(run(corpus, embeddings, options.quick))
        show(corpus.name, results[corpus.name])
    found = verdicts(results)
    print()
    report.table(
        ("set", "condition", "figure", ""),
        [(s, c, f"{value:+.4f}", "ok" if held else "MISSED") for s, c, value, held in found],
    )
    report.finish("retrieval", {"sets": results, "verdicts": found}, options.json)
    return 0 if all(held for *_, held in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
