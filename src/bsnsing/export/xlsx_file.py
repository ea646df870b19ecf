"""Workbooks as Excel and LibreOffice read them: sheets of cells, in one compressed file."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bsnsing.export.spreadsheet_rules import column_letters, written_number
from bsnsing.export.xml_text import safe_text

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LONGEST_TEXT = 32767  # of a cell
# The first day that the format knows: the same model gives the same file.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


class Formula(NamedTuple):
    """A cell that is worked out."""

    text: str  # without the sign of equality


class Dated(NamedTuple):
    """A cell for a date, time of day or duration; it may be blank, and is shown as one."""

    days: float | None
    kind: str  # "moment", "time" or "duration"


# How they are shown, in the order of the styles of cells; the first style is of all others.
_SHOWN = {
    "moment": "yyyy\\-mm\\-dd\\ hh:mm:ss.000",
    "time": "hh:mm:ss.000",
    "duration": "[h]:mm:ss.000",
}
_DATE_WIDTH = 24  # of a column, in digits


@dataclass
class Sheet:
    """One sheet: rows of cells, which are None, text, numbers, Booleans, dates or formulas."""

    name: str
    rows: list[Sequence[Any]] = field(default_factory=list)
    has_header: bool = True  # whose row stays in view

    def xml(self) -> str:
        """Write the sheet."""
        lines = []
        for number, row in enumerate(self.rows, start=1):
            cells = "".join(
                _cell(f"{column_letters(i)}{number}", cell)
                for i, cell in enumerate(row)
                if cell is not None
            )
            lines.append(f'<row r="{number}">{cells}</row>')
        dated = {i for row in self.rows for i, cell in enumerate(row) if isinstance(cell, Dated)}
        widths = "".join(
            f'<col min="{i + 1}" max="{i + 1}" width="{_DATE_WIDTH}" customWidth="1"/>'
            for i in sorted(dated)
        )
        columns = f"<cols>{widths}</cols>" if widths else ""
        pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
        view = f'<sheetView workbookViewId="0">{pane if self.has_header else ""}</sheetView>'
        return (
            f'<worksheet xmlns="{_MAIN}"><sheetViews>{view}</sheetViews>'
            f"{columns}<sheetData>{''.join(lines)}</sheetData></worksheet>"
        )


def write_workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return the content of a file of these sheets."""
    numbered = list(enumerate(sheets, start=1))
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_SHEET}.worksheet+xml"/>'
        for i, _ in numbered
    )
    names = "".join(
        f'<sheet name="{safe_text(sheet.name)}" sheetId="{i}" r:id="s{i}"/>'
        for i, sheet in numbered
    )
    links = "".join(
        f'<Relationship Id="s{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in numbered
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        f'PartName="/xl/workbook.xml" ContentType="{_SHEET}.sheet.main+xml"/>{types}<Override '
        f'PartName="/xl/styles.xml" ContentType="{_SHEET}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="w" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        # Formulas come without their results: who opens the file works them out.
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets>'
        '<calcPr calcId="0" fullCalcOnLoad="1"/></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}'
        f'<Relationship Id="styles" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": _styles(),
    }
    files |= {f"xl/worksheets/sheet{i}.xml": sheet.xml() for i, sheet in numbered}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as book:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, _NO_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            book.writestr(info, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}', compresslevel=6)
    return content.getvalue()


def _styles() -> str:
    """Write the one font, filling and border, and a style for each way to show numbers."""
    first = 164  # of the numbers of formats that files may make
    formats = "".join(
        f'<numFmt numFmtId="{i}" formatCode="{safe_text(shown)}"/>'
        for i, shown in enumerate(_SHOWN.values(), start=first)
    )
    same = 'fontId="0" fillId="0" borderId="0"'
    styles = "".join(
        f'<xf numFmtId="{i}" {same} xfId="0" applyNumberFormat="1"/>'
        for i in (0, *range(first, first + len(_SHOWN)))
    )
    return (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="{len(_SHOWN)}">{formats}</numFmts>'
        '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        f'<cellStyleXfs count="1"><xf numFmtId="0" {same}/></cellStyleXfs>'
        f'<cellXfs count="{1 + len(_SHOWN)}">{styles}</cellXfs></styleSheet>'
    )


def _cell(place: str, cell: Any) -> str:
    if isinstance(cell, Formula):
        return f'<c r="{place}"><f>{safe_text(cell.text)}</f></c>'
    if isinstance(cell, Dated):
        style = 1 + list(_SHOWN).index(cell.kind)
        inner = "" if cell.days is None else f"<v>{written_number(cell.days)}</v>"
        return f'<c r="{place}" s="{style}">{inner}</c>'
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        if len(cell) > _LONGEST_TEXT:
            raise ValueError(
                f"A cell takes {_LONGEST_TEXT} characters, fewer than {cell[:40]!r}..."
            )
        # _x0041_ would be read as A.
        text = re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", cell)
        inner = f'<t xml:space="preserve">{safe_text(text)}</t>'
        return f'<c r="{place}" t="inlineStr"><is>{inner}</is></c>'
    return f'<c r="{place}"><v>{written_number(float(cell))}</v></c>'
