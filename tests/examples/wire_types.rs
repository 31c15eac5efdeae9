//! Prints the TypeScript types of the interface.
//!
//! `cargo run -p erp-tests --example wire_types > erp-wasm/npm/src/wire.ts`

fn main() {
    print!("{}", erp_tests::wire_types::wire_types());
}
