//! Hostile files ask for no more memory than a fixed amount above their own size.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[cfg(test)]
mod hostile;

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[cfg(test)]
mod tests {
    use super::{MEMORY, hostile};
    use erp_zugferd::{CombineOptions, ExtractOptions, Limits, combine, extract, inspect, pdfa};
    use std::hint::black_box;
    use std::time::Instant;

    const MOST: usize = 128 << 20;
    const XML: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/zugferd/xml/facturx-basic.xml"
    );

    /// Bytes beyond what was in use before.
    fn peak(name: &str, work: impl FnOnce()) -> usize {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        work();
        let peak = MEMORY.peak_usage().saturating_sub(before);
        println!("{name}: {} kB, {:?}", peak >> 10, start.elapsed());
        peak
    }

    // rule: R-ZUG-38
    /// One test, so that nothing else is counted.
    #[test]
    fn hostile_files_take_no_more_than_128_mib() {
        let xml = std::fs::read(XML).unwrap();
        let mut wrong = Vec::new();
        for (name, make) in hostile::FILES {
            let pdf = make();
            println!("{name}: a file of {} kB", pdf.len() >> 10);
            let peaks = [
                peak("  extract", || {
                    drop(black_box(extract(&pdf, &ExtractOptions::default())));
                }),
                peak("  inspect", || {
                    drop(black_box(inspect(&pdf, &Limits::DEFAULT)));
                }),
                peak("  check", || {
                    drop(black_box(pdfa::check(&pdf, &Limits::DEFAULT.pdf)));
                }),
                peak("  combine", || {
                    drop(black_box(combine(&pdf, &xml, &CombineOptions::default())));
                }),
            ];
            // A claim that would cost too much does not cost the invoice.
            if hostile::COMBINED.contains(name) {
                let made = combine(&pdf, &xml, &CombineOptions::default()).unwrap();
                assert!(!made.pdfa.reasons().is_empty(), "{name}");
                let found = extract(&made.pdf, &ExtractOptions::default()).unwrap();
                assert!(found.xml == xml, "{name}");
            }
            if peaks.iter().any(|peak| *peak > MOST) {
                wrong.push(format!("{name}: {peaks:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
