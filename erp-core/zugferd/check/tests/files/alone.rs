//! The crate stands alone: of the project only the reader of XML is below it, and few names are above it.

#[cfg(test)]
mod tests {
    const MANIFEST: &str = include_str!("../../Cargo.toml");
    const ROOT: &str = include_str!("../../src/lib.rs");

    #[test]
    fn only_the_reader_of_xml_is_used() {
        let (_, dependencies) = MANIFEST.split_once("[dependencies]").unwrap();
        let (dependencies, _) = dependencies.split_once("\n[").unwrap();
        let names: Vec<&str> = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ']).next())
            .collect();
        assert!(names.contains(&"serde"), "{names:?}");
        let own = names.into_iter().filter(|name| name.starts_with("erp-"));
        assert_eq!(own.collect::<Vec<_>>(), ["erp-xml"]);
    }

    #[test]
    fn the_root_has_at_most_ten_public_names() {
        let lines = ROOT.lines().filter(|line| line.starts_with("pub "));
        let names: usize = lines
            .filter(|line| !line.contains("Readme"))
            .map(|line| {
                line.split('{')
                    .nth(1)
                    .map_or(1, |list| list.split(',').count())
            })
            .sum();
        assert!((1..=10).contains(&names), "{names}");
    }
}
