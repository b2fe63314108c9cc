"""Plain text out of HTML, Markdown and PDF. The libraries behind come with the extras ``markup`` and ``pdf``."""

from .html import html_to_text
from .markdown import MarkdownOptions, markdown_to_text, markdown_to_text_with
from .pdf import PdfOptions, pdf_to_text, pdf_to_text_with

__all__ = [
    "MarkdownOptions",
    "PdfOptions",
    "html_to_text",
    "markdown_to_text",
    "markdown_to_text_with",
    "pdf_to_text",
    "pdf_to_text_with",
]
