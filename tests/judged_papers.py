"""Collections of a few made-up papers with judged candidates, in the layouts of CSFCube and RELISH."""

import gzip
import json

import numpy as np

BEGINS, ENDS = ("ga", "ro", "ti", "mu", "ke", "sol", "vi", "dan"), ("lon", "rat", "mes", "bik", "tu")
WORDS = [f"{begin}{end}" for begin in BEGINS for end in ENDS]


def paper(rng, topic, facets=True):
    """Three sentences of words, most of them those of a topic."""
    own = WORDS[topic * 5 : topic * 5 + 8]
    sentences = [" ".join(rng.choice(own if rng.random() < 0.8 else WORDS, 12)) + "." for _ in range(3)]
    labels = ["background_label", "method_label", "result_label"] if facets else None
    return " ".join(rng.choice(own, 4)), sentences, labels


def relish(folder, n_queries=12, broken=True):
    rng = np.random.default_rng(1)
    folder.mkdir(parents=True, exist_ok=True)
    papers, pools = [], {}
    for query in range(n_queries):
        topic = query % 6
        names = [f"{query}-{number}" for number in range(12)]
        for name, near in zip([str(query), *names], [1, *(number < 4 for number in range(12))], strict=True):
            title, sentences, _ = paper(rng, topic if near else (topic + 3) % 6, facets=False)
            papers.append({"paper_id": name, "title": title, "abstract": sentences})
        pools[str(query)] = {"cands": names, "relevance_adju": [2, 2, 2, 1, *[0] * 8]}
    lines = [json.dumps(record) for record in papers]
    splits = {"dev": [str(q) for q in range(0, n_queries, 2)], "test": [str(q) for q in range(1, n_queries, 2)]}
    if broken:
        lines += ["{no json", json.dumps({"paper_id": "x", "title": "no text", "abstract": []}), json.dumps(["a list"])]
        lines.append(json.dumps({"paper_id": "y", "title": None, "abstract": ["a text"]}))
        pools["0"]["cands"].append("never-seen")
        pools["0"]["relevance_adju"].append(2)
        pools["never-split"] = {"cands": ["0-0"], "relevance_adju": [1]}
        splits["test"].append("never-judged")
    (folder / "abstracts-relish.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "test-pid2anns-relish.json").write_text(json.dumps(pools))
    (folder / "relish-evaluation_splits.json").write_text(json.dumps(splits))
    return folder


def csfcube(folder):
    rng = np.random.default_rng(2)
    folder.mkdir(parents=True, exist_ok=True)
    names = [str(number) for number in range(40)]
    with gzip.open(folder / "csfcube.jsonl.gz", "wt", encoding="utf-8") as file:
        for name in names:
            title, sentences, labels = paper(rng, int(name) % 6)
            file.write(json.dumps({"id": name, "title": title, "sentences": sentences, "labels": labels}) + "\n")
    for facet in ("background", "method", "result"):
        pools = {
            query: {
                "cands": names[6:],
                "relevance_adju": [3 if int(name) % 6 == int(query) % 6 else 0 for name in names[6:]],
            }
            for query in names[:4]
        }
        (folder / f"test-pid2anns-csfcube-{facet}.json").write_text(json.dumps(pools))
    return folder
