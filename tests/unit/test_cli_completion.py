"""Completion, asked of real shells."""

import os
import select
import shutil
import subprocess
import sys

import pytest

from txtfp_np.cli import SUBCOMMANDS, build_parser, main
from txtfp_np.cli.completion import SHELLS, walk

COMMANDS = {module.__name__.rsplit(".", 1)[1] for module in SUBCOMMANDS}


def script(capsys, shell):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def shell_path(name):
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def bash(capsys, tmp_path, line):
    """What bash would offer for the last word of a line."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _txtfp; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        [shell_path("bash"), "--norc", "-c", f"{script(capsys, 'bash')}\n{ask}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes(capsys, tmp_path):
    (tmp_path / "texts.jsonl").touch()
    for line, expected in [
        ("txtfp ", COMMANDS),
        ("txtfp de", {"dedup"}),
        ("txtfp index ", {"build", "add", "query"}),
        ("txtfp index b", {"build"}),
        ("txtfp completion ", set(SHELLS)),
        ("txtfp dedup --linkage ", {"star", "components"}),
        ("txtfp dedup texts.jsonl --verify s", {"signature"}),
        ("txtfp dedup --rep", {"--report"}),
        ("txtfp dedup te", {"texts.jsonl"}),
        ("txtfp dedup texts.jsonl -o te", {"texts.jsonl"}),
        ("txtfp index query folder te", {"texts.jsonl"}),
        ("txtfp index query folder texts.jsonl --b", {"--best"}),
        ("txtfp dedup index ", {"texts.jsonl"}),
    ]:
        assert bash(capsys, tmp_path, line) == expected, line


def test_bash_offers_every_option(capsys, tmp_path):
    for command in walk(build_parser()):
        options = {name for action in command.options for name in action.option_strings}
        found = bash(capsys, tmp_path, " ".join(("txtfp", *command.words, "-")))
        assert found == options, command.words


def test_bash_loads_it_for_the_command(capsys):
    done = subprocess.run(
        [shell_path("bash"), "--norc", "-c", f"{script(capsys, 'bash')}\ncomplete -p txtfp"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_txtfp txtfp" in done.stdout


def test_fish_completes(capsys, tmp_path):
    (tmp_path / "texts.jsonl").touch()
    file = tmp_path / "txtfp.fish"
    file.write_text(script(capsys, "fish"))
    for line, expected in [
        ("txtfp ", COMMANDS),
        ("txtfp index ", {"build", "add", "query"}),
        ("txtfp completion ", set(SHELLS)),
        ("txtfp dedup --linkage ", {"star", "components"}),
        ("txtfp dedup --rep", {"--report"}),
        ("txtfp index query --be", {"--best"}),
        ("txtfp dedup te", {"texts.jsonl"}),
    ]:
        done = subprocess.run(
            [shell_path("fish"), "--no-config", "-c", f"source {file}; complete -C '{line}'"],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )
        assert {answer.split("\t")[0] for answer in done.stdout.splitlines()} >= expected, line


def test_zsh_takes_it(capsys, tmp_path):
    """Loaded by compinit as a user would have it, and without a word of complaint."""
    (tmp_path / "_txtfp").write_text(script(capsys, "zsh"))
    ask = f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -d {tmp_path}/dump; print $_comps[txtfp]"
    check = "autoload +X _txtfp && functions _txtfp | grep -c _arguments"
    done = subprocess.run(
        [shell_path("zsh"), "-f", "-c", f"{ask}; {check}"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["_txtfp", "1"] or done.stdout.startswith("_txtfp\n")
    subprocess.run([shell_path("zsh"), "-n", str(tmp_path / "_txtfp")], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_zsh_completes_on_a_terminal(capsys, tmp_path):
    import pty

    zsh = shell_path("zsh")
    (tmp_path / "_txtfp").write_text(script(capsys, "zsh"))
    (tmp_path / "texts.jsonl").touch()
    (tmp_path / ".zshrc").write_text(
        f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -d {tmp_path}/dump; PS1='> '\n"
        "zstyle ':completion:*' menu no\nunsetopt beep\n"
    )
    leader, follower = pty.openpty()
    environment = {"HOME": str(tmp_path), "ZDOTDIR": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "dumb"}
    process = subprocess.Popen(
        [zsh, "-i"], stdin=follower, stdout=follower, stderr=follower, cwd=tmp_path, env=environment, close_fds=True
    )
    os.close(follower)
    try:
        for line, expected in [
            ("txtfp ded\t", "txtfp dedup "),
            ("txtfp index bui\t", "txtfp index build "),
            ("txtfp dedup --linkage comp\t", "--linkage components "),
            ("txtfp dedup texts.jsonl --rep\t", "--report "),
            ("txtfp index query a tex\t", "texts.jsonl "),
        ]:
            os.write(leader, line.encode())
            seen = read_until(leader, expected)
            assert expected in seen, seen
            os.write(leader, b"\x15")  # forget the line
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def read_until(leader, expected):
    seen = ""
    while expected not in seen and select.select([leader], [], [], 20)[0]:
        seen += os.read(leader, 4096).decode("utf-8", "replace").replace("\r", "").replace("\x08", "")
    return seen
