//! Generates the PDF files that are measured, in several sizes.

use std::fmt::Write as _;
use std::io::Write as _;

pub struct Sample {
    /// The name in the table.
    pub name: &'static str,
    pub pdf: Vec<u8>,
    /// How often the file is combined in one measurement.
    pub rounds: u32,
}

/// All samples, the small ones first.
pub fn samples() -> Vec<Sample> {
    vec![
        Sample {
            name: "45 kB",
            pdf: pages(1, 25_000, 120),
            rounds: 200,
        },
        Sample {
            name: "3.4 MB",
            pdf: pages(80, 30_000, 100),
            rounds: 50,
        },
        Sample {
            name: "3.4 MB, rewritten",
            pdf: without_binary_comment(pages(80, 30_000, 100)),
            rounds: 50,
        },
        Sample {
            name: "100 MB, 100 streams",
            pdf: pages(100, 1_000_000, 0),
            rounds: 5,
        },
        Sample {
            name: "5,100 pages",
            pdf: super::long::pages(5_100),
            rounds: 5,
        },
        Sample {
            name: "400,000 objects",
            pdf: objects(400_000),
            rounds: 3,
        },
    ]
}

/// The sample with this name, without its PDF/A identification.
pub fn sample(name: &str) -> Option<Sample> {
    samples().into_iter().find(|sample| sample.name == name)
}

struct Writer {
    out: Vec<u8>,
    places: Vec<usize>,
}

impl Writer {
    fn object(&mut self, body: &[u8]) -> usize {
        self.places.push(self.out.len());
        let number = self.places.len();
        self.out
            .extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        self.out.extend_from_slice(body);
        self.out.extend_from_slice(b"\nendobj\n");
        number
    }

    fn stream(&mut self, dict: &str, data: &[u8]) -> usize {
        let mut body = format!("<<{dict}/Length {}>>\nstream\n", data.len()).into_bytes();
        body.extend_from_slice(data);
        body.extend_from_slice(b"\nendstream");
        self.object(&body)
    }

    fn finish(mut self, root: usize) -> Vec<u8> {
        let start = self.out.len();
        let size = self.places.len() + 1;
        let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
        for place in &self.places {
            let _ = writeln!(table, "{place:010} 00000 n ");
        }
        let id = "<00112233445566778899AABBCCDDEEFF>";
        let _ = write!(
            table,
            "trailer\n<</Size {size}/Root {root} 0 R/ID [{id} {id}]>>\nstartxref\n{start}\n%%EOF\n"
        );
        self.out.extend_from_slice(table.as_bytes());
        self.out
    }
}

/// Bytes that no filter can compress.
fn noise(length: usize, seed: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ seed as u64;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Removes the bytes above 127 from the second line. PDF/A requires them, so the file has to be rewritten.
fn without_binary_comment(mut pdf: Vec<u8>) -> Vec<u8> {
    for byte in pdf.iter_mut().skip(10).take(4) {
        *byte = b'x';
    }
    pdf
}

/// Pages like those of an invoice: a picture, lines and numbers in a compressed content stream, and tags.
fn pages(pages: usize, picture_bytes: usize, tags: usize) -> Vec<u8> {
    let mut pdf = Writer {
        out: b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec(),
        places: Vec::new(),
    };
    let objects = 3 + tags;
    let first = |page: usize| 4 + page * objects;
    let root =
        pdf.object(b"<</Type/Catalog/Pages 2 0 R/StructTreeRoot 3 0 R/MarkInfo<</Marked true>>>>");
    let list = |offset: usize| -> String {
        let all = (0..pages).map(|page| format!("{} 0 R ", first(page) + offset));
        all.collect()
    };
    pdf.object(format!("<</Type/Pages/Count {pages}/Kids[{}]>>", list(0)).as_bytes());
    let tops = if tags == 0 { String::new() } else { list(3) };
    pdf.object(format!("<</Type/StructTreeRoot/K[{tops}]>>").as_bytes());
    for page in 0..pages {
        let own = first(page);
        let body = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</I {} 0 R>>>>/Contents {} 0 R>>",
            own + 1,
            own + 2
        );
        pdf.object(body.as_bytes());
        let side = picture_bytes / 300;
        let dict = format!(
            "/Type/XObject/Subtype/Image/Width 100/Height {side}/ColorSpace/DeviceRGB/BitsPerComponent 8"
        );
        pdf.stream(&dict, &noise(side * 300, page));
        pdf.stream("/Filter/FlateDecode", &deflated(&drawing(page)));
        for tag in 0..tags {
            let kids = if tag == 0 {
                (1..tags)
                    .map(|tag| format!("{} 0 R ", own + 3 + tag))
                    .collect()
            } else {
                tag.to_string()
            };
            let parent = if tag == 0 { 3 } else { own + 3 };
            let body = format!("<</Type/StructElem/S/P/P {parent} 0 R/Pg {own} 0 R/K[{kids}]>>");
            pdf.object(body.as_bytes());
        }
    }
    pdf.finish(root)
}

/// About 4 kB of operators.
fn drawing(page: usize) -> String {
    let mut content = "q 500 0 0 500 50 50 cm /I Do Q\n".to_owned();
    for line in 0..100 {
        let _ = writeln!(
            content,
            "0.1 0.2 0.3 RG {} 10.5 m 200.25 {line} l S",
            line * page % 500
        );
    }
    content
}

/// Compresses the bytes of a stream for `FlateDecode`.
pub fn deflated(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    let written = encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish());
    written.expect("memory takes everything")
}

/// Many small objects that are all reachable.
fn objects(count: usize) -> Vec<u8> {
    let mut pdf = Writer {
        out: b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec(),
        places: Vec::new(),
    };
    let root = pdf.object(b"<</Type/Catalog/Pages 2 0 R/PieceInfo 4 0 R>>");
    pdf.object(b"<</Type/Pages/Count 1/Kids[3 0 R]>>");
    pdf.object(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>");
    for number in 4..count {
        let body = format!(
            "<</Name/Entry{number}/Kind/Small/Title(entry number {number})/Values[1 2 3 4.5 -6]/Next {} 0 R>>",
            number + 1
        );
        pdf.object(body.as_bytes());
    }
    pdf.object(b"<</Kind/Last>>");
    pdf.finish(root)
}
