//! PDF files of the sizes that are measured, made here.

use std::fmt::Write as _;

/// A file that is measured.
pub struct Sample {
    /// Its name in the table.
    pub name: &'static str,
    /// Its bytes.
    pub pdf: Vec<u8>,
    /// How many times it is combined in one measurement.
    pub rounds: u32,
}

/// All samples, the small ones first.
pub fn samples() -> Vec<Sample> {
    vec![
        Sample {
            name: "45 kB",
            pdf: pictures(1, 40_000, 3),
            rounds: 200,
        },
        Sample {
            name: "3.4 MB",
            pdf: pictures(10, 330_000, 30),
            rounds: 50,
        },
        Sample {
            name: "100 MB, 100 streams",
            pdf: pictures(100, 1_000_000, 5),
            rounds: 5,
        },
        Sample {
            name: "400,000 objects",
            pdf: objects(400_000),
            rounds: 3,
        },
    ]
}

/// The same samples without their claim of PDF/A, by name.
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
            let _ = write!(table, "{place:010} 00000 n \n");
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

/// Bytes no filter can make smaller.
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

/// One page for each picture, with some lines drawn around it.
fn pictures(pages: usize, bytes: usize, lines: usize) -> Vec<u8> {
    let mut pdf = Writer {
        out: b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec(),
        places: Vec::new(),
    };
    let root = pdf.object(b"<</Type/Catalog/Pages 2 0 R>>");
    let numbers: Vec<usize> = (0..pages).map(|page| 3 + page * 3).collect();
    let kids: Vec<String> = numbers
        .iter()
        .map(|number| format!("{number} 0 R"))
        .collect();
    pdf.object(format!("<</Type/Pages/Count {pages}/Kids[{}]>>", kids.join(" ")).as_bytes());
    let side = bytes / 3 / 100;
    for (place, number) in numbers.iter().enumerate() {
        let page = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</I {} 0 R>>>>/Contents {} 0 R>>",
            number + 1,
            number + 2
        );
        pdf.object(page.as_bytes());
        let dict = format!(
            "/Type/XObject/Subtype/Image/Width 100/Height {side}/ColorSpace/DeviceRGB/BitsPerComponent 8"
        );
        pdf.stream(&dict, &noise(side * 300, place));
        let mut content = "q 500 0 0 500 50 50 cm /I Do Q\n".to_owned();
        for line in 0..lines {
            let _ = writeln!(content, "0.1 0.2 0.3 RG {line} 10.5 m 200 {line} l S");
        }
        pdf.stream("", content.as_bytes());
    }
    pdf.finish(root)
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
