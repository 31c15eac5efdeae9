"""Facts about PDF files as pikepdf (qpdf) sees them, independent of the project's own reader.

Input: a JSON array of paths on standard input. Output: one JSON object a line, in the same order.
A file that cannot be opened gives {"path": .., "error": ..}.
"""

import hashlib
import json
import re
import sys

import pikepdf
from lxml import etree

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
PDFAID = "http://www.aiim.org/pdfa/ns/id/"
EXTENSION = "{http://www.aiim.org/pdfa/ns/extension/}"
SCHEMA = "{http://www.aiim.org/pdfa/ns/schema#}"
PROPERTY = "{http://www.aiim.org/pdfa/ns/property#}"
HYBRID = {"DocumentType", "DocumentFileName", "Version", "ConformanceLevel"}
INVOICE_NAMES = {
    "factur-x.xml",
    "zugferd-invoice.xml",
    "xrechnung.xml",
    "order-x.xml",
}


def text_of(value):
    """A name or a text string as text, None when it is something else."""
    if isinstance(value, (pikepdf.Name, pikepdf.String)):
        return str(value)
    return None


def identity(value):
    """The same for two references to one object, and for two equal direct objects."""
    if value.is_indirect:
        return "%d %d" % value.objgen
    return "direct " + hashlib.sha256(value.unparse(resolved=False)).hexdigest()


def is_dictionary(value):
    return isinstance(value, (pikepdf.Dictionary, pikepdf.Stream))


def name_tree(node, depth=0, seen=None):
    """All (key, value) of a name tree; a node that occurs twice is read once."""
    seen = set() if seen is None else seen
    if not is_dictionary(node) or depth > 20:
        return
    if node.is_indirect:
        if node.objgen in seen:
            return
        seen.add(node.objgen)
    names = node.get("/Names")
    if isinstance(names, pikepdf.Array):
        for index in range(0, len(names) - 1, 2):
            if isinstance(names[index], pikepdf.String):
                yield bytes(names[index]), names[index + 1]
    kids = node.get("/Kids")
    if isinstance(kids, pikepdf.Array):
        for kid in kids:
            yield from name_tree(kid, depth + 1, seen)


def limits_are_right(node, top=True, seen=None):
    """Whether every /Limits of a name tree covers exactly the names below it."""
    seen = set() if seen is None else seen
    if not is_dictionary(node):
        return False
    if node.is_indirect:
        if node.objgen in seen:
            return False
        seen.add(node.objgen)
    keys = [key for key, _ in name_tree(node)]
    limits = node.get("/Limits")
    if limits is not None and keys:
        if [bytes(limit) for limit in limits] != [min(keys), max(keys)]:
            return False
    elif limits is None and not top:
        return False
    kids = node.get("/Kids")
    if not isinstance(kids, pikepdf.Array):
        return True
    return all(limits_are_right(kid, False, seen) for kid in kids)


def embedded_stream(spec):
    files = spec.get("/EF")
    if not is_dictionary(files):
        return None
    for key in ("/F", "/UF", "/DOS", "/Unix", "/Mac"):
        stream = files.get(key)
        if isinstance(stream, pikepdf.Stream):
            return stream
    return None


def attachment(spec):
    facts = {
        "object": identity(spec),
        "type": text_of(spec.get("/Type")),
        "f": text_of(spec.get("/F")),
        "uf": text_of(spec.get("/UF")),
        "description": text_of(spec.get("/Desc")),
        "relationship": text_of(spec.get("/AFRelationship")),
        "keys": [],
        "in_tree": 0,
        "in_af": 0,
        "subtype": None,
        "stream_type": None,
        "size": None,
        "sha256": None,
        "params": {},
        "checksum_is_right": None,
    }
    stream = embedded_stream(spec)
    if stream is None:
        return facts
    facts["stream"] = identity(stream)
    facts["subtype"] = text_of(stream.get("/Subtype"))
    facts["stream_type"] = text_of(stream.get("/Type"))
    try:
        data = stream.read_bytes()
    except Exception as error:  # qpdf gives many kinds for damaged streams
        facts["unreadable"] = str(error)
        return facts
    facts["size"] = len(data)
    facts["sha256"] = hashlib.sha256(data).hexdigest()
    params = stream.get("/Params")
    if is_dictionary(params):
        for key in ("/Size", "/ModDate", "/CreationDate"):
            if key in params:
                facts["params"][key[1:]] = str(params[key])
        if "/CheckSum" in params:
            digest = hashlib.md5(data).digest()
            facts["checksum_is_right"] = bytes(params["/CheckSum"]) == digest
    return facts


def associated(pdf):
    """Every file specification in an /AF anywhere in the file."""
    found = []
    for owner in pdf.objects:
        for holder in dictionaries_in(owner):
            files = holder.get("/AF")
            if isinstance(files, pikepdf.Array):
                found += [spec for spec in files if is_dictionary(spec)]
            elif is_dictionary(files):
                found.append(files)
    return found


def dictionaries_in(value, depth=0):
    """The dictionaries of one object, without following references."""
    if depth > 50:
        return
    if is_dictionary(value):
        yield value
        for child in value.values() if isinstance(value, pikepdf.Dictionary) else value.stream_dict.values():
            if isinstance(child, pikepdf.Object) and not child.is_indirect:
                yield from dictionaries_in(child, depth + 1)
    elif isinstance(value, pikepdf.Array):
        for child in value:
            if isinstance(child, pikepdf.Object) and not child.is_indirect:
                yield from dictionaries_in(child, depth + 1)


def attachments(pdf, facts):
    by_identity = {}

    def note(spec):
        return by_identity.setdefault(identity(spec), attachment(spec))

    names = pdf.Root.get("/Names")
    tree = names.get("/EmbeddedFiles") if is_dictionary(names) else None
    keys = []
    if tree is not None:
        for key, spec in name_tree(tree):
            keys.append(key)
            if is_dictionary(spec):
                entry = note(spec)
                entry["in_tree"] += 1
                entry["keys"].append(key.hex())
        facts["tree_limits_are_right"] = limits_are_right(tree)
    facts["tree_names"] = len(keys)
    facts["tree_is_sorted"] = all(a < b for a, b in zip(keys, keys[1:]))
    catalog_af = pdf.Root.get("/AF")
    listed = catalog_af if isinstance(catalog_af, pikepdf.Array) else []
    facts["catalog_af"] = [identity(spec) for spec in listed if is_dictionary(spec)]
    for spec in associated(pdf):
        if "/EF" in spec:
            note(spec)["in_af"] += 1
    stray = []
    for owner in pdf.objects:
        for spec in dictionaries_in(owner):
            if "/EF" in spec and by_identity.get(identity(spec), {}).get("in_af", 0) == 0:
                stray.append(identity(spec))
                if text_of(spec.get("/Type")) in ("/Filespec", "/F"):
                    note(spec)
    facts["stray_file_specifications"] = stray
    facts["attachments"] = list(by_identity.values())
    used = {entry.get("stream") for entry in facts["attachments"]}
    facts["stray_embedded_files"] = [
        identity(value)
        for value in pdf.objects
        if isinstance(value, pikepdf.Stream)
        and text_of(value.get("/Type")) == "/EmbeddedFile"
        and identity(value) not in used
    ]
    facts["invoices"] = [
        entry["uf"] or entry["f"]
        for entry in facts["attachments"]
        if (entry["uf"] or entry["f"] or "").lower() in INVOICE_NAMES
    ]


def xmp_packet(pdf):
    stream = pdf.Root.get("/Metadata")
    return stream.read_bytes() if isinstance(stream, pikepdf.Stream) else None


def parse_xml(data):
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    return etree.fromstring(data, parser)


def properties(root):
    """(namespace, name, text, prefix) of every simple property, as element or attribute."""
    for description in root.iter(RDF + "Description"):
        if description.getparent().tag != RDF + "RDF":
            continue
        prefixes = {uri: prefix for prefix, uri in description.nsmap.items()}
        for name, value in description.attrib.items():
            name = etree.QName(name)
            if name.namespace and RDF != "{%s}" % name.namespace:
                yield name.namespace, name.localname, value, prefixes.get(name.namespace)
        for element in description:
            if isinstance(element.tag, str):
                name = etree.QName(element)
                yield name.namespace, name.localname, (element.text or ""), element.prefix


def resource(item):
    """The element with the fields of a list entry: itself, or the description inside it."""
    inner = item.find(RDF + "Description")
    return item if inner is None else inner


def field(holder, name):
    """A field written as element or as attribute."""
    return holder.get(name) if holder.get(name) is not None else holder.findtext(name)


def entries(holder):
    """The entries of the list inside an element."""
    return [resource(item) for item in holder.iterfind("*/" + RDF + "li")]


def declared_property(holder):
    return {
        "name": field(holder, PROPERTY + "name"),
        "type": field(holder, PROPERTY + "valueType"),
        "category": field(holder, PROPERTY + "category"),
        "description": field(holder, PROPERTY + "description"),
    }


def extension_schemas(root):
    found = []
    for bag in root.iter(EXTENSION + "schemas"):
        for holder in entries(bag):
            listed = holder.find(SCHEMA + "property")
            found.append(
                {
                    "namespace": field(holder, SCHEMA + "namespaceURI"),
                    "prefix": field(holder, SCHEMA + "prefix"),
                    "schema": field(holder, SCHEMA + "schema"),
                    "properties": [declared_property(item) for item in entries(listed)] if listed is not None else [],
                }
            )
    return found


def metadata(pdf, facts):
    data = xmp_packet(pdf)
    facts["xmp"] = None
    facts["pdfa"] = {}
    facts["hybrid"] = []
    facts["schemas"] = []
    facts["properties"] = []
    if data is None:
        return
    facts["xmp"] = data.decode("utf-8", "replace")
    try:
        root = parse_xml(data)
    except etree.XMLSyntaxError as error:
        facts["xmp_error"] = str(error)
        facts["xmp_is_broken"] = True
        return
    facts["xmp_is_broken"] = False
    hybrid = {}
    found = []
    for namespace, name, value, prefix in properties(root):
        found.append([namespace, name, value.strip()])
        if namespace == PDFAID:
            facts["pdfa"][name] = value
            facts["pdfa"]["prefix"] = prefix
        elif name in HYBRID and "pdfa" in namespace:
            hybrid.setdefault(namespace, {"namespace": namespace, "prefix": prefix})[name] = value
    facts["properties"] = found
    facts["hybrid"] = list(hybrid.values())
    facts["schema_bags"] = len(list(root.iter(EXTENSION + "schemas")))
    facts["schemas"] = extension_schemas(root)


def outline_titles(pdf):
    titles, seen = [], set()
    outlines = pdf.Root.get("/Outlines")
    queue = [outlines.get("/First")] if is_dictionary(outlines) else []
    while queue:
        item = queue.pop(0)
        if not is_dictionary(item) or item.objgen in seen:
            continue
        seen.add(item.objgen)
        titles.append(text_of(item.get("/Title")))
        queue += [item.get("/First"), item.get("/Next")]
    return sorted(title or "" for title in titles)


def destinations(pdf):
    names = pdf.Root.get("/Names")
    tree = names.get("/Dests") if is_dictionary(names) else None
    found = [key.decode("latin-1") for key, _ in name_tree(tree)] if tree is not None else []
    old = pdf.Root.get("/Dests")
    if is_dictionary(old):
        found += [str(key) for key in old.keys()]
    return sorted(found)


def field_names(pdf):
    form = pdf.Root.get("/AcroForm")
    queue = list(form.get("/Fields", [])) if is_dictionary(form) else []
    found, seen = [], set()
    while queue:
        field = queue.pop()
        if not is_dictionary(field) or (field.is_indirect and field.objgen in seen):
            continue
        seen.add(field.objgen)
        if "/T" in field:
            found.append(text_of(field["/T"]) or "")
        kids = field.get("/Kids")
        queue += list(kids) if isinstance(kids, pikepdf.Array) else []
    return sorted(found)


def is_picture(stream):
    """Whether the stream is a compressed picture, which qpdf does not decode."""
    names = stream.get("/Filter")
    names = list(names) if isinstance(names, pikepdf.Array) else [names]
    coded = {"/DCTDecode", "/DCT", "/JPXDecode", "/CCITTFaxDecode", "/CCF", "/JBIG2Decode"}
    return any(text_of(name) in coded for name in names)


def load_everything(pdf, facts):
    """Reads every object and every stream once."""
    facts["objects"] = 0
    facts["unreadable"] = []
    for value in pdf.objects:
        facts["objects"] += 1
        try:
            if isinstance(value, pikepdf.Stream):
                value.read_raw_bytes()
                if not is_picture(value):
                    value.read_bytes()
        except Exception as error:
            facts["unreadable"].append("%s: %s" % (identity(value), error))


def xref_sections(data):
    """The sections from the last `startxref` along /Prev, by their own bytes."""
    start = data.rfind(b"startxref")
    found = re.match(rb"startxref\s+(\d+)", data[start : start + 40]) if start >= 0 else None
    junk = max(data.find(b"%PDF-"), 0)
    offset = int(found[1]) if found else None
    sections, seen = [], set()
    while offset is not None and offset not in seen and len(sections) < 100:
        seen.add(offset)
        place = offset
        if not re.match(rb"\s*(xref|\d+\s+\d+\s+obj)", data[place : place + 40]):
            place += junk
        window = data[place:]
        if re.match(rb"\s*xref", window[:20]):
            kind = "table"
            at = window.find(b"trailer")
            trailer = window[at : window.find(b"startxref", at)] if at >= 0 else b""
            if b"/XRefStm" in trailer:
                kind = "hybrid"
        elif re.match(rb"\s*\d+\s+\d+\s+obj", window[:40]):
            kind = "stream"
            trailer = window[: window.find(b"stream")]
        else:
            sections.append({"offset": offset, "kind": "broken"})
            break
        previous = re.search(rb"/Prev\s+(\d+)", trailer)
        sections.append({"offset": offset, "kind": kind})
        offset = int(previous[1]) if previous else None
    return sections


def facts_of(path):
    facts = {"path": path}
    with open(path, "rb") as file:
        data = file.read()
    facts["xref"] = xref_sections(data)
    facts["sections"] = len(facts["xref"])
    facts["ends_with_eof"] = bool(re.search(rb"%%EOF(\r\n|\r|\n)?\Z", data))
    with pikepdf.open(path, attempt_recovery=True, suppress_warnings=True) as pdf:
        facts["encrypted"] = pdf.is_encrypted
        facts["version"] = pdf.pdf_version
        facts["pages"] = len(pdf.pages)
        facts["catalog"] = sorted(str(key) for key in pdf.Root.keys())
        identifier = pdf.trailer.get("/ID")
        facts["id"] = [bytes(part).hex() for part in identifier] if identifier is not None else []
        load_everything(pdf, facts)
        attachments(pdf, facts)
        metadata(pdf, facts)
        facts["outlines"] = outline_titles(pdf)
        facts["destinations"] = destinations(pdf)
        facts["fields"] = field_names(pdf)
        facts["page_contents"] = [page_digest(page) for page in pdf.pages]
        facts["warnings"] = [str(warning) for warning in pdf.get_warnings()]
    return facts


def page_digest(page):
    """The hash of a page's drawing instructions, to check that a page is unchanged."""
    contents = page.obj.get("/Contents")
    parts = contents if isinstance(contents, pikepdf.Array) else [contents]
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, pikepdf.Stream):
            digest.update(part.read_bytes().rstrip() + b"\n")
    return digest.hexdigest()


def main():
    for path in json.load(sys.stdin):
        try:
            facts = facts_of(path)
        except pikepdf.PasswordError as error:
            facts = {"path": path, "error": "password: %s" % error}
        except Exception as error:  # one bad file must not take the others with it
            facts = {"path": path, "error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
