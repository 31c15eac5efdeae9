//! The free list of what is written, by a reader that knows nothing but cross-reference tables.

#![expect(
    clippy::disallowed_methods,
    clippy::string_slice,
    reason = "tests read files, here as ASCII"
)]

#[cfg(test)]
mod tests {
    use erp_zugferd::{CombineOptions, Combined, PdfaOutcome, combine};
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/zugferd");

    fn read(name: &str) -> Vec<u8> {
        std::fs::read(format!("{FIXTURES}/{name}")).unwrap()
    }

    fn fixtures() -> Vec<PathBuf> {
        let entries = std::fs::read_dir(FIXTURES).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut pdfs: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|kind| kind == "pdf"))
            .collect();
        pdfs.sort();
        pdfs
    }

    fn combined(pdf: &[u8], xml: &str) -> Option<Combined> {
        let xml = read(&format!("xml/{xml}.xml"));
        combine(pdf, &xml, &CombineOptions::default()).ok()
    }

    /// A row of a table: offset or next free number, generation, `n` or `f`.
    type Row = (u64, u64, char);

    /// The rows of every table, the oldest first; `None` where a section is no table.
    fn tables(pdf: &[u8]) -> Option<Vec<Vec<(u64, Row)>>> {
        let text: String = pdf
            .iter()
            .map(|byte| {
                if byte.is_ascii() {
                    char::from(*byte)
                } else {
                    '?'
                }
            })
            .collect();
        let after = |at: usize, word: &str| {
            let rest = &text[at..];
            let rest = rest[rest.find(word)? + word.len()..].trim_start();
            let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
            rest[..end].parse::<usize>().ok()
        };
        let mut at = after(text.rfind("startxref")?, "startxref")?;
        let mut tables = Vec::new();
        // A file may lead in a circle.
        for _ in 0..20 {
            let end = at + text[at..].find("trailer")?;
            let mut words = text[at..end].split_whitespace();
            (words.next() == Some("xref")).then_some(())?;
            let mut rows = Vec::new();
            while let Some(first) = words.next() {
                let first: u64 = first.parse().ok()?;
                let count: u64 = words.next()?.parse().ok()?;
                for number in first..first + count {
                    let (offset, generation) = (words.next()?, words.next()?);
                    let kind = words.next()?.chars().next()?;
                    let row = (offset.parse().ok()?, generation.parse().ok()?, kind);
                    // Readers take such a first row for that of object 0 and renumber what follows.
                    let is_head = number == first && row == (0, 65_535, 'f');
                    assert!(number == 0 || !is_head, "a subsection starts with {row:?}");
                    rows.push((number, row));
                }
            }
            tables.push(rows);
            let dict = &text[end..end + text[end..].find("startxref")?];
            let Some(place) = dict.find("/Prev") else {
                tables.reverse();
                return Some(tables);
            };
            at = after(end + place, "/Prev")?;
        }
        None
    }

    /// The objects in use as a reader sees them that drops an object only for its own generation and one more.
    fn in_use(tables: &[Vec<(u64, Row)>]) -> BTreeMap<(u64, u64), u64> {
        let mut known = BTreeMap::new();
        for (number, (offset, generation, kind)) in tables.iter().flatten() {
            if *kind == 'n' {
                known.insert((*number, *generation), *offset);
            } else if let Some(before) = generation.checked_sub(1) {
                known.remove(&(*number, before));
            }
        }
        known
    }

    /// The free numbers in the order of the list that starts at object 0.
    fn free_list(tables: &[Vec<(u64, Row)>]) -> Vec<u64> {
        let newest: BTreeMap<u64, Row> = tables.iter().flatten().copied().collect();
        let mut list = Vec::new();
        let mut next = newest[&0].0;
        while next != 0 {
            assert!(!list.contains(&next), "the free list is a circle at {next}");
            list.push(next);
            let (following, _, kind) = newest[&next];
            assert_eq!(kind, 'f', "object {next} of the free list is in use");
            next = following;
        }
        list
    }

    /// Judges a result that began as `before`; returns whether it has tables.
    fn check(name: &str, before: &[u8], pdf: &[u8]) -> bool {
        let Some(tables) = tables(pdf) else {
            return false;
        };
        // Numbers that were free before may be in no list.
        let given = self::tables(before).unwrap_or_default();
        let given: BTreeMap<u64, Row> = given.into_iter().flatten().collect();
        let known = in_use(&tables);
        let newest: BTreeMap<u64, Row> = tables.iter().flatten().copied().collect();
        let list = free_list(&tables);
        for (number, (_, _, kind)) in &newest {
            let generations = known.range((*number, 0)..=(*number, u64::MAX)).count();
            assert_eq!(
                generations,
                usize::from(*kind == 'n'),
                "{name}: object {number}"
            );
            let is_free = *kind == 'f' && *number != 0;
            if given.get(number).is_none_or(|row| row.2 == 'n') {
                assert_eq!(list.contains(number), is_free, "{name}: object {number}");
            }
        }
        // An invoice that was replaced is not found by looking at all objects either.
        let is_invoice = |offset: &u64| {
            let object = &pdf[usize::try_from(*offset).unwrap()..];
            let end = object
                .windows(6)
                .position(|part| part == b"endobj")
                .unwrap();
            let object = String::from_utf8_lossy(&object[..end]).into_owned();
            object.contains("/Filespec") && object.contains("invoice data")
        };
        assert_eq!(
            known.values().filter(|at| is_invoice(at)).count(),
            1,
            "{name}"
        );
        true
    }

    // rule: R-ZUG-18
    // clause: 6.1.4
    #[test]
    fn what_was_combined_can_be_combined_again_with_a_true_free_list() {
        let mut judged = 0;
        for path in fixtures() {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let bytes = std::fs::read(&path).unwrap();
            let Some(first) = combined(&bytes, "facturx-basic") else {
                continue;
            };
            let second = combined(&first.pdf, "zugferd-1.0-comfort").unwrap();
            let third = combined(&second.pdf, "facturx-en16931").unwrap();
            if first.pdfa.reasons().is_empty() {
                for again in [&second, &third] {
                    assert_eq!(again.pdfa, PdfaOutcome::Kept, "{name}: {:?}", again.pdfa);
                    assert_eq!(
                        again.kept_bytes,
                        again.pdf.len() - appended(again),
                        "{name}"
                    );
                }
            }
            let made = [&first, &second, &third];
            judged += made
                .iter()
                .filter(|made| check(&name, &bytes, &made.pdf))
                .count();
        }
        assert!(judged > 150, "{judged} tables were judged");
    }

    fn appended(made: &Combined) -> usize {
        let mut bytes = made.steps.iter().filter_map(|step| match step {
            erp_zugferd::Step::Appended { bytes } => Some(*bytes),
            _ => None,
        });
        bytes.next().unwrap()
    }

    /// The file with the rows of its last table that free objects as they were written before: 65535 and no next one.
    fn freed_for_good(pdf: &[u8]) -> Vec<u8> {
        let mut changed = pdf.to_vec();
        let start = pdf
            .windows(6)
            .rposition(|part| part == b"\nxref\n")
            .unwrap();
        let mut rows = 0;
        for at in start..pdf.len() - 20 {
            let row = &pdf[at..at + 20];
            if row.ends_with(b" 00001 f \n") {
                changed[at..at + 20].copy_from_slice(b"0000000000 65535 f \n");
                rows += 1;
            }
        }
        assert_eq!(rows, 2);
        changed
    }

    // clause: 6.1.4
    #[test]
    fn rows_that_readers_misunderstand_are_written_again() {
        let made = combined(&read("hybrid-facturx-en16931.pdf"), "facturx-basic").unwrap();
        assert_eq!(made.pdfa, PdfaOutcome::Kept);
        let again = combined(&freed_for_good(&made.pdf), "facturx-en16931").unwrap();
        assert_eq!((again.pdfa.word(), again.kept_bytes), ("lifted", 0));
        assert!(check("again", &made.pdf, &again.pdf));
    }
}
