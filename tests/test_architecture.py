"""The shape of the package: imports point one way, heavy libraries stay behind doors, files stay small."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "txtfp_np"
FILES = sorted(PACKAGE.rglob("*.py"))
MAX_LINES = 450

# A part may import the parts of the rows below its own, and its own row.
LAYERS = [
    {"cli"},
    {"engine"},
    {"dedup"},
    {"index"},
    {"compare"},
    {"sketch"},
    {"tokenize"},
    {"canonical"},
    {"columns", "schema", "unicode"},
    {"options"},
    {"errors"},
]
RANK = {name: len(LAYERS) - row for row, names in enumerate(LAYERS) for name in names}
# Parts that stand beside the layers: they may use everything below dedup, and only these may use them, by public name.
BESIDE = {"semantic", "markup", "evaluate"}
MAY_USE_BESIDE = {"cli", "dedup"}

STANDARD = set(sys.stdlib_module_names)
KERNEL_LIBRARIES = {"numpy", "numba", "llvmlite"}
TABLE_LIBRARIES = {"columns", "engine"}  # parts that may touch pyarrow, pandas and polars at all
FRAMES = {"pyarrow", "pandas", "polars"}
LIGHT = {"numpy", "xxhash"}  # the third-party imports that may stand at module level
ORACLES = {"unicodedata2", "regex"}
BUILD_SCRIPTS = {"txtfp_np.unicode.build"}  # run by hand, never imported by the package
NEVER_AT_IMPORT = [
    *("numba", "llvmlite", "scipy", "pyarrow", "pandas", "polars", "unicodedata2", "regex"),
    *("selectolax", "markdown_it", "pypdfium2", "rjieba", "fugashi", "ipadic", "kiwipiepy"),
    *("httpx", "onnxruntime", "tokenizers", "huggingface_hub", "usearch"),
]


class Import(NamedTuple):
    """One imported module: full dotted name, line, and whether it runs when the file is imported."""

    module: str
    line: int
    at_import: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """``txtfp_np.tokenize.words`` is in ``tokenize``; the package itself is in ``""``."""
    name = [*module.split("."), ""][1]
    return "cli" if name == "__main__" else name


def _is_type_checking(node: ast.AST) -> bool:
    test = getattr(node, "test", None)
    return isinstance(node, ast.If) and (getattr(test, "id", None) or getattr(test, "attr", None)) == "TYPE_CHECKING"


def _names(node: ast.Import | ast.ImportFrom, path: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        package = module_name(path).split(".")
        package = package if path.name == "__init__.py" else package[:-1]
        package = package[: len(package) - node.level + 1]
        base = ".".join([*package, base] if base else package)
    # "from txtfp_np import columns" and "from txtfp_np.kernels import words" name modules after the import
    if base.split(".")[0] != "txtfp_np":
        return [base]
    return [f"{base}.{alias.name}" for alias in node.names]


def imports_of(path: Path) -> list[Import]:
    def walk(node: ast.AST, runs: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield from (Import(name, child.lineno, runs) for name in _names(child, path))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from walk(child, False)
            elif _is_type_checking(child):
                for part in child.body:
                    yield from walk(ast.Module([part], []), False)
                for part in child.orelse:
                    yield from walk(ast.Module([part], []), runs)
            else:
                yield from walk(child, runs)

    return list(walk(ast.parse(path.read_text(encoding="utf-8")), True))


def complaints(path: Path) -> Iterator[str]:
    module = module_name(path)
    part = part_of(module)
    for item in imports_of(path):
        top = item.module.split(".")[0]
        where = f"{path.relative_to(PACKAGE.parent)}:{item.line}: imports {item.module}"
        if top == "txtfp_np":
            yield from (f"{where}: {why}" for why in _inside(module, part, item))
        elif top not in STANDARD:
            yield from (f"{where}: {why}" for why in _outside(module, part, item, top))


def _inside(module: str, part: str, item: Import) -> Iterator[str]:
    target = part_of(item.module)
    if module in BUILD_SCRIPTS:
        return
    if part == "kernels":
        if target != "kernels":
            yield "kernels import only NumPy, Numba and other kernels"
    elif target == "kernels":
        if item.at_import:
            yield "a kernel is imported inside the function that needs it, so that start-up never pays for Numba"
    elif part == "cli" and target == "":
        pass  # the command line uses the package as any user does
    elif part in ("", target):
        pass  # the package's own __init__ lists public names of every part; a part is free inside itself
    elif target in BESIDE:
        if part not in MAY_USE_BESIDE:
            yield f"{target} is used by {' and '.join(sorted(MAY_USE_BESIDE))} only"
        elif item.module.count(".") > 2:
            yield f"{target} is used by its public names only"
    elif target not in RANK:
        yield "the package has no such part, or the whole package is imported from inside"
    elif part in BESIDE:
        if RANK[target] >= RANK["dedup"]:
            yield f"{part} may use only what stands below dedup"
    elif part in RANK and RANK[target] > RANK[part]:
        yield f"{target} stands above {part}"


def _outside(module: str, part: str, item: Import, top: str) -> Iterator[str]:
    if module in BUILD_SCRIPTS:
        return
    if part == "kernels":
        if top not in KERNEL_LIBRARIES:
            yield "kernels import only NumPy, Numba and other kernels"
        return
    if top in ORACLES:
        yield "installed Unicode data never decides bytes"
    elif top in FRAMES and part not in TABLE_LIBRARIES:
        yield "columns/ is the only door to other table libraries"
    elif top in ("numba", "llvmlite"):
        yield "all Numba code is in kernels/"
    elif item.at_import and top not in LIGHT:
        yield "import it inside the function that needs it"


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE.parent))


every_file = pytest.mark.parametrize("path", FILES, ids=relative)


@every_file
def test_every_part_has_its_place(path):
    part = part_of(module_name(path))
    assert part in {"", "kernels"} | set(RANK) | BESIDE, f"give {part} a row in LAYERS"


@every_file
def test_imports_point_one_way(path):
    assert not list(complaints(path))


@every_file
def test_files_stay_small(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_LINES, f"{relative(path)} has {lines} lines: split it"


@every_file
def test_threads_are_ours(path):
    """Blocks on a thread pool: Numba's parallel layer compiles slowly and breaks under fork."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "parallel":
            assert isinstance(node.value, ast.Constant), f"{relative(path)}:{node.value.lineno}"
            assert node.value.value is False, f"{relative(path)}:{node.value.lineno}"
        name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "name", None)
        assert name != "prange", f"{relative(path)}:{getattr(node, 'lineno', '?')}"


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("canonical/x.py", "from txtfp_np.tokenize import WordTokenizer", "tokenize stands above canonical"),
        ("canonical/x.py", "from ..tokenize.words import f", "tokenize stands above canonical"),
        ("errors.py", "from . import columns", "columns stands above errors"),
        ("columns/x.py", "import txtfp_np", "no such part"),
        ("canonical/x.py", "from txtfp_np.kernels import fold", "inside the function"),
        ("canonical/x.py", "try:\n    from ..kernels import fold\nexcept ImportError: pass", "inside the function"),
        ("canonical/x.py", "def f():\n    import numba", "all Numba code"),
        ("index/x.py", "import scipy.integrate", "inside the function"),
        ("canonical/x.py", "def f():\n    import pyarrow", "only door"),
        ("columns/x.py", "import pyarrow", "inside the function"),
        ("kernels/x.py", "from txtfp_np.errors import Error", "kernels import only"),
        ("kernels/x.py", "import scipy", "kernels import only"),
        ("unicode/x.py", "def f():\n    import unicodedata2", "never decides"),
        ("sketch/x.py", "from txtfp_np import markup", "used by cli and dedup only"),
        ("cli/x.py", "from txtfp_np.markup.html import f", "public names only"),
        ("markup/x.py", "from txtfp_np import dedup", "below dedup"),
        ("canonical/x.py", "from ..columns import TextColumn\nfrom ..errors import Error\nimport numpy", None),
        ("canonical/x.py", "def f():\n    from ..kernels import fold", None),
        ("columns/x.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pyarrow", None),
        ("unicode/build.py", "import regex\nfrom txtfp_np.kernels import layout", None),
        ("kernels/x.py", "import numba\nfrom ._jit import kernel\nfrom txtfp_np.kernels import y", None),
        ("cli/x.py", "from txtfp_np.markup import html_to_text", None),
    ],
)
def test_the_rules_catch_what_they_should(tmp_path, monkeypatch, file, text, expected):
    package = tmp_path / "txtfp_np"
    path = package / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", package)
    found = list(complaints(path))
    if expected is None:
        assert not found
    else:
        assert len(found) == 1
        assert expected in found[0]


def test_every_module_is_reachable():
    """Each folder with Python files is a package, so that the wheel and the doctests see all of them."""
    package = importlib.import_module("txtfp_np")
    assert package.__file__ is not None
    found = {"txtfp_np"} | {info.name for info in pkgutil.walk_packages(package.__path__, "txtfp_np.")}
    assert found == {module_name(path) for path in FILES}


def test_import_loads_nothing_heavy():
    code = f"import sys, txtfp_np; print(*[name for name in {NEVER_AT_IMPORT!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_public_names_are_importable():
    package = importlib.import_module("txtfp_np")
    missing = [name for name in package.__all__ if not hasattr(package, name)]
    assert not missing
    assert len(set(package.__all__)) == len(package.__all__)
