//! Files that ask for much more memory than they are long.

use std::io::Write as _;

type Make = fn() -> Vec<u8>;

/// Name and maker of each file.
pub(crate) const FILES: &[(&str, Make)] = &[
    ("arrays of numbers", arrays_of_numbers),
    ("arrays of numbers, not indexed", || {
        unindexed(&arrays_of_numbers())
    }),
    ("streams over each other", streams_over_each_other),
    ("strings over each other", strings_over_each_other),
    ("inherited resources", inherited_resources),
    ("resources of each page", resources_of_each_page),
    ("content from many parts", content_from_many_parts),
    ("content compressed twice", content_compressed_twice),
    ("nested forms with large dictionaries", nested_forms),
    ("long keys of a name tree", long_keys),
    ("one specification under many generations", many_generations),
    ("large cross-reference streams", large_cross_references),
    ("many tiny objects", many_tiny_objects),
    ("fonts with one large CMap", fonts_with_one_cmap),
    ("faults with long names", faults_with_long_names),
    ("large metadata", large_metadata),
    ("large objects that are edited", large_edits),
    ("attachments of different names", many_attachments),
    ("attachments with a long guideline", long_guidelines),
    ("invoices of one file", many_invoices),
    ("resources inherited by many nodes", inherited_by_many_nodes),
    ("nodes of a name tree that wait", waiting_names),
    ("tags that wait", waiting_tags),
    ("hidden cross-reference streams", hidden_cross_references),
    (
        "a specification with a long name, under many keys",
        long_member_name,
    ),
    ("one long media type", long_media_type),
    ("forms that lack a resource of a long name", lacking_forms),
    (
        "many attachments of a file that is written again",
        rewritten_attachments,
    ),
];

/// Files that an invoice can be put into.
pub(crate) const COMBINED: &[&str] = &[
    "streams over each other",
    "large objects that are edited",
    "content from many parts",
];

const PAGES: &str = "<</Type/Pages/Kids[3 0 R]/Count 1>>";

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A file whose cross-reference is a stream.
#[derive(Default)]
struct File {
    out: Vec<u8>,
    /// Kind, place, and index of each object.
    rows: Vec<(u32, u8, usize)>,
}

impl File {
    /// A file of one page with these members.
    fn with(catalog: &str, page: &str) -> Self {
        let mut file = Self {
            out: b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec(),
            rows: Vec::new(),
        };
        file.add(1, &format!("<</Type/Catalog/Pages 2 0 R{catalog}>>"));
        file.add(2, PAGES);
        let page = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]{page}>>");
        file.add(3, &page);
        file
    }

    fn add(&mut self, number: u32, body: &str) {
        self.add_bytes(number, body.as_bytes());
    }

    fn add_bytes(&mut self, number: u32, body: &[u8]) {
        self.rows.push((number, 1, self.out.len()));
        self.out
            .extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        self.out.extend_from_slice(body);
        self.out.extend_from_slice(b"\nendobj\n");
    }

    fn add_stream(&mut self, number: u32, members: &str, data: &[u8]) {
        let head = format!("<<{members}/Length {}>>\nstream\n", data.len());
        let body = [head.as_bytes(), data, b"\nendstream"].concat();
        self.add_bytes(number, &body);
    }

    fn add_packed(&mut self, number: u32, members: &str, data: &[u8]) {
        self.add_stream(
            number,
            &format!("{members}/Filter/FlateDecode"),
            &packed(data),
        );
    }

    /// Puts objects into an object stream.
    fn add_objects(&mut self, number: u32, objects: &[(u32, String)]) {
        let mut head = String::new();
        let mut body = String::new();
        for (member, text) in objects {
            head.push_str(&format!("{member} {} ", body.len()));
            body.push_str(text);
            body.push('\n');
            self.rows
                .push((*member, 2, usize::try_from(number).unwrap()));
        }
        let members = format!("/Type/ObjStm/N {}/First {}", objects.len(), head.len());
        self.add_packed(number, &members, (head + &body).as_bytes());
    }

    fn finish(mut self) -> Vec<u8> {
        let number = self.rows.iter().map(|row| row.0).max().unwrap() + 1;
        self.rows.push((number, 1, self.out.len()));
        self.rows.sort_unstable();
        let mut bytes = Vec::new();
        let mut index = String::new();
        for (number, kind, place) in &self.rows {
            index.push_str(&format!("{number} 1 "));
            bytes.push(*kind);
            bytes.extend_from_slice(&u32::try_from(*place).unwrap().to_be_bytes());
            bytes.extend_from_slice(&[0, 0]);
        }
        let members = format!(
            "/Type/XRef/Root 1 0 R/ID[(a)(b)]/Size {}/W[1 4 2]/Index[{index}]",
            number + 1
        );
        let start = self.out.len();
        self.rows.pop();
        self.add_packed(number, &members, &bytes);
        self.out
            .extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
        self.out
    }
}

/// The same file with nothing that leads to its objects, so that they are looked for.
fn unindexed(pdf: &[u8]) -> Vec<u8> {
    let end = pdf
        .windows(9)
        .rposition(|part| part == b"startxref")
        .unwrap();
    [&pdf[..end], b"startxref\n1\n%%EOF\n"].concat()
}

fn numbers(count: usize) -> String {
    format!("[{}]", "0 ".repeat(count))
}

fn arrays_of_numbers() -> Vec<u8> {
    let mut file = File::with("", "");
    let array = numbers(999_000);
    for place in 0..116 {
        file.add_objects(1_000 + place, &[(10 + place, array.clone())]);
    }
    file.finish()
}

/// Every stream lasts to the end of the file, which has to be written again.
fn streams_over_each_other() -> Vec<u8> {
    let mut file = File::with("", "");
    let data = vec![b'x'; 1_000];
    let total = 4_000 * 1_060;
    let mut places = Vec::new();
    for number in 10..4_010_u32 {
        places.push(file.out.len());
        file.rows.push((number, 1, file.out.len()));
        let length = total - places.len() * 1_050;
        let head = format!("{number} 0 obj\n<</Length {length:07}>>\nstream\n");
        file.out.extend_from_slice(head.as_bytes());
        file.out.extend_from_slice(&data);
    }
    file.out.extend_from_slice(&vec![b'y'; 100_000]);
    file.out.extend_from_slice(b"\nendstream\nendobj\n");
    let mut pdf = file.finish();
    pdf.extend_from_slice(b"\n\n\n");
    pdf
}

fn strings_over_each_other() -> Vec<u8> {
    let mut file = File::with("", "");
    for number in 10..5_010_u32 {
        file.rows.push((number, 1, file.out.len()));
        file.out
            .extend_from_slice(format!("{number} 0 obj\n(").as_bytes());
        file.out.extend_from_slice(&[b'x'; 100]);
    }
    file.out.extend_from_slice(&vec![b')'; 5_001]);
    file.out.extend_from_slice(b"\nendobj\n");
    file.finish()
}

fn inherited_resources() -> Vec<u8> {
    let mut file = File::with("", "");
    file.rows.retain(|row| row.0 != 2);
    let pages = 60_000;
    let kids: String = (10..10 + pages)
        .map(|number| format!("{number} 0 R "))
        .collect();
    let resources = format!("<</ExtGState<</G {}>>>>", numbers(200_000));
    let node = format!("<</Type/Pages/Kids[{kids}]/Count {pages}/Resources {resources}>>");
    let kid = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>".to_owned();
    let mut objects: Vec<(u32, String)> = (10..10 + pages)
        .map(|number| (number, kid.clone()))
        .collect();
    objects.push((2, node));
    file.add_objects(100_000, &objects);
    file.finish()
}

fn resources_of_each_page() -> Vec<u8> {
    let mut file = File::with("", "");
    file.rows.retain(|row| row.0 != 2);
    let kids: String = (10..210).map(|number| format!("{number} 0 R ")).collect();
    file.add(2, &format!("<</Type/Pages/Kids[{kids}]/Count 200>>"));
    for number in 10..210 {
        let text = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 5 0 R/Resources<</ExtGState<</G {}>>>>>>",
            numbers(20_000)
        );
        file.add_objects(1_000 + number, &[(number, text)]);
    }
    file.add_stream(5, "", b"/G gs");
    file.finish()
}

fn content_from_many_parts() -> Vec<u8> {
    let parts = "5 0 R ".repeat(10_000);
    let mut file = File::with("", &format!("/Contents[{parts}]"));
    file.add_packed(5, "", &vec![b' '; 20 << 20]);
    file.finish()
}

fn content_compressed_twice() -> Vec<u8> {
    let mut file = File::with("", "/Contents 5 0 R");
    let once = packed(&vec![b' '; 200 << 20]);
    file.add_stream(5, "/Filter[/FlateDecode/FlateDecode]", &packed(&once));
    file.finish()
}

/// Each form draws the next, and all of them are in use at one time.
fn nested_forms() -> Vec<u8> {
    let mut file = File::with("", "/Contents 9 0 R/Resources<</XObject<</F 10 0 R>>>>");
    file.add_stream(9, "", b"/F Do");
    for number in 10..50 {
        // The values are in the dictionaries of the streams, which are never in object streams.
        let members = format!(
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {} 0 R>>>>/Junk{}",
            number + 1,
            numbers(40_000)
        );
        file.add_stream(number, &members, b"/F Do");
    }
    file.finish()
}

fn long_keys() -> Vec<u8> {
    let pairs = "8 0 R 9 0 R ".repeat(90_000);
    let mut file = File::with("/Names<</EmbeddedFiles 7 0 R>>", "");
    file.add_objects(
        100,
        &[
            (7, format!("<</Names[{pairs}]>>")),
            (8, format!("({})", "k".repeat(30_000))),
            (9, "<</Type/Filespec/F(a)>>".to_owned()),
        ],
    );
    file.finish()
}

fn many_generations() -> Vec<u8> {
    let listed: String = (0..65_000)
        .map(|generation| format!("9 {generation} R "))
        .collect();
    let mut file = File::with("/AF 7 0 R", "");
    let specification = format!("<</Type/Filespec/F(a)/Junk{}>>", numbers(100_000));
    file.add_objects(100, &[(7, format!("[{listed}]")), (9, specification)]);
    file.finish()
}

/// A chain of sections that are all there and each large.
fn large_cross_references() -> Vec<u8> {
    let mut pdf = File::with("", "").finish();
    let rows = packed(&vec![0; 31 << 20]);
    let mut previous = pdf
        .windows(9)
        .rposition(|part| part == b"startxref")
        .unwrap();
    let text: String = pdf[previous + 10..]
        .iter()
        .map(|byte| char::from(*byte))
        .collect();
    previous = text.lines().next().unwrap().parse().unwrap();
    for number in 500..540 {
        let start = pdf.len();
        let head = format!(
            "{number} 0 obj\n<</Type/XRef/Root 1 0 R/ID[(a)(b)]/Size 1000/W[1 4 2]/Index[600 1]/Prev {previous}\
             /Filter/FlateDecode/Length {}>>\nstream\n",
            rows.len()
        );
        pdf.extend_from_slice(head.as_bytes());
        pdf.extend_from_slice(&rows);
        let tail = format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n");
        pdf.extend_from_slice(tail.as_bytes());
        previous = start;
    }
    pdf
}

fn many_tiny_objects() -> Vec<u8> {
    let mut file = File::with("", "");
    for stream in 0..8_u32 {
        let first = 10_000 + stream * 200_000;
        let objects: Vec<(u32, String)> = (first..first + 200_000)
            .map(|number| (number, "0".to_owned()))
            .collect();
        file.add_objects(10 + stream, &objects);
    }
    let mut pdf = file.finish();
    pdf.extend_from_slice(b"\n\n\n");
    pdf
}

fn fonts_with_one_cmap() -> Vec<u8> {
    let fonts: String = (1_000..2_000)
        .map(|number| format!("/F{number} {number} 0 R"))
        .collect();
    let mut file = File::with(
        "",
        &format!("/Contents 5 0 R/Resources<</Font<<{fonts}>>>>"),
    );
    let shown: String = (1_000..2_000)
        .map(|number| format!("/F{number} 9 Tf (a) Tj\n"))
        .collect();
    file.add_stream(5, "", shown.as_bytes());
    let ranges: String = (0..90_000)
        .map(|code| format!("<{code:08x}> 1\n"))
        .collect();
    let cmap = format!(
        "1 begincodespacerange <00000000><ffffffff> endcodespacerange\n1 begincidchar\n{ranges}endcidchar"
    );
    file.add_packed(6, "/Type/CMap/CMapName/Own", cmap.as_bytes());
    for number in 1_000..2_000 {
        let font = "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding 6 0 R/DescendantFonts[7 0 R]>>";
        file.add(number, font);
    }
    file.add(7, "<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(A)/Ordering(B)/Supplement 0>>>>");
    file.finish()
}

fn faults_with_long_names() -> Vec<u8> {
    let mut file = File::with("", "");
    let name = "n".repeat(200_000);
    let kids: String = (10..210).map(|number| format!("{number} 0 R ")).collect();
    file.rows.retain(|row| row.0 != 3);
    file.add(
        3,
        &format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Annots[{kids}]>>"),
    );
    for number in 10..210 {
        let text = format!("<</Type/Annot/Subtype/{name}/Rect[0 0 1 1]/A<</S/{name}>>>>");
        file.add_objects(1_000 + number, &[(number, text)]);
    }
    file.finish()
}

fn large_metadata() -> Vec<u8> {
    let mut file = File::with("/Metadata 5 0 R", "");
    let lines = "<dc:a>1</dc:a>".repeat(200_000);
    let packet = format!(
        "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>\
         <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
         xmlns:dc='urn:dc'>{lines}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
    );
    file.add_packed(5, "/Type/Metadata/Subtype/XML", packet.as_bytes());
    file.finish()
}

/// Annotations whose flags can be set right, each of them large.
fn large_edits() -> Vec<u8> {
    let mut file = File::with("", "");
    let kids: String = (10..210).map(|number| format!("{number} 0 R ")).collect();
    file.rows.retain(|row| row.0 != 3);
    file.add(
        3,
        &format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Annots[{kids}]>>"),
    );
    for number in 10..210 {
        let text = format!(
            "<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/Junk{}>>",
            numbers(20_000)
        );
        file.add_objects(1_000 + number, &[(number, text)]);
    }
    file.finish()
}

/// Specifications of one file.
fn attached(name: &str, data: &[u8]) -> Vec<u8> {
    let count = 9_000;
    let listed: String = (0..count)
        .map(|place| format!("{} 0 R ", 10_000 + place))
        .collect();
    let mut file = File::with("/AF 7 0 R", "");
    file.add(7, &format!("[{listed}]"));
    file.add_packed(8, "/Type/EmbeddedFile", data);
    let specification = format!("<</Type/Filespec/F({name})/EF<</F 8 0 R>>>>");
    let objects: Vec<(u32, String)> = (10_000..10_000 + count)
        .map(|number| (number, specification.clone()))
        .collect();
    file.add_objects(100, &objects);
    file.finish()
}

/// All of them are taken out when an invoice is put in.
fn many_invoices() -> Vec<u8> {
    attached("factur-x.xml", b"x")
}

fn long_guidelines() -> Vec<u8> {
    let guideline = "xrechnung".repeat(6_000);
    let invoice = format!(
        "<a:CrossIndustryInvoice xmlns:a='urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100' \
         xmlns:b='urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100'>\
         <a:ExchangedDocumentContext><b:GuidelineSpecifiedDocumentContextParameter><b:ID>{guideline}</b:ID>\
         </b:GuidelineSpecifiedDocumentContextParameter></a:ExchangedDocumentContext></a:CrossIndustryInvoice>"
    );
    attached("factur-x.xml", invoice.as_bytes())
}

/// Each node adds something to what it inherits.
fn inherited_by_many_nodes() -> Vec<u8> {
    let mut file = File::with("", "");
    file.rows.retain(|row| row.0 != 2);
    let nodes = 100;
    let kids: String = (0..nodes)
        .map(|node| format!("{} 0 R ", 100 + 2 * node))
        .collect();
    let resources = format!("<</ExtGState<</G {}>>>>", numbers(200_000));
    let root = format!("<</Type/Pages/Kids[{kids}]/Count {nodes}/Resources {resources}>>");
    let mut objects = vec![(2, root)];
    for node in (100..100 + 2 * nodes).step_by(2) {
        let page = node + 1;
        let text = format!("<</Type/Pages/Parent 2 0 R/Rotate 0/Kids[{page} 0 R]/Count 1>>");
        objects.push((node, text));
        let text = format!("<</Type/Page/Parent {node} 0 R/MediaBox[0 0 9 9]>>");
        objects.push((page, text));
    }
    file.add_objects(1_000, &objects);
    file.finish()
}

/// Every node has the same many kids.
fn waiting_names() -> Vec<u8> {
    let mut file = File::with("/Names<</EmbeddedFiles 10 0 R>>", "");
    let nodes = 100;
    let kids: String = (0..90_000)
        .map(|kid| format!("{} 0 R ", 10 + kid % nodes))
        .collect();
    let mut objects = vec![(9, format!("[{kids}]"))];
    objects.extend((10..10 + nodes).map(|node| (node, "<</Kids 9 0 R>>".to_owned())));
    file.add_objects(1_000, &objects);
    file.finish()
}

/// The last kid of each element is the next element, which is looked at first.
fn waiting_tags() -> Vec<u8> {
    let tags = "/MarkInfo<</Marked true>>/StructTreeRoot<</K 10 0 R>>/Metadata 5 0 R";
    let mut file = File::with(tags, "");
    let packet = "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>\
        <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
        xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/'><pdfaid:part>3</pdfaid:part><pdfaid:conformance>A\
        </pdfaid:conformance></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>";
    file.add_stream(5, "/Type/Metadata/Subtype/XML", packet.as_bytes());
    let kids = "0 ".repeat(240_000);
    for number in 10..40 {
        let text = format!("<</S/P/K[{kids}{} 0 R]>>", number + 1);
        file.add_objects(1_000 + number, &[(number, text)]);
    }
    file.finish()
}

/// Tables that each hide a stream with many rows.
fn hidden_cross_references() -> Vec<u8> {
    let mut file = File::with("", "");
    let rows = packed(&vec![0; 31 << 20]);
    let places = file.rows.clone();
    let mut previous = String::new();
    for number in 100..110 {
        let hidden = file.out.len();
        let head = format!(
            "{number} 0 obj\n<</Type/XRef/Size 0/W[1 4 2]/Filter/FlateDecode/Length {}>>\nstream\n",
            rows.len()
        );
        file.out.extend_from_slice(head.as_bytes());
        file.out.extend_from_slice(&rows);
        file.out.extend_from_slice(b"\nendstream\nendobj\n");
        let start = file.out.len();
        let mut table = "xref\n0 4\n0000000000 65535 f \n".to_owned();
        for (_, _, place) in &places {
            table.push_str(&format!("{place:010} 00000 n \n"));
        }
        table.push_str(&format!(
            "trailer\n<</Size 4/Root 1 0 R/XRefStm {hidden}{previous}>>\nstartxref\n{start}\n%%EOF\n"
        ));
        file.out.extend_from_slice(table.as_bytes());
        previous = format!("/Prev {start}");
    }
    file.out
}

fn many_attachments() -> Vec<u8> {
    let name = "n".repeat(20_000);
    nine_thousand("/Type/EmbeddedFile", |number| {
        format!("<</Type/Filespec/F({name}{number})/EF<</F 8 0 R>>>>")
    })
}

/// Specifications by their number, all of one stream, object 8.
fn nine_thousand(stream: &str, specification: impl Fn(u32) -> String) -> Vec<u8> {
    let listed: String = (10_000..19_000)
        .map(|number| format!("{number} 0 R "))
        .collect();
    let mut file = File::with("/AF 7 0 R", "");
    file.add(7, &format!("[{listed}]"));
    file.add_stream(8, stream, b"<a/>");
    for block in 0..30_u32 {
        let first = 10_000 + block * 300;
        let objects: Vec<(u32, String)> = (first..first + 300)
            .map(|number| (number, specification(number)))
            .collect();
        file.add_objects(100 + block, &objects);
    }
    file.finish()
}

/// The name is that of a member, not of the file.
fn long_member_name() -> Vec<u8> {
    let pairs = "()9 0 R".repeat(9_000);
    let catalog = format!("/Names<</EmbeddedFiles<</Names[{pairs}]>>>>");
    let mut file = File::with(&catalog, "");
    let specification = format!("<</Type/Filespec/F(a)/{} 1>>", "n".repeat(100_000));
    file.add_objects(100, &[(9, specification)]);
    file.finish()
}

fn long_media_type() -> Vec<u8> {
    let pairs = "()9 0 R".repeat(9_000);
    let catalog = format!("/Names<</EmbeddedFiles<</Names[{pairs}]>>>>");
    let mut file = File::with(&catalog, "");
    let members = format!("/Type/EmbeddedFile/Subtype/{}", "n".repeat(100_000));
    file.add_stream(8, &members, b"x");
    file.add(9, "<</Type/Filespec/F(a)/EF<</F 8 0 R>>>>");
    file.finish()
}

/// Each uses the resource of the page.
fn lacking_forms() -> Vec<u8> {
    let name = "n".repeat(500_000);
    let forms = 100..500;
    let named: String = forms
        .clone()
        .map(|form| format!("/F{form} {form} 0 R"))
        .collect();
    let mut file = File::with("", "/Contents 9 0 R/Resources 8 0 R");
    let resources = format!("<</ExtGState<</{name}<<>>>>/XObject<<{named}>>>>");
    file.add_objects(50, &[(8, resources)]);
    let drawn: String = forms.clone().map(|form| format!("/F{form} Do\n")).collect();
    file.add_stream(9, "", drawn.as_bytes());
    let content = format!("/{name} gs");
    for form in forms {
        let members = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
        file.add_packed(form, members, content.as_bytes());
    }
    file.finish()
}

/// What is known of them is held before and after the file is written again.
fn rewritten_attachments() -> Vec<u8> {
    let name = "n".repeat(700);
    let specification = format!(
        "<</Type/Filespec/F({name})/UF({name})/AFRelationship/Data/EF<</F 8 0 R/UF 8 0 R>>>>"
    );
    let stream = "/Type/EmbeddedFile/Subtype/text#2Fxml";
    let mut pdf = nine_thousand(stream, |_| specification.clone());
    pdf.extend_from_slice(b"\n\n\n");
    pdf
}
