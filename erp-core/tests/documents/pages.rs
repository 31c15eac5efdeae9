//! Links between the pages, and the modules that ARCHITECTURE.md names.

#[cfg(test)]
mod tests {
    use crate::page::{assert_none, files, page, root};

    /// All pages, also the README in the top folder.
    fn pages() -> Vec<std::path::PathBuf> {
        let folders = ["erp-core", "erp-server", "erp-wasm", "examples", "tests"];
        let mut pages: Vec<_> = folders
            .iter()
            .flat_map(|folder| files(folder, &[".md"]))
            .collect();
        pages.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
        assert!(pages.len() >= 28, "{pages:?}");
        pages
    }

    #[test]
    fn links_between_the_pages_lead_somewhere() {
        let mut wrong = Vec::new();
        for path in pages() {
            let text = std::fs::read_to_string(&path).unwrap();
            let targets = text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next());
            let here = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
            let files = here.map(|target| target.split('#').next().unwrap_or_default());
            let missing = files.filter(|file| !path.parent().unwrap().join(file).exists());
            wrong.extend(missing.map(|file| format!("{}: `{file}`", path.display())));
        }
        assert_none(&wrong);
    }

    #[test]
    fn architecture_names_every_module() {
        let map = page("docs/ARCHITECTURE.md");
        let mut missing = Vec::new();
        for folder in ["erp-core/src", "erp-server/src"] {
            for entry in std::fs::read_dir(root().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let stem = path.file_stem().unwrap().to_str().unwrap();
                if !["lib", "main"].contains(&stem) && !map.contains(&format!("`{stem}`")) {
                    missing.push(format!("{folder}/{stem}"));
                }
            }
        }
        assert_none(&missing);
    }
}
