"""Rules about what pages draw: colours, pictures, transparency, fonts in use (ISO 19005-3, 6.2)."""

import struct

import pikepdf

import pdf_fonts

DEVICE = {"/DeviceRGB": "RGB", "/DeviceCMYK": "CMYK", "/DeviceGray": "GRAY", "/RGB": "RGB", "/CMYK": "CMYK", "/G": "GRAY"}
SETS = {"rg": "RGB", "RG": "RGB", "k": "CMYK", "K": "CMYK", "g": "GRAY", "G": "GRAY"}
PAINTS = {"f", "F", "f*", "B", "B*", "b", "b*", "s", "S", "Tj", "TJ", "'", '"'}
STANDARD_FILTERS = {
    "/ASCIIHexDecode", "/ASCII85Decode", "/FlateDecode", "/RunLengthDecode", "/CCITTFaxDecode", "/JBIG2Decode",
    "/DCTDecode", "/JPXDecode", "/Crypt",
}
BLENDS = {
    "/Normal", "/Compatible", "/Multiply", "/Screen", "/Overlay", "/Darken", "/Lighten", "/ColorDodge", "/ColorBurn",
    "/HardLight", "/SoftLight", "/Difference", "/Exclusion", "/Hue", "/Saturation", "/Color", "/Luminosity",
}
COMPONENTS = {b"GRAY": 1, b"RGB ": 3, b"CMYK": 4, b"Lab ": 3}


def names_in(value):
    if isinstance(value, pikepdf.Array):
        return [str(item) for item in value]
    return [str(value)] if value is not None else []


def profile_fault(stream, kinds):
    """The reason why an ICC profile is not suitable, None when it is."""
    data = stream.read_bytes()
    if len(data) < 132 or data[36:40] != b"acsp":
        return "is no ICC profile"
    if struct.unpack(">I", data[:4])[0] > len(data):
        return "is cut"
    if data[8] > 4 or data[12:16] not in kinds:
        return "is of a version or a class that is not allowed"
    if COMPONENTS.get(data[16:20]) != int(stream.get("/N", 0)):
        return "has another number of components than /N says"
    return None


def intents(pdf, note):
    """The colour space (`RGB `..) of the PDF/A output intent."""
    profiles, found = [], None
    for intent in pdf.Root.get("/OutputIntents", []):
        if str(intent.get("/S")) != "/GTS_PDFA1":
            continue
        if "/OutputConditionIdentifier" not in intent:
            note("6.2.3-0", "an output intent without /OutputConditionIdentifier")
        if "/DestOutputProfileRef" in intent:
            note("6.2.3-3", "an output intent refers to a profile outside")
        profile = intent.get("/DestOutputProfile")
        if not isinstance(profile, pikepdf.Stream):
            continue
        profiles.append(profile.objgen)
        fault = profile_fault(profile, (b"mntr", b"prtr"))
        if fault:
            note("6.2.3-1", "the profile of the output intent " + fault)
        found = profile.read_bytes()[16:20]
    if len(set(profiles)) > 1:
        note("6.2.3-2", "output intents with several profiles")
    return found


class Walk:
    """Visits every content stream that a page can show."""

    def __init__(self, note):
        self.note = note
        self.seen = set()
        self.used = {}
        self.fonts = {}
        self.transparent = False

    def colour(self, kind, resources, where):
        default = {"RGB": "/DefaultRGB", "CMYK": "/DefaultCMYK", "GRAY": "/DefaultGray"}[kind]
        spaces = resources.get("/ColorSpace") if resources is not None else None
        if not (isinstance(spaces, pikepdf.Dictionary) and default in spaces):
            self.used.setdefault(kind, where)

    def space(self, value, resources, where, depth=0):
        if isinstance(value, pikepdf.Name):
            name = str(value)
            spaces = resources.get("/ColorSpace") if resources is not None else None
            if name in DEVICE:
                self.colour(DEVICE[name], resources, where)
            elif isinstance(spaces, pikepdf.Dictionary) and name in spaces and depth < 8:
                self.space(spaces[name], resources, where, depth + 1)
        elif isinstance(value, pikepdf.Array) and len(value) and depth < 8:
            self.array_space(value, resources, where, depth)

    def array_space(self, value, resources, where, depth):
        kind = str(value[0])
        if kind in DEVICE:
            self.colour(DEVICE[kind], resources, where)
        elif kind == "/ICCBased" and len(value) > 1 and isinstance(value[1], pikepdf.Stream):
            fault = profile_fault(value[1], (b"mntr", b"prtr", b"scnr", b"spac"))
            if fault:
                self.note("6.2.4.2-1", "a profile of a colour space " + fault)
        elif kind in ("/Indexed", "/I", "/Pattern") and len(value) > 1:
            self.space(value[1], resources, where, depth + 1)
        elif kind in ("/Separation", "/DeviceN") and len(value) > 2:
            self.space(value[2], resources, where, depth + 1)

    def state(self, value):
        for key in ("/TR", "/HTP"):
            if key in value:
                self.note("6.2.5-1", "a graphics state has %s" % key)
        if "/TR2" in value and str(value["/TR2"]) != "/Default":
            self.note("6.2.5-2", "a graphics state has /TR2")
        for name in names_in(value.get("/BM")):
            if name not in BLENDS:
                self.note("6.2.10-1", "the blend mode %s" % name)
        if names_in(value.get("/BM")) not in ([], ["/Normal"], ["/Compatible"]):
            self.transparent = True
        if isinstance(value.get("/SMask"), pikepdf.Dictionary):
            self.transparent = True
        if any(key in value and float(value[key]) < 1 for key in ("/ca", "/CA")):
            self.transparent = True

    def picture(self, image, resources, where):
        if image.get("/Interpolate") is not None and bool(image.get("/Interpolate")):
            self.note("6.2.8-3", "%s: a picture is interpolated" % where)
        for key, clause in (("/Alternates", "6.2.8-1"), ("/OPI", "6.2.8-2")):
            if key in image:
                self.note(clause, "%s: a picture has %s" % (where, key))
        if isinstance(image.get("/SMask"), pikepdf.Stream):
            self.transparent = True
        if not bool(image.get("/ImageMask", False)) and "/ColorSpace" in image:
            self.space(image["/ColorSpace"], resources, where)

    def form(self, form, resources, where):
        for key in ("/OPI", "/PS", "/Ref"):
            if key in form:
                self.note("6.2.9-1", "%s: a form has %s" % (where, key))
        group = form.get("/Group")
        if isinstance(group, pikepdf.Dictionary) and str(group.get("/S")) == "/Transparency":
            self.transparent = True
            if "/CS" in group:
                self.space(group["/CS"], resources, where)
        own = form.get("/Resources")
        self.stream(form, own if own is not None else resources, where)

    def stream(self, stream, resources, where):
        key = stream.objgen if isinstance(stream, pikepdf.Object) and stream.is_indirect else id(stream)
        if key in self.seen and key != (0, 0):
            return
        self.seen.add(key)
        try:
            instructions = pikepdf.parse_content_stream(stream)
        except Exception as error:
            self.note("6.2.2-1", "%s: the drawing cannot be read: %s" % (where, error))
            return
        self.run(instructions, resources if resources is not None else pikepdf.Dictionary(), where)

    def resource(self, resources, kind, name):
        group = resources.get(kind)
        return group.get(str(name)) if isinstance(group, pikepdf.Dictionary) else None

    def run(self, instructions, resources, where):
        fill_is_set = stroke_is_set = False
        mode, font, depth, stack = 0, None, 0, []
        for operands, operator in instructions:
            name = str(operator)
            if name == "q":
                stack.append((mode, font))
                depth += 1
                if depth > 28:
                    self.note("6.1.13-8", "%s: q nested deeper than 28" % where)
            elif name == "Q" and stack:
                mode, font = stack.pop()
                depth -= 1
            elif name in SETS:
                self.colour(SETS[name], resources, where)
                fill_is_set |= name.islower()
                stroke_is_set |= name.isupper()
            elif name in ("cs", "CS") and operands:
                self.space(operands[0], resources, where)
                fill_is_set |= name == "cs"
                stroke_is_set |= name == "CS"
            elif name in ("scn", "SCN") and operands and isinstance(operands[-1], pikepdf.Name):
                self.pattern(self.resource(resources, "/Pattern", operands[-1]), resources, where)
            elif name == "Tr" and operands:
                mode = int(operands[0])
            elif name == "Tf" and operands:
                font = self.resource(resources, "/Font", operands[0])
            elif name == "gs" and operands:
                state = self.resource(resources, "/ExtGState", operands[0])
                if isinstance(state, pikepdf.Dictionary):
                    self.state(state)
                    if "/Font" in state:
                        font = state["/Font"][0]
            elif name == "sh" and operands:
                shading = self.resource(resources, "/Shading", operands[0])
                if shading is not None and "/ColorSpace" in shading:
                    self.space(shading["/ColorSpace"], resources, where)
            elif name == "Do" and operands:
                self.external(self.resource(resources, "/XObject", operands[0]), resources, where)
            elif name == "INLINE IMAGE":
                self.inline(operands[0], resources, where)
            elif name == "ri" and operands:
                if str(operands[0]) not in ("/RelativeColorimetric", "/AbsoluteColorimetric", "/Perceptual", "/Saturation"):
                    self.note("6.2.6-1", "%s: the rendering intent %s" % (where, operands[0]))
            if name in PAINTS:
                text = name in ("Tj", "TJ", "'", '"')
                if text and font is not None and mode != 3:
                    self.font(font, where)
                if not fill_is_set and not (text and mode == 3) and name not in ("s", "S"):
                    self.colour("GRAY", resources, where)
                elif not stroke_is_set and name in ("s", "S", "b", "b*", "B", "B*"):
                    self.colour("GRAY", resources, where)

    def inline(self, image, resources, where):
        value = image.obj
        if bool(value.get("/I", value.get("/Interpolate", False))):
            self.note("6.2.8-3", "%s: an inline picture is interpolated" % where)
        for name in names_in(value.get("/F", value.get("/Filter"))):
            if name in ("/LZW", "/LZWDecode"):
                self.note("6.1.10-1", "%s: an inline picture uses LZW" % where)
        space = value.get("/CS", value.get("/ColorSpace"))
        if space is not None:
            self.space(space, resources, where)

    def external(self, value, resources, where):
        if not isinstance(value, pikepdf.Stream):
            return
        kind = str(value.get("/Subtype"))
        if kind == "/Image":
            self.picture(value, resources, where)
        elif kind == "/Form":
            self.form(value, resources, where)
        else:
            self.note("6.2.9-3", "%s: a PostScript object" % where)

    def pattern(self, value, resources, where):
        if isinstance(value, pikepdf.Stream):
            self.stream(value, value.get("/Resources"), where)
        elif isinstance(value, pikepdf.Dictionary):
            shading = value.get("/Shading")
            if shading is not None and "/ColorSpace" in shading:
                self.space(shading["/ColorSpace"], resources, where)

    def font(self, font, where):
        key = font.objgen if font.is_indirect else id(font)
        if key in self.fonts:
            return
        self.fonts[key] = font
        pdf_fonts.check(font, lambda clause, detail: self.note(clause, "%s: %s" % (where, detail)))
        if str(font.get("/Subtype")) == "/Type3":
            for glyph in font.get("/CharProcs", pikepdf.Dictionary()).values():
                self.stream(glyph, font.get("/Resources"), where)


def appearances(annotation):
    looks = annotation.get("/AP")
    for look in looks.values() if isinstance(looks, pikepdf.Dictionary) else []:
        if isinstance(look, pikepdf.Stream):
            yield look
        elif isinstance(look, pikepdf.Dictionary):
            yield from (part for part in look.values() if isinstance(part, pikepdf.Stream))


def check(pdf, note):
    intent = intents(pdf, note)
    used = {}
    for number, page in enumerate(pdf.pages, 1):
        walk = Walk(note)
        where = "page %d" % number
        resources = page.obj.get("/Resources")
        holder = page.obj
        while resources is None and holder is not None and "/Parent" in holder:
            holder = holder["/Parent"]
            resources = holder.get("/Resources")
        group = page.obj.get("/Group")
        if "/Contents" in page.obj:
            walk.stream(page, resources, where)
        for annotation in page.obj.get("/Annots", []):
            for look in appearances(annotation):
                walk.form(look, resources, where)
        if isinstance(group, pikepdf.Dictionary) and "/CS" in group:
            walk.space(group["/CS"], resources, where)
        elif walk.transparent and intent is None:
            note("6.2.10-2", "%s: transparency without a colour space and an output intent" % where)
        for kind, place in walk.used.items():
            used.setdefault(kind, place)
    if "RGB" in used and intent != b"RGB ":
        note("6.2.4.3-2", "%s: device RGB without a fitting output intent" % used["RGB"])
    if "CMYK" in used and intent != b"CMYK":
        note("6.2.4.3-3", "%s: device CMYK without a fitting output intent" % used["CMYK"])
    if "GRAY" in used and intent is None:
        note("6.2.4.3-4", "%s: device grey without an output intent" % used["GRAY"])
    for value in pdf.objects:
        if isinstance(value, pikepdf.Stream):
            check_filters(value, note)
            if str(value.get("/Subtype")) == "/Image" and bool(value.get("/Interpolate", False)):
                note("6.2.8-3", "object %d: a picture is interpolated" % value.objgen[0])


def check_filters(stream, note):
    for name in names_in(stream.get("/Filter")):
        if name not in STANDARD_FILTERS:
            note("6.1.7.2-1", "object %d: the filter %s" % (stream.objgen[0], name))
    for key in ("/F", "/FFilter", "/FDecodeParms"):
        if key in stream:
            note("6.1.7.1-3", "object %d: the bytes of a stream lie outside" % stream.objgen[0])
