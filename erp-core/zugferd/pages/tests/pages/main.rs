//! Pages by the public names of the crate alone.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files; the library does not"
)]

#[cfg(test)]
mod alone;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod judged;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod qr_bill;
#[cfg(test)]
mod samples;

#[cfg(test)]
const XML: &[u8] = include_bytes!("../../../../../tests/fixtures/zugferd/xml/facturx-en16931.xml");
#[cfg(test)]
const XRECHNUNG: &[u8] =
    include_bytes!("../../../../../tests/fixtures/zugferd/xml/xrechnung-3.0.xml");
