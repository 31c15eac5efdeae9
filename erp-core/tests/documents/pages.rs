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
        let own = [
            "README.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
        ];
        pages.extend(own.map(|name| root().join(name)));
        assert!(pages.len() >= 28, "{pages:?}");
        pages
    }

    #[test]
    fn every_page_is_in_the_summary_of_the_site_once() {
        let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
        let mut listed: Vec<_> = links(&summary)
            .map(|link| root().join(link).canonicalize().unwrap())
            .collect();
        // The npm package brings copies where it is built.
        let built = ["erp-wasm/dist", "examples/shop/erp-wasm"].map(|name| root().join(name));
        let mut there: Vec<_> = pages()
            .iter()
            .filter(|page| !built.iter().any(|folder| page.starts_with(folder)))
            .map(|page| page.canonicalize().unwrap())
            .collect();
        listed.sort_unstable();
        there.sort_unstable();
        assert_eq!(listed, there);
    }

    /// The pictures of the README, which `tests/wasm/pictures.mjs` and `bench --picture` make, are there and small.
    #[test]
    fn the_readme_shows_small_pictures() {
        let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
        let shown: Vec<&str> = links(&readme)
            .filter(|link| link.starts_with("pictures/"))
            .collect();
        assert_eq!(shown.len(), 4, "{shown:?}");
        for picture in shown {
            let size = std::fs::metadata(root().join(picture)).unwrap().len();
            assert!((1_000..60_000).contains(&size), "{picture}: {size} bytes");
        }
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

    /// The part after `#` of the link to a heading.
    fn anchor(heading: &str) -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
        let kept: String = heading.chars().filter(kept).collect();
        kept.trim().to_lowercase().replace(' ', "-")
    }

    #[test]
    fn links_lead_to_headings_that_exist() {
        let (mut wrong, mut count) = (Vec::new(), 0);
        for path in pages() {
            let text = std::fs::read_to_string(&path).unwrap();
            let links = text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next());
            for link in links.filter(|link| !link.contains("://")) {
                let Some((file, name)) = link.split_once('#') else {
                    continue;
                };
                count += 1;
                let target = match file {
                    "" => path.clone(),
                    file => path.parent().unwrap().join(file),
                };
                let target = std::fs::read_to_string(target).unwrap();
                let mut headings = target.lines().filter(|line| line.starts_with('#'));
                if !headings.any(|line| anchor(line.trim_start_matches('#')) == name) {
                    wrong.push(format!("{}: `{link}`", path.display()));
                }
            }
        }
        assert!(count > 10, "{count}");
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
