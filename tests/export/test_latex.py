"""Trees as LaTeX documents, as pdflatex itself reads them."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_trees import HOSTILE, made_tree

from bsnsing import BsnsingClassifier, export_latex
from bsnsing.export.latex import export_pdf
from bsnsing.export.latex_text import latex_text, printed
from bsnsing.export.registry import export
from tests.export.test_form import MODELS, mixed_table

needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("pdftotext") is None,
    reason="pdflatex or pdftotext is not installed",
)


def pages(content: bytes, folder: Path) -> tuple[str, list[str]]:
    """The text of a PDF, and the sizes of its pages in points."""
    (folder / "tree.pdf").write_bytes(content)
    run = {"cwd": folder, "capture_output": True, "check": True, "text": True}
    text = subprocess.run(["pdftotext", "-layout", "tree.pdf", "-"], **run).stdout  # type: ignore
    info = subprocess.run(["pdfinfo", "-l", "99", "tree.pdf"], **run).stdout  # type: ignore
    return text, [line.split(":")[1].strip() for line in info.splitlines() if "size:" in line][:-1]


@needs_tex
def test_hostile_names_are_printed_and_do_nothing(tmp_path: Path) -> None:
    tree = made_tree(12, names=HOSTILE, levels=HOSTILE, classes=HOSTILE, most_questions=2)
    text, _ = pages(
        export_pdf(tree, full_levels=True, title=r"\input{/etc/passwd} 100%_"), tmp_path
    )
    assert r"\input{/etc/passwd} 100%" in text
    assert "root:" not in text


@needs_tex
def test_names_are_printed_as_they_are(tmp_path: Path) -> None:
    """As far as pdftotext tells: it has no underscores, and quotes and accents of its own."""
    tree = made_tree(2, names=["age", "city"], classes=["no", "yes"])
    for name in ("50% & #1 {x} $y$ \\z [a] *", "a -- b, c <d> |e| ?", "5 µ ≤ 7 ± 1 → Ω"):
        text, _ = pages(export_pdf(tree, title=name), tmp_path)
        assert _plain(name) in _plain(text)


@needs_tex
def test_every_letter_that_is_said_to_be_printed_is(tmp_path: Path) -> None:
    """Latin with all accents, Greek, punctuation, symbols: one document of them all."""
    ranges = [(0x20, 0x7F), (0xA0, 0x600), (0x1E00, 0x2000), (0x2010, 0x2300), (0xFB00, 0xFB07)]
    letters = [chr(i) for start, end in ranges for i in range(start, end)]
    known = [letter for letter in letters if printed(letter) == letter]
    assert len(known) > 700
    words = " ".join(latex_text(letter) for letter in known)
    head = r"\documentclass{article}\usepackage{textcomp}\begin{document}"
    document = head + words + r"\end{document}"
    (tmp_path / "all.tex").write_text(document, encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-600:]


@needs_tex
def test_each_tree_of_a_model_is_a_page(tmp_path: Path) -> None:
    table, labels = mixed_table()
    model = MODELS["ensemble of ovr"].fit(table, labels)
    text, _ = pages(export_pdf(model, max_depth=1), tmp_path)
    assert text.count("\f") == len(model.trees_) == 9
    assert "tree 3 of 3: 2 or not" in text


@needs_tex
@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"paper": "a4", "landscape": False}, "595 x 842"),
        ({"paper": "a4", "landscape": True}, "842 x 595"),
        ({"paper": "letter", "font": "serif", "font_size": 6}, "792 x 612"),
        ({"paper": "a3", "font": "mono", "leaves": "bottom"}, "1191 x 842"),
    ],
)
def test_paper_and_fonts_are_those_asked_for(
    options: dict[str, Any], size: str, tmp_path: Path
) -> None:
    content = export_pdf(made_tree(14, seed=5, shape="even"), **options)
    (tmp_path / "tree.pdf").write_bytes(content)
    info = subprocess.run(
        ["pdfinfo", tmp_path / "tree.pdf"], capture_output=True, check=True, text=True
    ).stdout
    found = next(line for line in info.splitlines() if line.startswith("Page size"))
    assert size in found
    assert "Pages:           1" in info


@needs_tex
def test_a_page_wider_than_tex_knows_is_scaled(tmp_path: Path) -> None:
    tree = made_tree(60, shape="even", classes=["a rather long label", "another long label"])
    assert re.search(r"scale=0\.[5-9]", export_latex(tree, font_size=40))
    _, sizes = pages(export_pdf(tree, font_size=40), tmp_path)
    assert float(sizes[0].split()[0]) == pytest.approx(14_000, abs=1)


@needs_tex
def test_a_pdf_is_written_by_its_suffix(tmp_path: Path) -> None:
    export(made_tree(5), tmp_path / "tree.pdf")
    assert (tmp_path / "tree.pdf").read_bytes().startswith(b"%PDF")


def test_without_tex_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"needs pdflatex, which is not installed\. Install TeX"):
        export_pdf(made_tree(3))


def test_nodes_look_as_in_the_paper() -> None:
    tree = made_tree(2, names=["age", "city"], classes=["benign", "malignant"])
    text = export_latex(tree, labels={"malignant": "ill_1"}, rule_colour="#FF0000")
    assert r"\definecolor{rule}{HTML}{FF0000}" in text
    assert "anchor=east, align=right, text=rule" in text  # the rule, at the left
    assert text.count("anchor=west") == 3  # probabilities, at the right
    assert text.count("n = ") == 2
    labels = {r"\textbf{benign}", r"\textbf{ill\_1}"}
    best = {labels_of for labels_of in labels if labels_of in text}
    assert best
    assert "malignant" not in text


def test_the_foot_says_whose_probability_is_told() -> None:
    tree = made_tree(4, classes=("no", "yes"))
    assert "probability of yes." in export_latex(tree)
    assert "probability of ill." in export_latex(tree, labels={"yes": "ill"})
    assert "probability of no." in export_latex(tree, event="no")
    many = made_tree(4, classes=("a", "b", "c"))
    assert "probability of the label it would give." in export_latex(many)
    assert "probability of c." in export_latex(many, event="c")


SCRIPTS = {"age": "年齢", "income": "возраст", "town": "אזור ים", "job": "उम्र"}


@pytest.mark.parametrize("program", ["xelatex", "lualatex", "pdflatex"])
def test_all_scripts_are_printed_where_the_program_can(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None or shutil.which("pdftotext") is None:
        pytest.skip(f"{program} or pdftotext is not installed")
    if program == "lualatex" and not _has_luaotfload():
        pytest.skip("lualatex has no luaotfload, which reads the system's fonts")
    title = " ".join(["[U+4E2D]", *SCRIPTS.values()])
    tree = made_tree(6, names=list(SCRIPTS.values()), classes=["no", "да"], most_questions=1)
    (tmp_path / "tree.tex").write_text(export_latex(tree, title=title), encoding="ascii")
    command = [program, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([*command, "tree.tex"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-600:]
    run = {"cwd": tmp_path, "capture_output": True, "check": True, "text": True}
    text = subprocess.run(["pdftotext", "tree.pdf", "-"], **run).stdout  # type: ignore[call-overload]
    assert "[U+4E2D]" in text  # which the title has as text
    is_coded = f"[U+{ord('в'):04X}]" in text
    assert is_coded == (program == "pdflatex")
    if not is_coded and _has_font("DejaVu Sans"):
        assert "возраст" in text
        assert "да" in text
        assert _plain("אזור") in _plain(text)


def _has_luaotfload() -> bool:
    find = ["kpsewhich", "luaotfload.sty"]
    return bool(subprocess.run(find, capture_output=True, check=False).stdout.strip())


def _has_font(name: str) -> bool:
    if shutil.which("fc-list") is None:
        return False
    return bool(subprocess.run(["fc-list", name], capture_output=True, check=False).stdout)


def test_names_without_other_letters_need_no_commands_for_them() -> None:
    assert r"\letter" not in export_latex(made_tree(4))
    assert r"\newcommand{\letter}" in export_latex(made_tree(4), title="中")


def test_wrong_looks_are_refused() -> None:
    with pytest.raises(ValueError, match="'paper' must be one of"):
        export_latex(made_tree(3), paper="a5")
    with pytest.raises(ValueError, match="'font_size' must be 3 to 40"):
        export_latex(made_tree(3), font_size=100)
    with pytest.raises(TypeError, match="export_latex has no option 'papers'"):
        export_latex(made_tree(3), papers="a4")


@given(st.text(max_size=60))
def test_any_text_becomes_ascii_with_balanced_braces(text: str) -> None:
    written = latex_text(text)
    assert written.isascii()
    bare = written.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0


def test_the_default_document_of_a_fitted_model_is_plain_ascii() -> None:
    table, labels = mixed_table()
    text = export_latex(BsnsingClassifier.plain().fit(table, labels))
    assert text.isascii()
    assert text.startswith(r"\documentclass")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace(" ", "")
