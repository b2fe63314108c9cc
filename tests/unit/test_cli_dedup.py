"""txtfp dedup and txtfp report, as a user runs them."""

import contextlib
import csv
import gzip
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.cli import main


def words(seed, n):
    return " ".join(f"w{value}" for value in np.random.default_rng(seed).integers(0, 10_000, n).tolist())


def make_texts(n_clusters=6):
    texts = []
    for c in range(n_clusters):
        base = words(c, 60)
        texts += [base, *(f"{base} copy{i}" for i in range(c)), base.upper()]
    return texts


TEXTS = make_texts()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    rows = [{"id": f"d{i}", "text": text, "score": i % 7} for i, text in enumerate(TEXTS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def command(*arguments, **options):
    return [sys.executable, "-m", "txtfp_np", *map(str, arguments)]


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# ── dedup ───────────────────────────────────────────────────────────────────────────────────────────
def test_kept_rows_are_written_as_they_were(capsys, source, tmp_path):
    output, removed = tmp_path / "out.jsonl", tmp_path / "removed.csv"
    status, out, err = run(capsys, "dedup", source, "-o", output, "--removed", removed, "--id-column", "id")
    assert (status, err) == (0, "")
    result = tx.dedup(TEXTS)
    lines = source.read_text().splitlines(keepends=True)
    assert output.read_text() == "".join(line for line, keep in zip(lines, result.keep, strict=True) if keep)
    with removed.open(newline="") as file:
        table = list(csv.DictReader(file))
    expected = [(f"d{row}", f"d{result.representative[row]}") for row in np.flatnonzero(~result.keep)]
    assert [(row["id"], row["kept_id"]) for row in table] == expected
    assert out.startswith(f"{len(TEXTS)} documents: {result.keep.sum()} kept, {len(table)} removed")
    assert str(removed) in out
    assert names(tmp_path) == ["in.jsonl", "out.jsonl", "removed.csv"]


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["-t", "0.95"], {"threshold": 0.95}),
        (["--keep", "longest"], {"keep": "longest"}),
        (["--keep", "column:score"], {"keep": [i % 7 for i in range(len(TEXTS))]}),
        (["--linkage", "components", "--verify", "signature"], {"linkage": "components", "verify": "signature"}),
        (
            ["-k", "2", "--slots", "64"],
            {"fingerprinter": tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2), h=64)},
        ),
    ],
)
def test_options_mean_what_they_mean_in_python(capsys, source, tmp_path, flags, options):
    output = tmp_path / "out.jsonl"
    status, out, err = run(capsys, "dedup", source, "-o", output, "--json", *flags)
    assert status == 0, err
    result = tx.dedup(TEXTS, **options)
    assert [row["id"] for row in rows_of(output)] == [f"d{row}" for row in np.flatnonzero(result.keep)]
    facts = json.loads(out)
    assert facts["kept"] == result.keep.sum()
    assert facts["outputs"] == [str(output)]


def test_compressed_tables_and_patterns(capsys, tmp_path):
    for part in range(2):
        with gzip.open(tmp_path / f"part-{part}.csv.gz", "wt", newline="") as file:
            table = csv.writer(file)
            table.writerow(["url", "body"])
            table.writerows((f"u{i}", text) for i, text in enumerate(TEXTS) if i % 2 == part)
    output = tmp_path / "unique"
    output.mkdir()
    status, _, err = run(capsys, "dedup", tmp_path / "part-*.csv.gz", "-o", output, "--column", "body")
    assert status == 0, err
    assert names(output) == ["part-0.csv.gz", "part-1.csv.gz"]
    kept = []
    for part in range(2):
        with gzip.open(output / f"part-{part}.csv.gz", "rt", newline="") as file:
            kept += [row["body"] for row in csv.DictReader(file)]
    both = [text for part in range(2) for i, text in enumerate(TEXTS) if i % 2 == part]
    assert kept == [text for text, keep in zip(both, tx.dedup(both).keep, strict=True) if keep]


def test_a_dry_run_writes_nothing(capsys, source, tmp_path):
    status, out, _ = run(capsys, "dedup", source, "--dry-run")
    assert status == 0
    assert "no rows were written" in out
    assert run(capsys, "dedup", source, "--dry-run", "--json", "-o", tmp_path / "x.jsonl")[0] == 0
    assert names(tmp_path) == ["in.jsonl"]
    page = tmp_path / "page.html"
    assert run(capsys, "dedup", source, "--dry-run", "--report", page)[0] == 0
    assert [cluster["size"] for cluster in clusters_of(page)] == [7, 6, 5, 4, 3, 2]
    assert names(tmp_path) == ["in.jsonl", "page.html"]


def test_bad_lines_are_named_or_skipped(capsys, source, tmp_path):
    source.write_text(source.read_text() + "not json\n" + json.dumps({"id": "z", "text": words(99, 20)}) + "\n[1]\n")
    output = tmp_path / "out.jsonl"
    status, _, err = run(capsys, "dedup", source, "-o", output)
    assert status == 1
    assert str(len(TEXTS) + 1) in err
    assert "--skip-bad" in err
    assert names(tmp_path) == ["in.jsonl"]
    status, out, _ = run(capsys, "dedup", source, "-o", output, "--skip-bad", "--json")
    assert status == 0
    assert json.loads(out)["skipped"] == 2
    assert rows_of(output)[-1]["id"] == "z"


def test_what_cannot_be_done_is_said_before_anything_is_written(capsys, source, tmp_path):
    (tmp_path / "there.jsonl").write_text("mine")
    output = tmp_path / "out.jsonl"
    for arguments, expected in [
        ([], "-o FILE"),
        (["-o", tmp_path / "there.jsonl"], "--overwrite"),
        (["-o", tmp_path / "no" / "folder" / "out.jsonl"], "there is no folder"),
        (["-o", tmp_path / "out.csv"], "format"),
        (["-o", output, "--column", "body"], "Its columns are: id, text, score"),
        (["-o", output, "--report", tmp_path / "there.jsonl"], "there.jsonl exists"),
        (["-o", output, "--report", tmp_path / "no" / "page.html"], "there is no folder"),
        (["-o", output, "--threshold", "1.5"], "threshold"),
        (["-o", output, "--keep", "best"], "'column:NAME'"),
        (["-o", output, "--memory", "lots"], "'4GB'"),
        (["-o", output, "--update"], "--against"),
        (["-o", output, "--against", source, "--memory", "1GB"], "--against works in memory"),
        (["-o", source], "is an input"),
    ]:
        status, out, err = run(capsys, "dedup", source, *arguments)
        assert (status, out) == (1, "")
        assert expected in err
        assert "Traceback" not in err
        assert names(tmp_path) == ["in.jsonl", "there.jsonl"]
    assert (tmp_path / "there.jsonl").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable(capsys, source, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    status, _, err = run(capsys, "dedup", source, "-o", folder / "out.jsonl")
    assert status == 1
    assert "not writable" in err


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no folder here that even root cannot write to")
@pytest.mark.parametrize("arguments", [["dedup"], ["report"], ["fingerprint"], ["index", "query", "seen"]])
def test_a_folder_that_nobody_can_write_to(capsys, source, arguments):
    status, out, err = run(capsys, *arguments, source, "-o", "/proc/self/out.jsonl")
    assert (status, out) == (1, "")
    assert "not writable" in err
    assert "Traceback" not in err


@pytest.mark.skipif(not os.path.exists(os.devnull) or os.name == "nt", reason="no devices that are files")
def test_a_device_is_not_replaced(capsys, source):
    status, _, err = run(capsys, "fingerprint", source, "-o", os.devnull, "--overwrite")
    assert status == 1
    assert "is no file" in err


# ── against ─────────────────────────────────────────────────────────────────────────────────────────
def test_against_other_files(capsys, source, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps({"id": f"o{i}", "text": text}) + "\n" for i, text in enumerate(TEXTS[:9])))
    output, removed = tmp_path / "out.jsonl", tmp_path / "removed.jsonl"
    arguments = ["dedup", source, "-o", output, "--removed", removed, "--id-column", "id", "--against", other]
    status, out, err = run(capsys, *arguments, "--json")
    assert status == 0, err
    result = tx.dedup(TEXTS, against=TEXTS[:9])
    assert json.loads(out)["against"] == (result.against >= 0).sum() > 0
    assert [row["id"] for row in rows_of(output)] == [f"d{row}" for row in np.flatnonzero(result.keep)]
    for row in rows_of(removed):
        number = int(row["id"][1:])
        if row["reason"] == "against":
            assert row["kept_id"] == f"o{result.against[number]}"
        else:
            assert row["kept_id"] == f"d{result.representative[number]}"
    assert names(tmp_path) == ["in.jsonl", "other.jsonl", "out.jsonl", "removed.jsonl"]


def test_daily_increments_with_an_index(capsys, source, tmp_path):
    lines = source.read_text().splitlines(keepends=True)
    days = [tmp_path / "monday.jsonl", tmp_path / "tuesday.jsonl"]
    days[0].write_text("".join(lines[:10]))
    days[1].write_text("".join(lines[8:]))
    index = tmp_path / "seen"
    seed = tmp_path / "seed.jsonl"
    seed.write_text(json.dumps({"text": words(77, 30)}) + "\n")
    assert run(capsys, "index", "build", index, seed)[0] == 0
    kept = []
    for day in days:
        output = day.with_name(f"new-{day.name}")
        status, _, err = run(capsys, "dedup", day, "-o", output, "--against", index, "--update")
        assert status == 0, err
        kept += [row["id"] for row in rows_of(output)]
    assert kept == [f"d{row}" for row in np.flatnonzero(tx.dedup(TEXTS).keep)]
    assert len(tx.LshIndex.open(index)) == 1 + len(kept)
    # what is known now is known tomorrow; without --update nothing is added
    status, out, _ = run(capsys, "dedup", source, "-o", tmp_path / "none.jsonl", "--against", index, "--json")
    assert json.loads(out)["kept"] == 0
    assert (tmp_path / "none.jsonl").read_text() == ""
    # an index has no texts: what is asked for must not become an estimate in silence
    arguments = ["dedup", source, "-o", tmp_path / "exact.jsonl", "--against", index, "--verify"]
    status, _, err = run(capsys, *arguments, "exact")
    assert status == 1
    assert "verify must be 'signature' or 'none', got 'exact'" in err
    assert not (tmp_path / "exact.jsonl").exists()
    assert run(capsys, *arguments, "signature")[0] == 0


# ── report ──────────────────────────────────────────────────────────────────────────────────────────
def clusters_of(path):
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="clusters">(.*?)</script>', page, re.DOTALL)[1])


def test_three_ways_to_a_report(capsys, source, tmp_path):
    pytest.importorskip("pyarrow")
    pages = [tmp_path / f"{i}.html" for i in range(3)]
    output, removed = tmp_path / "out.jsonl", tmp_path / "removed.parquet"
    ids = ["--id-column", "id"]
    status, out, err = run(capsys, "dedup", source, "-o", output, "--report", pages[0], *ids)
    assert status == 0, err
    assert f"report: {pages[0]}" in out
    assert names(tmp_path) == ["0.html", "in.jsonl", "out.jsonl"]
    arguments = ["-o", output, "--overwrite", "--removed", removed, *ids]
    assert run(capsys, "dedup", source, *arguments)[0] == 0
    status, _, err = run(capsys, "report", source, "-o", pages[1], "--removed", removed, *ids)
    assert status == 0, err
    status, out, err = run(capsys, "report", source, "-o", pages[2], "--json", *ids)
    assert status == 0, err
    assert json.loads(out) == {"report": str(pages[2]), "bytes": pages[2].stat().st_size}
    first, second, third = map(clusters_of, pages)
    assert first == second == third
    assert [cluster["size"] for cluster in first] == [7, 6, 5, 4, 3, 2]
    assert run(capsys, "report", source, "-o", pages[2])[0] == 1  # it exists


def test_a_report_wants_the_table_of_these_inputs(capsys, source, tmp_path):
    page, removed = tmp_path / "page.html", tmp_path / "removed.jsonl"
    row = {"id": "d1", "kept_id": "elsewhere", "similarity": 0.9, "reason": "near"}
    removed.write_text(json.dumps(row) + "\n")
    status, _, err = run(capsys, "report", source, "-o", page, "--removed", removed, "--id-column", "id")
    assert status == 1
    assert "'elsewhere'" in err
    status, _, err = run(capsys, "report", source, "-o", page, "--removed", source)
    assert status == 1
    assert "no table of removed rows" in err
    removed.write_text("")
    assert run(capsys, "report", source, "-o", page, "--removed", removed)[0] == 0
    assert clusters_of(page) == []


def test_a_report_of_components_and_of_rows_without_ids(capsys, tmp_path):
    chain = [" ".join(f"w{i}" for i in range(start, start + 40)) for start in range(0, 30, 3)]
    source, output, page = (tmp_path / name for name in ("in.txt", "out.txt", "page.html"))
    source.write_text("\n".join(chain))
    arguments = ["-o", output, "--report", page, "--linkage", "components", "-t", "0.6"]
    status, _, err = run(capsys, "dedup", source, *arguments)
    assert status == 0, err
    members = clusters_of(page)[0]["members"]
    assert [member["id"] for member in members if member["similarity"] is None]
    assert len(members) == len(chain) - 1


# ── a process of its own ────────────────────────────────────────────────────────────────────────────
def test_an_interrupt_leaves_no_output_and_the_same_command_goes_on(tmp_path):
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    lines = [json.dumps({"text": words(seed % 3000, 300) + f" v{seed}"}) for seed in range(4000)]
    source.write_text("\n".join(lines * 3))
    arguments = command("dedup", source, "-o", output, "--threads", 1)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    work = tmp_path / ".txtfp-out.jsonl"
    while not (work / "signatures").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert "the same command goes on" in err
    assert not output.exists()
    done = subprocess.run([*arguments, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["documents"] == 12_000
    assert done.stderr == ""
    assert names(tmp_path) == ["in.jsonl", "out.jsonl"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no way to see what a process has open")
@pytest.mark.parametrize(
    "arguments", [["fingerprint", "-o", "out.npy"], ["index", "build", "seen"], ["report", "-o", "page.html"]]
)
def test_an_interrupt_leaves_nothing(tmp_path, arguments):
    source = tmp_path / "in.jsonl"
    source.write_text((json.dumps({"text": words(1, 300)}) + "\n") * 20_000)  # seconds of work
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        command(*arguments, source.name), cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while source not in opened_by(process.pid) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err.strip()) == (130, b"", b"txtfp: interrupted")
    assert names(tmp_path) == ["in.jsonl"]


def opened_by(process_id):
    """Files that a process has open at the moment."""
    found = []
    for link in Path(f"/proc/{process_id}/fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            found.append(link.readlink())
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_bar_on_a_terminal_and_silence_in_a_pipe(source, tmp_path):
    import pty

    arguments = command("dedup", source, "-o", tmp_path / "out.jsonl", "--overwrite")
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    leader, follower = pty.openpty()
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=follower)
    os.close(follower)
    seen = b""
    try:
        while data := os.read(leader, 1 << 12):
            seen += data
    except OSError:  # the other end was closed
        pass
    os.close(leader)
    assert process.wait(timeout=120) == 0
    process.stdout.close()
    text = seen.decode()
    assert re.search(r"signing  █+ 100%  27 documents  [\d,]+/s  about 0 s left", text)
    assert re.search(r"writing  █+ 100%  27 of 27 documents  [\d,]+/s  0 s left", text)
    assert text.endswith(" \r")
    assert text.rsplit("\r", 2)[1].strip() == ""
    assert "\n" not in text


def test_a_reader_that_goes_away(source):
    process = subprocess.Popen(command("completion", "bash"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 141
    assert err == b""


def test_a_mistake_shows_no_traceback_unless_asked_for(source, tmp_path, capsys, monkeypatch):
    import txtfp_np.engine

    def broken(*arguments, **options):
        raise ZeroDivisionError("of mine")

    monkeypatch.setattr(txtfp_np.engine, "dedup_files", broken)
    status, _, err = run(capsys, "dedup", source, "-o", tmp_path / "out.jsonl")
    assert status == 70
    assert err.startswith("txtfp: unexpected ZeroDivisionError: of mine")
    assert "Traceback" not in err
    with pytest.raises(ZeroDivisionError):
        main(["dedup", str(source), "-o", str(tmp_path / "out.jsonl"), "--debug"])
