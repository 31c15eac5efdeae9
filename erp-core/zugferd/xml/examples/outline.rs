//! Prints the elements of an XML file with their lines, or its first error.
//!
//! `cargo run -p erp-xml --example outline -- FILE.xml`
#![expect(
    clippy::disallowed_methods,
    reason = "the example reads a file; the library does not"
)]

use erp_xml::{Element, Tree, XmlLimits, text};

fn depth(element: Element<'_>) -> usize {
    std::iter::successors(element.parent(), |around| around.parent()).count()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: outline FILE.xml")?;
    let xml = std::fs::read(path)?;
    let text = text::decode(&xml, &XmlLimits::DEFAULT)?;
    let tree = Tree::parse(&text, &XmlLimits::DEFAULT)?;
    for element in tree.elements() {
        let (line, _) = element.position();
        let indent = "  ".repeat(depth(element));
        println!("{line:>6}  {indent}{}", element.name());
    }
    Ok(())
}
