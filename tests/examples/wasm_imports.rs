//! Prints what a WebAssembly module imports and refuses imports from `env`: those are functions of an
//! operating system, and a browser has none.
//!
//! `cargo run -p erp-tests --example wasm_imports FILE`

use std::process::ExitCode;

use wasmparser::{Parser, Payload};

fn imports(module: &[u8]) -> Result<Vec<(String, String)>, wasmparser::BinaryReaderError> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ImportSection(section) = payload? {
            for import in section.into_imports() {
                let import = import?;
                found.push((import.module.to_owned(), import.name.to_owned()));
            }
        }
    }
    Ok(found)
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("name a WebAssembly module");
        return ExitCode::from(2);
    };
    let found = std::fs::read(&file)
        .map_err(|error| error.to_string())
        .and_then(|module| imports(&module).map_err(|error| error.to_string()));
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            eprintln!("`{file}` cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    for (module, name) in &found {
        println!("{module} {name}");
    }
    if found.iter().any(|(module, _)| module == "env") {
        eprintln!("`{file}` imports from `env`");
        return ExitCode::FAILURE;
    }
    println!("{} imports, none from `env`", found.len());
    ExitCode::SUCCESS
}
