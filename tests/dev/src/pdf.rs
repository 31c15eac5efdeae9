//! Tiny PDFs for tests.

/// A PDF of these objects (number and text) and streams (number, members of the dictionary, data); object 1 is the
/// catalog. Frame, trailer and `/ID` are as PDF/A wants them.
#[must_use]
pub fn pdf(objects: &[(u32, &str)], streams: &[(u32, &str, &[u8])]) -> Vec<u8> {
    let mut bodies: Vec<(u32, Vec<u8>)> = objects
        .iter()
        .map(|(number, text)| (*number, text.as_bytes().to_vec()))
        .collect();
    bodies.extend(streams.iter().map(|(number, members, data)| {
        let head = format!("<</Length {} {members}>>\nstream\n", data.len());
        (*number, [head.as_bytes(), data, b"\nendstream"].concat())
    }));
    bodies.sort_by_key(|(number, _)| *number);
    let mut out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let mut rows = vec![(0, "0000000000 65535 f \n".to_owned())];
    for (number, body) in bodies {
        rows.push((number, format!("{:010} 00000 n \n", out.len())));
        out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        out.extend_from_slice(&body);
        out.extend_from_slice(b"\nendobj\n");
    }
    let start = out.len();
    out.extend_from_slice(b"xref\n");
    let size = rows.iter().map(|(number, _)| number + 1).max().unwrap_or(1);
    for (number, row) in rows {
        out.extend_from_slice(format!("{number} 1\n{row}").as_bytes());
    }
    let trailer =
        format!("trailer\n<</Size {size}/Root 1 0 R/ID[(a)(b)]>>\nstartxref\n{start}\n%%EOF\n");
    out.extend_from_slice(trailer.as_bytes());
    out
}
