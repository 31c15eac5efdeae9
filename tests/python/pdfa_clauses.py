"""A small check of PDF/A-3b that shares no code with the project: what a repair changes and what a false
claim usually hides. Clause numbers are those of ISO 19005-3 with the rule numbers of veraPDF's profile.

It may pass a file that veraPDF fails (it does not compare all glyph widths, for one), not the other way round.

Input: a JSON array of paths on standard input. Output: one JSON object a line, in the same order:
{"path", "claim": {"part", "conformance"}, "violations": [{"clause", "detail"}]} or {"path", "error"}.
"""

import json
import re
import sys

import pikepdf
from lxml import etree

import pdf_content
import pdf_facts
import pdf_syntax

FORBIDDEN_ACTIONS = {
    "/Launch", "/Sound", "/Movie", "/ResetForm", "/ImportData", "/Hide", "/SetOCGState", "/Rendition", "/Trans",
    "/GoTo3DView", "/JavaScript",
}
NAMED_ACTIONS = {"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"}
ANNOTATIONS = {
    "/Text", "/Link", "/FreeText", "/Line", "/Square", "/Circle", "/Polygon", "/PolyLine", "/Highlight", "/Underline",
    "/Squiggly", "/StrikeOut", "/Stamp", "/Caret", "/Ink", "/Popup", "/FileAttachment", "/Widget", "/PrinterMark",
    "/TrapNet", "/Watermark", "/Redact",
}
# The namespaces whose properties need no extension schema.
PREDEFINED = {
    "http://purl.org/dc/elements/1.1/", "http://ns.adobe.com/xap/1.0/", "http://ns.adobe.com/xap/1.0/rights/",
    "http://ns.adobe.com/xap/1.0/mm/", "http://ns.adobe.com/xap/1.0/bj/", "http://ns.adobe.com/xap/1.0/t/pg/",
    "http://ns.adobe.com/xmp/1.0/DynamicMedia/", "http://ns.adobe.com/pdf/1.3/", "http://ns.adobe.com/photoshop/1.0/",
    "http://ns.adobe.com/camera-raw-settings/1.0/", "http://ns.adobe.com/tiff/1.0/", "http://ns.adobe.com/exif/1.0/",
    "http://ns.adobe.com/exif/1.0/aux/", "http://www.aiim.org/pdfa/ns/id/", "http://www.aiim.org/pdfa/ns/extension/",
    "http://www.aiim.org/pdfa/ns/schema#", "http://www.aiim.org/pdfa/ns/property#", "http://www.aiim.org/pdfua/ns/id/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/XML/1998/namespace",
}


def check_trailer(pdf, note):
    identifier = pdf.trailer.get("/ID")
    if identifier is None or len(identifier) != 2:
        note("6.1.3-1", "no /ID in the trailer")
    if pdf.is_encrypted or "/Encrypt" in pdf.trailer:
        note("6.1.3-2", "the file is encrypted")


def check_catalog(pdf, note):
    root = pdf.Root
    if "/AA" in root:
        note("6.5.2-1", "the catalog has /AA")
    if "/Requirements" in root:
        note("6.11-1", "the catalog has /Requirements")
    names = root.get("/Names")
    if isinstance(names, pikepdf.Dictionary):
        if "/AlternatePresentations" in names:
            note("6.10-1", "/AlternatePresentations")
        if "/JavaScript" in names:
            note("6.5.1-1", "named JavaScript")
    form = root.get("/AcroForm")
    if isinstance(form, pikepdf.Dictionary):
        if bool(form.get("/NeedAppearances", False)):
            note("6.4.1-3", "/NeedAppearances is true")
        if "/XFA" in form:
            note("6.4.2-1", "an XFA form")
    if "/NeedsRendering" in root and bool(root["/NeedsRendering"]):
        note("6.4.2-2", "/NeedsRendering is true")
    layers = root.get("/OCProperties")
    if isinstance(layers, pikepdf.Dictionary):
        for layout in [layers.get("/D")] + list(layers.get("/Configs", [])):
            if isinstance(layout, pikepdf.Dictionary):
                if "/Name" not in layout:
                    note("6.9-1", "a layout of layers without /Name")
                if "/AS" in layout:
                    note("6.9-3", "a layout of layers with /AS")
    permissions = root.get("/Perms")
    if isinstance(permissions, pikepdf.Dictionary):
        if set(permissions.keys()) - {"/UR3", "/DocMDP"}:
            note("6.1.12-1", "/Perms has other keys")


def check_actions(pdf, note):
    for owner in pdf.objects:
        for value in pdf_facts.dictionaries_in(owner):
            kind = value.get("/S")
            if isinstance(kind, pikepdf.Name) and ("/JS" in value or str(value.get("/Type")) == "/Action" or str(kind) in FORBIDDEN_ACTIONS):
                if str(kind) in FORBIDDEN_ACTIONS and str(value.get("/Type", "/Action")) == "/Action":
                    note("6.5.1-1", "an action %s" % kind)
                if str(kind) == "/Named" and str(value.get("/N")) not in NAMED_ACTIONS:
                    note("6.5.1-2", "a named action %s" % value.get("/N"))


def check_annotations(pdf, note):
    for number, page in enumerate(pdf.pages, 1):
        if "/AA" in page.obj:
            note("6.5.2-2", "page %d has /AA" % number)
        if "/PresSteps" in page.obj:
            note("6.10-2", "page %d has /PresSteps" % number)
        for annotation in page.obj.get("/Annots", []):
            if isinstance(annotation, pikepdf.Dictionary):
                check_annotation(annotation, "page %d" % number, note)


def check_annotation(annotation, where, note):
    kind = str(annotation.get("/Subtype"))
    if kind not in ANNOTATIONS:
        note("6.3.1-1", "%s: an annotation %s" % (where, kind))
    if kind != "/Popup":
        flags = annotation.get("/F")
        if flags is None:
            note("6.3.2-1", "%s: a %s annotation without /F" % (where, kind))
        elif int(flags) & 4 == 0 or int(flags) & (1 | 2 | 32 | 256):
            note("6.3.2-2", "%s: a %s annotation with the flags %d" % (where, kind, int(flags)))
    rect = [float(side) for side in annotation.get("/Rect", [0, 0, 0, 0])]
    flat = len(rect) == 4 and rect[0] == rect[2] and rect[1] == rect[3]
    looks = annotation.get("/AP")
    if looks is None:
        if kind not in ("/Popup", "/Link") and not flat:
            note("6.3.3-1", "%s: a %s annotation without an appearance" % (where, kind))
    elif set(looks.keys()) != {"/N"}:
        note("6.3.3-2", "%s: appearances %s" % (where, sorted(looks.keys())))
    if kind == "/Widget":
        if "/AA" in annotation:
            note("6.4.1-1", "%s: a field has /AA" % where)
        if "/A" in annotation:
            note("6.4.1-2", "%s: a field has /A" % where)


def check_metadata(pdf, note):
    """Returns the claim."""
    stream = pdf.Root.get("/Metadata")
    if not isinstance(stream, pikepdf.Stream):
        note("6.6.2.1-1", "no metadata stream")
        return {}
    if str(stream.get("/Type")) != "/Metadata" or str(stream.get("/Subtype")) != "/XML":
        note("6.6.2.1-1", "the metadata stream has a wrong /Type or /Subtype")
    data = stream.read_bytes()
    head = re.match(rb"\s*(?:\xef\xbb\xbf)?<\?xpacket([^?]*)\?>", data)
    if head and re.search(rb"\b(bytes|encoding)\s*=", head[1]):
        note("6.6.2.1-2", "the head of the XMP packet has bytes or encoding")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        note("6.6.2.1-5", "the XMP is not UTF-8")
        return {}
    try:
        root = pdf_facts.parse_xml(text.encode())
    except etree.XMLSyntaxError as error:
        note("6.6.2.1-4", "the XMP is not well-formed: %s" % error)
        return {}
    return check_properties(root, note)


def check_properties(root, note):
    claim = {}
    schemas = pdf_facts.extension_schemas(root)
    declared = {(schema["namespace"], item["name"]) for schema in schemas for item in schema["properties"]}
    if len(list(root.iter(pdf_facts.EXTENSION + "schemas"))) > 1:
        note("6.6.2.3.2-1", "several bags of extension schemas")
    for schema in schemas:
        if not schema["namespace"] or not schema["prefix"] or not schema["schema"]:
            note("6.6.2.3.3-1", "an extension schema lacks a field")
        for item in schema["properties"]:
            if not item["type"] or not item["description"] or item["category"] not in ("internal", "external"):
                note("6.6.2.3.3-2", "the declaration of %s lacks a field" % item["name"])
    seen = set()
    for namespace, name, value, prefix in pdf_facts.properties(root):
        if (namespace, name) in seen:
            note("6.6.2.1-4", "the property %s stands twice" % name)
        seen.add((namespace, name))
        if namespace == pdf_facts.PDFAID:
            claim[name] = value.strip()
            if prefix != "pdfaid":
                note("6.6.4-4", "the prefix of the claim is %s" % prefix)
        elif namespace not in PREDEFINED and (namespace, name) not in declared:
            note("6.6.2.3.1-1", "the property %s of %s is not declared" % (name, namespace))
    if claim.get("part") != "3":
        note("6.6.4-2", "the part claimed is %s" % claim.get("part"))
    if claim.get("conformance") not in ("A", "B", "U"):
        note("6.6.4-3", "the conformance claimed is %s" % claim.get("conformance"))
    return claim


def check_embedded(pdf, note):
    facts = {}
    pdf_facts.attachments(pdf, facts)
    for entry in facts["attachments"]:
        name = entry["uf"] or entry["f"] or entry["object"]
        if not entry["subtype"]:
            note("6.8-1", "%s: the embedded file has no MIME type" % name)
        if not entry["f"] or not entry["uf"]:
            note("6.8-2", "%s: /F or /UF is missing" % name)
        if not entry["relationship"]:
            note("6.8-3", "%s: no /AFRelationship" % name)
        if not entry["in_af"]:
            note("6.8-4", "%s: not associated" % name)
    for place in facts["stray_file_specifications"]:
        note("6.8-4", "the file specification %s is in no /AF" % place)


def check_limits(pdf, note):
    for number, page in enumerate(pdf.pages, 1):
        for key in ("/MediaBox", "/CropBox", "/TrimBox", "/ArtBox", "/BleedBox"):
            box = page.obj.get(key)
            if isinstance(box, pikepdf.Array) and len(box) == 4:
                left, low, right, high = (float(side) for side in box)
                if not all(3 <= abs(side) <= 14400 for side in (right - left, high - low)):
                    note("6.1.13-11", "page %d: the size of %s" % (number, key))


def violations_of(path):
    found = {}

    def note(clause, detail):
        found.setdefault((clause, detail), True)

    with open(path, "rb") as file:
        data = file.read()
    with pikepdf.open(path, suppress_warnings=True) as pdf:
        check_trailer(pdf, note)
        check_catalog(pdf, note)
        check_actions(pdf, note)
        check_annotations(pdf, note)
        claim = check_metadata(pdf, note)
        check_embedded(pdf, note)
        check_limits(pdf, note)
        pdf_content.check(pdf, note)
        pdf_syntax.check(data, pdf, note)
    listed = [{"clause": clause, "detail": detail} for clause, detail in sorted(found)]
    return {"path": path, "claim": claim, "violations": listed}


def main():
    for path in json.load(sys.stdin):
        try:
            answer = violations_of(path)
        except Exception as error:
            answer = {"path": path, "error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
