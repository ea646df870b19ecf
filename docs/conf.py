"""How Sphinx builds the site; ``make docs`` runs it with warnings as errors."""

import re
import sys
from pathlib import Path

from sphinx_gallery.sorting import FileNameSortKey

import bsnsing

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "bsnsing"
author = "the bsnsing developers"
version = release = bsnsing.__version__
html_title = "bsnsing"
html_show_copyright = False

extensions = [
    "api_page",
    "executed_pages",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_made", "_templates"]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autosummary_generate = True
autodoc_typehints = "none"  # docstrings tell what is taken, in words
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_preprocess_types = False

copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.output) > div.highlight > pre"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": FileNameSortKey,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e6,
    "show_signature": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "backreferences_dir": None,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sourcelink_suffix = ""
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "bsnsing"},
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 1,
    "show_prev_next": True,
    "footer_start": ["sphinx-version"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}


def escape_fitted_names(app, what, name, obj, options, lines):
    """Keep "shape (n_features_in_,)" from being read as a link."""
    lines[:] = [
        re.sub(r"(\w)_(?=[,)])", r"\1\\_", line) if " : " in line else line for line in lines
    ]


def setup(app):
    app.connect("autodoc-process-docstring", escape_fitted_names, priority=100)
