//! A long document: pages of text, each with its own content, resources and links.

use super::files::deflated;
use std::fmt::Write as _;

/// A PDF/A-3 page whose font has the digits 1, 4 and 7. The other pages are appended to it as an incremental update.
const BASE: &[u8] = include_bytes!("../../../../fixtures/zugferd/a3b.pdf");
/// Offset of its cross-reference table.
const BASE_TABLE: usize = 2486;
const ID: &str = "<5bbaa372016fbb5e97e0bc3b9efb6c63>";
/// The first free object number in it.
const FIRST: usize = 10;
/// Objects per page: the page, its content and its links.
const OBJECTS: usize = 6;

/// A PDF/A-3 file with this number of pages.
pub fn pages(pages: usize) -> Vec<u8> {
    let mut out = BASE.to_vec();
    let kids = (0..pages).map(|page| format!("{} 0 R ", FIRST + page * OBJECTS));
    let tree = format!(
        "<</Type/Pages/Count {pages}/Kids[{}]>>",
        kids.collect::<String>()
    );
    let tree = add(&mut out, 2, tree.as_bytes());
    let mut places = Vec::new();
    for page in 0..pages {
        let own = FIRST + page * OBJECTS;
        let links = (2..OBJECTS).map(|link| format!("{} 0 R ", own + link));
        let body = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {} 0 R/Annots[{}]\
             /Resources<</ProcSet[/PDF/Text]/Font<</F1 6 0 R/F2 6 0 R>>>>>>",
            own + 1,
            links.collect::<String>()
        );
        places.push(add(&mut out, own, body.as_bytes()));
        places.push(add(&mut out, own + 1, &content(page)));
        for link in 2..OBJECTS {
            let target = FIRST + (page * 7 + link) % pages * OBJECTS;
            let body = format!(
                "<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]/Rect[72 {0}0 300 {0}9.5]/Dest[{target} 0 R/XYZ 72 700 null]>>",
                link * 2
            );
            places.push(add(&mut out, own + link, body.as_bytes()));
        }
    }
    finish(out, tree, &places)
}

/// Adds an object and returns its offset.
fn add(out: &mut Vec<u8>, number: usize, body: &[u8]) -> usize {
    let at = out.len();
    out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
    out.extend_from_slice(body);
    out.extend_from_slice(b"\nendobj\n");
    at
}

fn finish(mut out: Vec<u8>, tree: usize, places: &[usize]) -> Vec<u8> {
    let start = out.len();
    let mut table = format!("xref\n2 1\n{tree:010} 00000 n \n{FIRST} {}\n", places.len());
    for place in places {
        let _ = writeln!(table, "{place:010} 00000 n ");
    }
    let size = FIRST + places.len();
    let _ = write!(
        table,
        "trailer\n<</Size {size}/Root 1 0 R/Prev {BASE_TABLE}/ID[{ID} {ID}]>>\nstartxref\n{start}\n%%EOF\n"
    );
    out.extend_from_slice(table.as_bytes());
    out
}

fn content(page: usize) -> Vec<u8> {
    let data = deflated(&text(page));
    let mut body = format!("<</Filter/FlateDecode/Length {}>>\nstream\n", data.len()).into_bytes();
    body.extend_from_slice(&data);
    body.extend_from_slice(b"\nendstream");
    body
}

/// About 19 kB of operators in the style of word processors: each line is marked content, and its ten words are
/// positioned separately.
fn text(page: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ page as u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut content = "0 0 0 rg\n".to_owned();
    for line in 0..98 {
        let (font, size, y) = (1 + line % 2, 8 + line % 3, 820 - line * 8);
        let _ = write!(
            content,
            "/P <</MCID {line}>> BDC\nq 0.1 0.2 {} rg\nBT\n/F{font} {size}.5 Tf\n1 0 0 1 72 {y}.{} Tm\n[",
            line % 2,
            random(100)
        );
        for _ in 0..10 {
            let word = (0..=random(12)).map(|_| ['1', '4', '7'][random(3) as usize % 3]);
            let word: String = word.collect();
            let _ = write!(content, "({word})-{}", random(400));
        }
        content.push_str("] TJ\nET\nQ\nEMC\n");
    }
    content
}
