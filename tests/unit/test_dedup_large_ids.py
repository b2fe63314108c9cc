"""Against an index whose ids are large numbers."""

import json
import sys

import pytest

import txtfp_np as tx
from txtfp_np.engine.against import drop_known, read_corpus

TEXTS = [" ".join(f"w{n}{word}" for word in range(20)) for n in range(4)]


def index_of(*ids):
    index = tx.LshIndexBuilder.for_recall(0.7).build()
    fp = tx.MinHashFingerprinter(canonicalizer=tx.Canonicalizer(strip_soft_hyphen=True))
    index.insert(list(ids), fp.fingerprint(TEXTS[: len(ids)]))
    return index


@pytest.mark.parametrize("known", [1 << 30, 1 << 40, (1 << 63) - 1])
@pytest.mark.parametrize("id_column", [None, "id"])
def test_removed_rows_name_any_id(tmp_path, known, id_column):
    index_of(known).save(tmp_path / "seen")
    rows = [{"id": f"d{n}", "text": text} for n, text in enumerate(TEXTS)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read_corpus(tmp_path / "a.jsonl", id_column=id_column)
    drop_known(corpus, str(tmp_path / "seen"), tmp_path / "b.jsonl", removed=tmp_path / "r.jsonl")
    (row,) = map(json.loads, (tmp_path / "r.jsonl").read_text().splitlines())
    assert row["kept_id"] == (known if id_column is None else str(known))


@pytest.mark.parametrize("highest", [(1 << 63) - 4, (1 << 63) - 2, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_no_room_for_ids_is_said_at_once(highest, monkeypatch):
    index = index_of(3, highest)
    monkeypatch.setattr(sys.modules["txtfp_np.dedup.api"], "find_indexed", None)  # the work
    with pytest.raises(tx.InvalidInputError, match=rf"room for 4 ids .* {highest}") as caught:
        tx.dedup(TEXTS, against=index, update=True)
    assert caught.value.argument == "against"
    assert len(index) == 2


def test_the_last_ids_that_fit():
    index = index_of(3, (1 << 63) - 5)
    result = tx.dedup(TEXTS, against=index, update=True, threads=1)
    assert result.added.tolist() == [-1, -1, (1 << 63) - 4, (1 << 63) - 3]
    # what was removed does not count
    index.remove_many([(1 << 63) - 5, (1 << 63) - 4, (1 << 63) - 3])
    assert tx.dedup(TEXTS, against=index, update=True).added.tolist() == [-1, 4, 5, 6]
