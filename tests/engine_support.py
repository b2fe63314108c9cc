"""Corpora with planted near-duplicates, as files of every format."""

import csv
import gzip
import json
import random

import pytest

from txtfp_np.engine.inputs import kind_of


def corpus(n, seed=0, words=40):
    """Texts of which about half are copies or edits of others; some are empty."""
    rng = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(2000)]
    texts = []
    for _ in range(n):
        kind = rng.random()
        if kind < 0.04:
            texts.append(rng.choice(["", "  ", "\t", "!"]))
        elif kind < 0.55 or not texts:
            texts.append(" ".join(rng.choices(vocabulary, k=rng.randint(3, words))))
        elif kind < 0.65:
            texts.append(rng.choice(texts))
        elif kind < 0.75:
            texts.append(rng.choice(texts).upper() + " .")
        else:
            own = rng.choice(texts).split(" ")
            for _ in range(rng.randint(1, 3)):
                own[rng.randrange(len(own))] = rng.choice(vocabulary)
            texts.append(" ".join(own))
    return texts


def records(texts):
    return [
        {"id": f"d{n}", "text": text, "code": f"{n % 9:03}", "score": (n * 7919) % 13} for n, text in enumerate(texts)
    ]


def write_corpus(path, texts):
    """A file, or a folder, of these texts; the format is that of the name."""
    if not path.suffix:
        for n, text in enumerate(texts):
            (path / f"{n // 50:02}").mkdir(parents=True, exist_ok=True)
            (path / f"{n // 50:02}" / f"{n:05}.txt").write_text(text, encoding="utf-8")
        return path
    kind, compression = kind_of(path)
    rows = records(texts)
    if kind in ("parquet", "arrow"):
        pa = pytest.importorskip("pyarrow")
        table = pa.Table.from_pylist(rows).replace_schema_metadata({"origin": "tests"})
        if kind == "parquet":
            import pyarrow.parquet as pq

            pq.write_table(table, path, row_group_size=max(1, len(rows) // 5), compression="zstd")
        else:
            with pa.ipc.new_file(path, table.schema) as writer:
                writer.write_table(table, max_chunksize=37)
        return path
    plain = path.with_suffix(".plain")
    with plain.open("w", encoding="utf-8", newline="") as file:
        if kind == "txt":
            file.writelines(f"{text}\n" for text in texts)
        elif kind == "jsonl":
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if kind == "tsv" else ",", quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(rows)
    data = plain.read_bytes()
    plain.unlink()
    if compression == "gz":
        data = gzip.compress(data)
    elif compression == "zst":
        data = pytest.importorskip("pyarrow").Codec("zstd").compress(data, asbytes=True)
    path.write_bytes(data)
    return path


def read_rows_of(path):
    """Rows of a file as dicts of strings; of a folder, names and texts."""
    if path.is_dir():
        return [(file.relative_to(path).as_posix(), file.read_text()) for file in sorted(path.rglob("*.txt"))]
    kind, compression = kind_of(path)
    if kind == "parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path).to_pylist()
    if kind == "arrow":
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).read_all().to_pylist()
    data = path.read_bytes()
    if compression == "gz":
        data = gzip.decompress(data)
    elif compression == "zst":
        import pyarrow as pa

        data = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    text = data.decode()
    if kind == "txt":
        return text.splitlines()
    if kind == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(text.splitlines(keepends=True), delimiter="\t" if kind == "tsv" else ","))
