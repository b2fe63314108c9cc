"""PDF files written by hand, so that tests know every byte of them."""

import zlib


def pdf(streams, extra=b"", filters=b"", trailer=b""):
    """A PDF of one page a content stream, with a proper table of references."""
    pages = [3 + 2 * number for number in range(len(streams))]
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), b" ".join(b"%d 0 R" % page for page in pages)),
    }
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    for page, stream in zip(pages, streams, strict=True):
        objects[page] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 %s >> >> >>" % (page + 1, font)
        )
        objects[page + 1] = b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), filters, stream)
    out = bytearray(b"%PDF-1.4\n")
    places = {}
    for number, content in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    out += extra
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % places[number] for number in sorted(places))
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, trailer, xref)
    return bytes(out)


def page(*lines):
    """Content stream that shows lines of text below each other."""
    shown = b" T* ".join(
        b"(%s) Tj" % line.encode("cp1252").replace(b"(", rb"\(").replace(b")", rb"\)") for line in lines
    )
    return b"BT /F1 12 Tf 14 TL 72 720 Td " + shown + b" ET"


def text_pdf(*pages):
    return pdf([page(*lines) for lines in pages])


def encrypted_pdf():
    """Asks for a password that nobody has."""
    standard = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <%s> /U <%s> >> /ID [<%s> <%s>]"
    return pdf([page("secret")], trailer=standard % (b"11" * 32, b"22" * 32, b"33" * 16, b"33" * 16))


def bomb_pdf(megabytes):
    """A page whose content is compressed twice: some kilobytes for ``megabytes`` of operators."""
    inner = zlib.compressobj(9)
    chunk = b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj " * 32768
    packed = b"".join(inner.compress(chunk) for _ in range(megabytes))
    packed += inner.flush()
    return pdf([zlib.compress(packed, 9)], filters=b"/Filter [/FlateDecode /FlateDecode]")
