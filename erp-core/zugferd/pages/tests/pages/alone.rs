//! The crate stands alone: of the project only the writer of hybrid PDFs is below it, and few names are above it.

const MANIFEST: &str = include_str!("../../Cargo.toml");
const ROOT: &str = include_str!("../../src/lib.rs");

#[test]
fn only_the_writer_of_hybrids_is_used() {
    let (_, dependencies) = MANIFEST.split_once("[dependencies]").unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names: Vec<&str> = dependencies
        .lines()
        .filter_map(|line| line.split(['.', ' ']).next())
        .collect();
    assert!(names.contains(&"krilla"), "{names:?}");
    let own = names.into_iter().filter(|name| name.starts_with("erp-"));
    assert_eq!(own.collect::<Vec<_>>(), ["erp-zugferd"]);
}

#[test]
fn the_root_has_at_most_eight_public_names() {
    let lines = ROOT.lines().filter(|line| line.starts_with("pub "));
    let names: usize = lines
        .filter(|line| !line.contains("Readme"))
        .map(|line| {
            line.split('{')
                .nth(1)
                .filter(|_| line.starts_with("pub use"))
                .map_or(1, |list| list.split(',').count())
        })
        .sum();
    assert!((4..=8).contains(&names), "{names}");
}

#[test]
fn the_fonts_are_small_and_their_licence_is_beside_them() {
    let fonts = [
        include_bytes!("../../fonts/Sans-Regular.ttf").len(),
        include_bytes!("../../fonts/Sans-Bold.ttf").len(),
    ];
    assert!(fonts.iter().all(|bytes| *bytes <= 250_000), "{fonts:?}");
    let licence = include_str!("../../fonts/LICENSE-OFL");
    assert!(licence.contains("SIL OPEN FONT LICENSE Version 1.1"));
    assert!(licence.contains("Red Hat, Inc."));
}
