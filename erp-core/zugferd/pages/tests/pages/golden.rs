//! Three pages as pictures. A changed layout is renewed with `UPDATE_GOLDEN=1` and looked at.

use super::XML;
use super::programs::{Kept, Picture, are_installed, decoded, encoded};
use super::samples::{german, lines, reverse_charge, swiss};
use erp_invoice_pages::{Invoice, Language, pages};

/// How far the middle colour of a block may be from the kept one: readers draw the edges of letters differently.
const TOLERANCE: usize = 24;
/// Pixels of a block in each direction.
const BLOCK: usize = 8;

fn compare(name: &str, invoice: &Invoice, page: usize) {
    if !are_installed() {
        return;
    }
    let pdf = pages(invoice, XML).unwrap();
    let seen = Kept::new(&pdf, name).picture(page, 50);
    let path = format!("{}/tests/golden/{name}.png", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, encoded(&seen)).unwrap();
    }
    let kept = decoded(&std::fs::read(&path).unwrap());
    assert_eq!((seen.width, seen.height), (kept.width, kept.height));
    assert_eq!(
        different(&seen, &kept),
        Vec::<(usize, usize)>::new(),
        "{name}"
    );
}

/// The blocks that look different.
fn different(seen: &Picture, kept: &Picture) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    for y in (0..seen.height).step_by(BLOCK) {
        for x in (0..seen.width).step_by(BLOCK) {
            let middle = |picture: &Picture| -> usize {
                let rows = y..(y + BLOCK).min(picture.height);
                let width = BLOCK.min(picture.width - x);
                let count = rows.len() * width * 3;
                let bytes = rows.flat_map(|row| {
                    let start = (row * picture.width + x) * 3;
                    &picture.pixels[start..start + width * 3]
                });
                bytes.map(|byte| usize::from(*byte)).sum::<usize>() / count
            };
            if middle(seen).abs_diff(middle(kept)) > TOLERANCE {
                blocks.push((x, y));
            }
        }
    }
    blocks
}

#[test]
fn the_german_invoice_looks_as_before() {
    compare("german", &german(), 1);
}

#[test]
fn a_middle_page_of_a_long_table_looks_as_before() {
    let mut invoice = reverse_charge();
    invoice.lines = lines(80);
    compare("long-table", &invoice, 2);
}

#[test]
fn the_swiss_bill_looks_as_before() {
    compare("swiss", &swiss(Language::German), 2);
}

#[test]
fn a_moved_letter_is_noticed() {
    let picture = |at: usize| {
        let mut pixels = vec![255; 32 * 32 * 3];
        for row in 0..6 {
            let start = ((at + row) * 32 + at) * 3;
            pixels[start..start + 9].fill(0);
        }
        Picture {
            width: 32,
            height: 32,
            pixels,
        }
    };
    assert!(different(&picture(1), &picture(1)).is_empty());
    assert!(!different(&picture(1), &picture(17)).is_empty());
}
