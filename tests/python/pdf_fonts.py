"""Rules about fonts (ISO 19005-3, 6.2.11)."""

import io
import re

import pikepdf
from fontTools.cffLib import CFFFontSet
from fontTools.ttLib import TTFont

PREDEFINED = {
    "/Identity-H", "/Identity-V", "/GB-EUC-H", "/GB-EUC-V", "/GBpc-EUC-H", "/GBpc-EUC-V", "/GBK-EUC-H", "/GBK-EUC-V",
    "/GBKp-EUC-H", "/GBKp-EUC-V", "/GBK2K-H", "/GBK2K-V", "/UniGB-UCS2-H", "/UniGB-UCS2-V", "/UniGB-UTF16-H",
    "/UniGB-UTF16-V", "/B5pc-H", "/B5pc-V", "/HKscs-B5-H", "/HKscs-B5-V", "/ETen-B5-H", "/ETen-B5-V", "/UniCNS-UCS2-H",
    "/UniCNS-UTF16-H", "/83pv-RKSJ-H", "/90ms-RKSJ-H", "/90ms-RKSJ-V", "/EUC-H", "/EUC-V", "/H", "/V", "/UniJIS-UCS2-H",
    "/UniJIS-UTF16-H", "/UniJIS-UTF16-V", "/KSC-EUC-H", "/KSCms-UHC-H", "/UniKS-UCS2-H", "/UniKS-UTF16-H",
}


# Only the names of subsets start like this; the rules about /CharSet and /CIDSet are for subsets.
SUBSET = re.compile(r"/[A-Z]{6}\+")


def name_of(font):
    return str(font.get("/BaseFont", "?"))


def program(descriptor):
    """(key, stream) of the embedded font program."""
    if isinstance(descriptor, pikepdf.Dictionary):
        for key in ("/FontFile", "/FontFile2", "/FontFile3"):
            if isinstance(descriptor.get(key), pikepdf.Stream):
                return key, descriptor[key]
    return None, None


def eexec(data, key, skip):
    out = bytearray()
    for byte in data:
        out.append(byte ^ key >> 8)
        key = (byte + key) * 52845 + 22719 & 0xFFFF
    return bytes(out[skip:])


def glyph_names(key, stream):
    """The names of the glyphs of a Type 1 program, None when they cannot be determined."""
    data = stream.read_bytes()
    try:
        if key == "/FontFile3":
            fonts = CFFFontSet()
            fonts.decompile(io.BytesIO(data), None)
            return set(fonts[0].CharStrings.keys())
        clear = int(stream.get("/Length1"))
        private = eexec(data[clear:], 55665, 4)
        names = re.findall(rb"/([^\s/]+)\s+\d+\s+(?:RD|-\||\S+)\s", private[private.find(b"/CharStrings") + 12 :])
        return {name.decode("latin-1") for name in names} or None
    except Exception:
        return None


def check_char_set(font, descriptor, note):
    listed = descriptor.get("/CharSet")
    key, stream = program(descriptor)
    if listed is None or stream is None or key == "/FontFile2" or not SUBSET.match(name_of(font)):
        return
    names = glyph_names(key, stream)
    if names is None:
        return
    given = {part for part in str(listed).split("/") if part}
    if given - {".notdef"} != names - {".notdef"}:
        note("6.2.11.4.2-1", "%s: /CharSet is not the list of the glyphs" % name_of(font))


def check_cid_set(font, descriptor, note):
    bits = descriptor.get("/CIDSet")
    key, stream = program(descriptor)
    if not isinstance(bits, pikepdf.Stream) or stream is None or not SUBSET.match(name_of(font)):
        return
    data = stream.read_bytes()
    try:
        if key == "/FontFile2":
            # A glyph without an outline cannot be distinguished from one that was removed from the subset.
            places = TTFont(io.BytesIO(data))["loca"].locations
            wanted = {glyph for glyph in range(len(places) - 1) if places[glyph + 1] > places[glyph]}
        elif data[:4] == b"OTTO":
            wanted = set(range(TTFont(io.BytesIO(data))["maxp"].numGlyphs))
        else:
            fonts = CFFFontSet()
            fonts.decompile(io.BytesIO(data), None)
            names = fonts[0].charset
            wanted = {int(name[3:]) if name.startswith("cid") else index for index, name in enumerate(names)}
    except Exception as error:
        note("6.2.11.4.1-1", "%s: the font program cannot be read: %s" % (name_of(font), error))
        return
    shown = bits.read_bytes()
    has = {index * 8 + bit for index, byte in enumerate(shown) for bit in range(8) if byte & 0x80 >> bit}
    missing = wanted - has - {0}
    if missing:
        note("6.2.11.4.2-2", "%s: /CIDSet misses %d glyphs" % (name_of(font), len(missing)))


def check_composite(font, note):
    encoding = font.get("/Encoding")
    if isinstance(encoding, pikepdf.Name) and str(encoding) not in PREDEFINED:
        note("6.2.11.3.3-1", "%s: the CMap %s is neither known nor embedded" % (name_of(font), encoding))
    for descendant in font.get("/DescendantFonts", []):
        descriptor = descendant.get("/FontDescriptor")
        key, stream = program(descriptor)
        if stream is None:
            note("6.2.11.4.1-1", "%s is not embedded" % name_of(font))
            continue
        if str(descendant.get("/Subtype")) == "/CIDFontType2" and "/CIDToGIDMap" not in descendant:
            note("6.2.11.3.2-1", "%s: no /CIDToGIDMap" % name_of(font))
        check_cid_set(font, descriptor, note)
        if key == "/FontFile2" and str(descendant.get("/CIDToGIDMap")) == "/Identity":
            check_cid_widths(font, descendant, stream, note)


def check_cid_widths(font, descendant, stream, note):
    try:
        table = TTFont(io.BytesIO(stream.read_bytes()))
        advance = [table["hmtx"][name][0] * 1000 / table["head"].unitsPerEm for name in table.getGlyphOrder()]
    except Exception:
        return
    entries, at, wrong = list(descendant.get("/W", [])), 0, 0
    while at + 1 < len(entries):
        first = int(entries[at])
        if isinstance(entries[at + 1], pikepdf.Array):
            given = [float(width) for width in entries[at + 1]]
            at += 2
        else:
            given = [float(entries[at + 2])] * max(0, min(int(entries[at + 1]) - first + 1, 65536)) if at + 2 < len(entries) else []
            at += 3
        for offset, width in enumerate(given):
            glyph = first + offset
            # A glyph of width 0 in a subset is one that was removed.
            if glyph < len(advance) and advance[glyph] and abs(advance[glyph] - width) > 1.5:
                wrong += 1
    if wrong:
        note("6.2.11.5-1", "%s: %d widths differ from the font program" % (name_of(font), wrong))


def check_simple(font, kind, note):
    descriptor = font.get("/FontDescriptor")
    _, stream = program(descriptor)
    if stream is None:
        note("6.2.11.4.1-1", "%s is not embedded" % name_of(font))
        return
    for key in ("/FirstChar", "/LastChar", "/Widths"):
        if key not in font:
            note("6.2.11.2-1", "%s has no %s" % (name_of(font), key))
    if kind == "/TrueType":
        symbolic = bool(int(descriptor.get("/Flags", 0)) & 4)
        encoding = font.get("/Encoding")
        base = encoding.get("/BaseEncoding") if isinstance(encoding, pikepdf.Dictionary) else encoding
        known = str(base) in ("/WinAnsiEncoding", "/MacRomanEncoding")
        if not symbolic and not known:
            note("6.2.11.6-2", "%s: a TrueType font that is not symbolic needs a known encoding" % name_of(font))
        if symbolic and encoding is not None:
            note("6.2.11.6-3", "%s: a symbolic TrueType font has an encoding" % name_of(font))
    else:
        check_char_set(font, descriptor, note)


def check(font, note):
    """Checks one font that is used for visible text."""
    kind = str(font.get("/Subtype"))
    if kind == "/Type0":
        check_composite(font, note)
    elif kind == "/Type3":
        return
    elif kind in ("/Type1", "/MMType1", "/TrueType"):
        check_simple(font, kind, note)
    else:
        note("6.2.11.2-1", "a font of the kind %s" % kind)
