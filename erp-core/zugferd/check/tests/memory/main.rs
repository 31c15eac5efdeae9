//! Hostile invoices ask for no more memory than a fixed amount above their own size.

#[cfg(test)]
mod invoices;

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[cfg(test)]
mod tests {
    use super::{MEMORY, invoices};
    use erp_invoice_check::html::check_html;
    use erp_invoice_check::{CheckLimits, Language, read};
    use std::hint::black_box;

    const MOST: usize = 128 << 20;

    // rule: R-ZUG-38
    /// One test, so that nothing else is counted.
    #[test]
    fn hostile_invoices_take_no_more_than_128_mib() {
        for (name, make) in invoices::INVOICES {
            let invoice = make();
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            let limits = CheckLimits::DEFAULT;
            let page = check_html(invoice.as_bytes(), &limits, Language::German, name);
            drop(black_box(page));
            drop(black_box(read(invoice.as_bytes(), &limits)));
            let peak = MEMORY.peak_usage().saturating_sub(before);
            println!("{name}: {} kB", peak >> 10);
            assert!(peak <= MOST, "{name}: {peak}");
        }
    }
}
