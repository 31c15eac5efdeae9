//! Addresses and towns.

use erp_core::internal::offline;
use erp_core::town::Directory;
use wasm_bindgen::prelude::wasm_bindgen;

/// The problems of an address.
#[wasm_bindgen(js_name = validateAddress)]
pub fn validate_address(address: &str, strict: bool, language: &str) -> String {
    offline::validate_address(address, strict, language)
}

/// The towns that are known; none at first.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Towns(Directory);

#[wasm_bindgen]
impl Towns {
    /// No towns.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the towns of a file and returns the number of its names; they replace those of the same countries. The
    /// small build reads the compact form only.
    pub fn add(&mut self, file: &[u8]) -> String {
        #[cfg(feature = "shop")]
        let add = offline::add_towns;
        #[cfg(not(feature = "shop"))]
        let add = offline::add_compact_towns;
        add(&mut self.0, file)
    }

    /// Compares town and postal code of an address.
    pub fn check(&self, address: &str, language: &str) -> String {
        offline::check_town(&self.0, address, language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_towns_are_checked() {
        assert_eq!(
            validate_address("{}", false, "")
                .matches("required")
                .count(),
            14
        );
        let mut towns = Towns::new();
        let bern = r#"{"OrtLand":"CH","OrtPLZ":"3000","OrtName":"bern"}"#;
        assert!(towns.check(bern, "").contains("not_covered"));
        let file = "CH\n3000;Bern@BE\n";
        assert_eq!(towns.add(file.as_bytes()), r#"{"data":1}"#);
        assert!(towns.check(bern, "").contains(r#""to":"Bern""#));
    }
}
