"""A model as one page that needs neither network nor server."""

from bsnsing.export.page.page import export_html

__all__ = ["export_html"]
