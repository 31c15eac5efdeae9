"""Rules about the bytes of a PDF: header, trailer, objects, streams, strings (ISO 19005-3, 6.1)."""

import re

import pikepdf

SPACE = b"\0\t\n\f\r "
TOKEN = re.compile(
    rb"[\0\t\n\f\r ]+|%[^\r\n]*|<<|>>|<[^>]*>|/[^\0\t\n\f\r ()<>\[\]{}/%]*|[\[\]{}]|[^\0\t\n\f\r ()<>\[\]{}/%]+"
)
HEAD = re.compile(rb"(?<![0-9])([0-9]+)([\0\t\n\f\r ]+)([0-9]+)([\0\t\n\f\r ]+)obj(?![a-z])")
INTEGER = re.compile(rb"[+-]?[0-9]+\Z")


def string_end(data, start):
    """The position after a literal string that starts at `start`."""
    depth, at = 0, start
    while at < len(data):
        byte = data[at]
        if byte == 0x5C:
            at += 1
        elif byte == 0x28:
            depth += 1
        elif byte == 0x29:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


def check_token(token, note):
    if token[:1] == b"<" and token not in (b"<<",):
        digits = token[1:-1].translate(None, SPACE)
        if not re.fullmatch(rb"[0-9A-Fa-f]*", digits):
            note("6.1.6-2", "a hexadecimal string holds other characters")
        elif len(digits) % 2:
            note("6.1.6-1", "a hexadecimal string with an odd number of digits")
        if len(digits) // 2 > 32767:
            note("6.1.13-3", "a string longer than 32767 bytes")
    elif token[:1] == b"/":
        if len(re.sub(rb"#[0-9A-Fa-f]{2}", b"x", token[1:])) > 127:
            note("6.1.13-4", "a name longer than 127 bytes")
    elif INTEGER.match(token) and not -(1 << 31) <= int(token) < 1 << 31:
        note("6.1.13-1", "an integer out of range")


def is_line_end(data, at):
    return data[at : at + 1] in (b"\n", b"\r")


def object_body(data, at, note):
    """Reads the tokens of an object; returns the keyword at its end and the position of that keyword."""
    while at < len(data):
        if data[at] == 0x28:
            end = string_end(data, at)
            if end - at > 65536:
                note("6.1.13-3", "a string longer than 32767 bytes")
            at = end
            continue
        found = TOKEN.match(data, at)
        if not found:
            at += 1
            continue
        token = found[0]
        if token in (b"endobj", b"stream"):
            return token, at
        check_token(token, note)
        at = found.end()
    return None, at


def stream_end(data, at, length, note):
    """Checks a stream whose keyword is at `at`; returns the position after `endstream`."""
    at += len(b"stream")
    if data[at : at + 2] == b"\r\n":
        at += 2
    elif data[at : at + 1] == b"\n":
        at += 1
    else:
        note("6.1.7.1-2", "`stream` is not followed by a line end")
        at += data[at : at + 1] == b"\r"
    tail = data[at + length : at + length + 12] if length is not None else b""
    if not re.match(rb"(\r\n|\r|\n)?endstream", tail):
        note("6.1.7.1-1", "the length of a stream is wrong")
        end = data.find(b"endstream", at)
        return len(data) if end < 0 else end + 9
    if tail.startswith(b"endstream"):
        note("6.1.7.1-2", "no line end before `endstream`")
    return data.find(b"endstream", at + length) + 9


def length_of(pdf, number, generation):
    try:
        value = pdf.get_object((number, generation))
        return len(value.read_raw_bytes()) if isinstance(value, pikepdf.Stream) else None, int(value.get("/Length"))
    except Exception:
        return None, None


def objects(data, pdf):
    """{number: [(clause, detail)]} of the newest version of every object in the file."""
    found, at = {}, 0
    while True:
        head = HEAD.search(data, at)
        if not head:
            return found
        number, generation = int(head[1]), int(head[3])
        issues = []

        def note(clause, detail):
            issues.append((clause, "object %d: %s" % (number, detail)))

        start = head.start()
        if start > 0 and not is_line_end(data, start - 1):
            note("6.1.9-1", "the object number does not begin a line")
        if len(head[2]) != 1 or len(head[4]) != 1:
            note("6.1.9-1", "more than one white space in the head of an object")
        if not is_line_end(data, head.end()):
            note("6.1.9-1", "`obj` is not followed by a line end")
        keyword, at = object_body(data, head.end(), note)
        if keyword == b"stream":
            at = stream_end(data, at, length_of(pdf, number, generation)[1], note)
            end = re.compile(rb"[\0\t\n\f\r ]*endobj").match(data, at)
            if end:
                at = end.end() - 6
                keyword = b"endobj"
        if keyword == b"endobj":
            if not is_line_end(data, at - 1):
                note("6.1.9-1", "`endobj` does not begin a line")
            at += 6
            if not is_line_end(data, at):
                note("6.1.9-1", "`endobj` is not followed by a line end")
        found[number] = (generation, issues)


def check(data, pdf, note):
    if not re.match(rb"%PDF-1\.[0-7](\r\n|\r|\n)", data):
        note("6.1.2-1", "the header is not the first line")
    else:
        second = data.split(b"\n" if b"\n" in data[:12] else b"\r", 2)[1]
        if not re.match(rb"%[\x80-\xff]{4}", second):
            note("6.1.2-2", "no comment with four high bytes behind the header")
    if not re.search(rb"%%EOF(\r\n|\r|\n)?\Z", data):
        note("6.1.3-3", "data behind the last %%EOF")
    start = re.search(rb"startxref\s+(\d+)\s+%%EOF\s*\Z", data)
    if start and data[int(start[1]) :].startswith(b"xref"):
        if not re.match(rb"xref(\r\n|\r|\n)[0-9]+ [0-9]+[ ]?(\r\n|\r|\n)", data[int(start[1]) :][:60]):
            note("6.1.4-2", "`xref` and its first line are not parted by one line end")
    for number, (generation, issues) in objects(data, pdf).items():
        try:
            # A freed object reads as null, which pikepdf returns as None.
            if issues and pdf.get_object((number, generation)) is None:
                continue
        except Exception:
            pass
        for clause, detail in issues:
            note(clause, detail)
