//! The face of `erp-core` for browsers and node.

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the package, for example `0.1.0`.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    erp_core::VERSION.to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn version_is_the_version_of_the_core() {
        assert_eq!(super::version(), env!("CARGO_PKG_VERSION"));
    }
}
