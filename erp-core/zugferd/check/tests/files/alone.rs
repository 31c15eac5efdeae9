//! The crate stands alone: no other crate of the project is below it, and few names are above it.

#[cfg(test)]
mod tests {
    const MANIFEST: &str = include_str!("../../Cargo.toml");
    const ROOT: &str = include_str!("../../src/lib.rs");

    #[test]
    fn no_crate_of_the_project_is_used() {
        let (_, dependencies) = MANIFEST.split_once("[dependencies]").unwrap();
        let names: Vec<&str> = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ']).next())
            .collect();
        assert!(names.contains(&"serde"), "{names:?}");
        assert!(
            !names.iter().any(|name| name.starts_with("erp-")),
            "{names:?}"
        );
    }

    #[test]
    fn the_root_has_at_most_eight_public_names() {
        let lines = ROOT.lines().filter(|line| line.starts_with("pub "));
        let names: usize = lines
            .filter(|line| !line.contains("Readme"))
            .map(|line| {
                line.split('{')
                    .nth(1)
                    .map_or(1, |list| list.split(',').count())
            })
            .sum();
        assert!((1..=8).contains(&names), "{names}");
    }
}
