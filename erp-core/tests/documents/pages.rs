//! Checks links between the documents, and the modules listed in ARCHITECTURE.md.

#[cfg(test)]
mod tests {
    use crate::page::{assert_none, files, page, root};

    /// All documents, including the README in the root folder.
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

    /// The files that a document links to, relative to its folder.
    fn links(text: &str) -> impl Iterator<Item = &str> {
        let targets = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let here = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
        here.map(|target| target.split('#').next().unwrap_or_default())
    }

    #[test]
    fn links_between_the_pages_lead_somewhere() {
        let mut wrong = Vec::new();
        for path in pages() {
            let text = std::fs::read_to_string(&path).unwrap();
            let missing = links(&text).filter(|file| !path.parent().unwrap().join(file).exists());
            wrong.extend(missing.map(|file| format!("{}: `{file}`", path.display())));
        }
        assert_none(&wrong);
    }

    /// The Debian package contains the README, `docs` and `demo` of the server, and nothing else of the project.
    #[test]
    fn links_of_the_servers_pages_stay_inside_its_package() {
        let server = root().join("erp-server").canonicalize().unwrap();
        let shipped = ["README.md", "docs", "demo"].map(|name| server.join(name));
        let mut all = vec![server.join("README.md")];
        all.extend(
            ["erp-server/docs", "erp-server/demo"]
                .map(|folder| files(folder, &[".md"]))
                .concat(),
        );
        assert!(all.len() > 10, "{all:?}");
        let mut wrong = Vec::new();
        for path in all {
            let text = std::fs::read_to_string(&path).unwrap();
            let outside = links(&text).filter(|file| {
                let target = path.parent().unwrap().join(file).canonicalize();
                !target.is_ok_and(|target| shipped.iter().any(|place| target.starts_with(place)))
            });
            wrong.extend(outside.map(|file| format!("{}: `{file}`", path.display())));
        }
        assert_none(&wrong);
    }

    /// Doctests hide lines that start with `#`, but readers of the document see them.
    #[test]
    fn code_of_the_pages_has_no_hidden_lines() {
        let mut wrong = Vec::new();
        for path in pages() {
            let text = std::fs::read_to_string(&path).unwrap();
            let blocks = text.split("```rust").skip(1);
            let lines = blocks.flat_map(|rest| rest.split("```").next().unwrap().lines());
            let hidden = lines.filter(|line| line.trim_start().starts_with("# "));
            wrong.extend(hidden.map(|line| format!("{}: `{line}`", path.display())));
        }
        assert_none(&wrong);
    }

    /// Nor do the comments of the sources hide what a program has to write.
    #[test]
    fn code_of_the_comments_has_no_hidden_lines() {
        let mut wrong = Vec::new();
        for path in ["erp-core", "erp-server"]
            .map(|folder| files(folder, &[".rs"]))
            .concat()
        {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut block = None;
            for line in text.lines().map(str::trim_start) {
                let comment = line
                    .strip_prefix("///")
                    .or_else(|| line.strip_prefix("//!"));
                let comment = comment.unwrap_or_default().trim_start();
                if comment.starts_with("```") {
                    block = block.is_none().then_some(comment);
                } else if block.is_some_and(|start| start != "```text") && comment.starts_with("# ")
                {
                    wrong.push(format!("{}: `{line}`", path.display()));
                }
            }
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
