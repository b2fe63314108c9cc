"""The command line, run for real."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import txtfp_np as tx
from txtfp_np.cli import info, main

ROOT = Path(__file__).resolve().parents[2]


def test_info_prints_the_identity_of_the_defaults(capsys):
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["txtfp_np"] == tx.VERSION
    assert facts["minhash config_hash"] == f"{tx.MinHashFingerprinter().config_hash:016x}"
    assert main(["info"]) == 0
    assert "unicode              17.0.0" in capsys.readouterr().out


def test_info_names_what_each_extra_brings(capsys, monkeypatch):
    """The packages are those of pyproject.toml, and what is missing is named with its install line."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    features = {extra: wanted for extra, wanted in table.items() if extra not in ("all", "bench", "cli", "dev")}
    named = {extra: tuple(re.match(r"[\w-]+", line)[0] for line in wanted) for extra, wanted in features.items()}
    assert named == info.EXTRAS
    monkeypatch.setattr(info, "_version", lambda name: None if name == "selectolax" else "1.2")
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert 'selectolax           not installed: pip install "txtfp-np[markup]"' in out
    assert out.count("not installed") == 1


def test_warmup_compiles_every_kernel(capsys):
    """Every kernel that a public function can reach has a compiled version afterwards."""
    import importlib
    import pkgutil

    import txtfp_np.kernels

    assert main(["warmup"]) == 0
    assert capsys.readouterr().out.startswith("compiled in ")
    cold = []
    for module in pkgutil.iter_modules(txtfp_np.kernels.__path__):
        if module.name.startswith("_"):
            continue
        kernels = importlib.import_module(f"txtfp_np.kernels.{module.name}")
        for name, value in vars(kernels).items():
            # Drivers are kept on disk; helpers live inside them.
            is_kernel = type(getattr(value, "_cache", None)).__name__ == "FunctionCache"
            if is_kernel and value.__module__ == kernels.__name__ and not value.signatures:
                cold.append(f"{module.name}.{name}")
    assert set(cold) <= {"hashing.xxh3_64_rows", "seomoz.jenkins_rows"}  # doors for tests


@pytest.mark.parametrize("arguments", [[], ["no-such-command"]])
def test_bad_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: txtfp" in capsys.readouterr().err


def test_help_is_quick_and_loads_no_numba():
    code = (
        "import sys\nsys.argv = ['txtfp', '--help']\nfrom txtfp_np.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert 'numba' not in sys.modules and 'scipy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "warmup" in done.stdout
