"""One registry of formats; files are written whole or not at all."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path

import numpy as np
import pytest

from bsnsing import BsnsingClassifier
from bsnsing.export.files import write_whole
from bsnsing.export.registry import FORMATS, Format, export, format_of

MODEL = BsnsingClassifier.plain().fit(np.arange(20.0)[:, None], np.arange(20) > 9)


def test_suffixes_are_of_one_format_each() -> None:
    suffixes = [known.suffix.lower() for known in FORMATS]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_formats_have_a_function_each(known) -> None:
    assert callable(known.load())


# What formats need beside the package: libraries, and programs of which one is enough.
LIBRARIES = {"PNG": "matplotlib", "ONNX": "onnx"}
PROGRAMS = {"PDF": ("lualatex", "xelatex", "pdflatex", "tectonic")}


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_format_is_written_to_a_file(known: Format, tmp_path: Path) -> None:
    if known.name in LIBRARIES:
        pytest.importorskip(LIBRARIES[known.name])
    programs = PROGRAMS.get(known.name, ())
    if programs and not any(map(shutil.which, programs)):
        pytest.skip(f"none of {', '.join(programs)} is installed")
    path = tmp_path / f"Model{known.suffix}"
    export(MODEL, path)
    written = path.read_bytes()
    assert len(written) > 40
    if not known.is_binary:
        assert "\n" in written.decode()


@pytest.mark.parametrize("name", ["model", "Risk_2", "w"])
def test_a_class_of_java_is_called_as_its_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.java"
    export(MODEL, path)
    assert f"public final class {name} {{" in path.read_text(encoding="utf-8")
    if shutil.which("javac") is None:
        pytest.skip("javac is not installed")
    subprocess.run(["javac", path.name], cwd=tmp_path, check=True, capture_output=True)


def test_a_file_that_no_class_of_java_can_be_called_as_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Got 'my-model'"):
        export(MODEL, tmp_path / "my-model.java")
    export(MODEL, tmp_path / "my-model.java", class_name="Model")
    assert "class Model {" in (tmp_path / "my-model.java").read_text(encoding="utf-8")


def test_a_link_stays_one_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    export(MODEL, link, overwrite=True)
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8").startswith("x0 >= 10 ?")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.parametrize("letter", ["a", "é", "😀"])
def test_a_name_may_be_as_long_as_the_system_lets_it(letter: str, tmp_path: Path) -> None:
    name = letter * (251 // len(letter.encode())) + ".txt"
    export(MODEL, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_suffix_says_the_format(tmp_path: Path) -> None:
    path = tmp_path / "tree.txt"
    export(MODEL, path)
    assert path.read_text(encoding="utf-8").startswith("x0 >= 10 ?")
    with pytest.raises(ValueError, match="'\\.xyz'"):
        format_of("tree.xyz")


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "tree.txt"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        export(MODEL, path)
    assert path.read_text(encoding="utf-8") == "mine"
    export(MODEL, path, overwrite=True)
    assert path.read_text(encoding="utf-8") != "mine"


def test_no_half_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "model.json", "{}")
    assert list(tmp_path.iterdir()) == []
