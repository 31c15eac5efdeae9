//! `bindgen MODULE FOLDER`: writes the web module and its JavaScript for a module that rustc built.

use std::env;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: bindgen MODULE FOLDER".into());
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .omit_default_module_path(true)
        .remove_name_section(true)
        .typescript(true)
        .generate(folder)?;
    Ok(())
}
