//! The interface of `erp-core` for browsers and node.
//!
//! Every function takes JSON texts and returns one: `{"data": ...}`, or the error body of the interface. The package in
//! `npm/` converts them to values and exceptions. No function panics: a panic would end the module.

#[cfg(feature = "address")]
pub mod address;
#[cfg(feature = "check")]
pub mod check;
#[cfg(any(feature = "check", feature = "zugferd"))]
mod encodings;
#[cfg(feature = "shop")]
pub mod shop;
#[cfg(feature = "zugferd")]
pub mod zugferd;

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the package, for example `0.1.0`.
#[wasm_bindgen]
pub fn version() -> String {
    erp_core::VERSION.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_the_version_of_the_core() {
        assert_eq!(version(), env!("CARGO_PKG_VERSION"));
    }
}
