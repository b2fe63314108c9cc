"""The examples of docs/cli.md, run in their order in one folder."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def examples(page):
    """Commands with the output that stands below them."""
    for block in re.findall(r"^```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        command, output = [], []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield "\n".join(command), "\n".join(output)
                command, output = [line[2:]], []
            elif line.startswith("> ") and not output:
                command.append(line[2:])
            else:
                output.append(line)
        yield "\n".join(command), "\n".join(output)


def as_pattern(output):
    """Three dots stand for anything; a line of them for any number of lines."""
    text = re.escape(output).replace(re.escape("\n..."), r"(\n.*)*?")
    return text.replace(re.escape("..."), ".*?")


@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are written for bash")
def test_the_examples_say_what_they_do(tmp_path):
    programs, folder = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    folder.mkdir()
    program = programs / "txtfp"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m txtfp_np "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    seen = 0
    for command, output in examples(PAGE.read_text(encoding="utf-8")):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert re.fullmatch(as_pattern(output), done.stdout.rstrip("\n")), f"$ {command}\n{done.stdout}\nnot:\n{output}"
        seen += 1
    assert seen >= 15


def test_every_command_has_its_place():
    from txtfp_np.cli import SUBCOMMANDS

    page = PAGE.read_text(encoding="utf-8")
    for module in SUBCOMMANDS:
        assert f"`{module.__name__.rsplit('.', 1)[1]}`" in page or f"txtfp {module.__name__.rsplit('.', 1)[1]}" in page
