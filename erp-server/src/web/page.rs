//! Serves a folder of web pages at `/`, for the demo and for shops that want a single origin.
//!
//! Files are loaded at startup and again on SIGHUP. Requests are looked up among the loaded paths only, so path
//! traversal is impossible; unknown paths get 404.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use erp_core::media::BodyHash;
use salvo::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::{
    ApiError, ApiRequest, ApiResponse, Application, HeaderValue, Method, Resource, Routes,
    StaticBody,
};

pub(super) const INDEX: &str = "index.html";

/// Limit for all files together. This is for a web page, not for hosting archives.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum folder depth; deeper folders are skipped.
const DEEPEST: usize = 8;

/// Browsers may cache files but must revalidate them on each use.
const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

/// Pages may load only from this server. Images may also be `blob:` URLs, because scripts fetch images that
/// require a token.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob:; \
     object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Content types by file extension; other files are not served.
const TYPES: &str = include_str!("page_types.tsv");

#[derive(Debug, Error)]
pub enum PageError {
    #[error("the page folder: `{path}` cannot be read: {source}")]
    Unreadable { path: PathBuf, source: io::Error },
    /// The files together exceed 64 MiB.
    #[error("the page folder `{0}` holds more than {MOST_BYTES} bytes")]
    TooLarge(PathBuf),
}

/// Files of a folder, in memory. Links and hidden files are left out; paths of the interface come before files of the
/// same name.
#[derive(Debug)]
pub struct ShopPage {
    folder: PathBuf,
    files: RwLock<Files>,
}

/// Files by request path, without the leading slash.
type Files = BTreeMap<String, Arc<PageFile>>;

/// A file of a page, as it is sent.
#[derive(Debug)]
pub(super) struct PageFile {
    content_type: HeaderValue,
    tag: HeaderValue,
    body: Arc<StaticBody>,
}

impl ShopPage {
    /// Reads a folder recursively. Skips symbolic links, hidden files, unknown file types and names with characters
    /// other than ASCII letters, digits, `-`, `_` and `.`.
    /// Errors: when something cannot be read, or the files together exceed 64 MiB.
    pub fn read(folder: &Path) -> Result<Self, PageError> {
        Ok(Self {
            folder: folder.to_owned(),
            files: RwLock::new(read(folder)?),
        })
    }

    /// Reads the folder again. On failure the current files stay in use.
    pub fn reload(&self) -> Result<(), PageError> {
        let files = read(&self.folder)?;
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = files;
        Ok(())
    }

    /// Reads the folder again whenever a folder in it is replaced, until the server ends: what is built while a demo runs
    /// joins its page.
    pub async fn follow(self: Arc<Self>, part: &str) {
        let part = self.folder.join(part);
        let built = || fs::metadata(&part).and_then(|found| found.modified()).ok();
        let mut seen = built();
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let found = built();
            if found == seen {
                continue;
            }
            seen = found;
            let page = Arc::clone(&self);
            match tokio::task::spawn_blocking(move || page.reload()).await {
                Ok(Ok(())) => tracing::info!("the page was read again"),
                outcome => tracing::error!(?outcome, "the page stays as it was"),
            }
        }
    }

    /// Adds a route for every file, and `/` for `index.html`.
    pub fn routes<A: Application>(self: &Arc<Self>, routes: Routes<A>) -> Routes<A> {
        let page = Arc::clone(self);
        routes.files(Box::new(move |path| {
            let path = if path.is_empty() { INDEX } else { path };
            let files = page.files.read().unwrap_or_else(PoisonError::into_inner);
            files.get(path).cloned().map(resource)
        }))
    }
}

fn read(root: &Path) -> Result<Files, PageError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        |source| PageError::Unreadable { path, source }
    };
    let (mut files, mut length) = (Files::new(), 0);
    let mut folders = vec![(root.to_owned(), String::new(), DEEPEST)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(unreadable(&folder))? {
            let entry = entry.map_err(unreadable(&folder))?;
            let file_name = entry.file_name();
            let Some(name) = file_name.to_str().filter(|name| is_plain(name)) else {
                continue;
            };
            let path = entry.path();
            // Type of the entry itself: a symbolic link is neither file nor folder here.
            let kind = entry.file_type().map_err(unreadable(&path))?;
            if kind.is_dir() && depth > 0 {
                folders.push((path, format!("{prefix}{name}/"), depth - 1));
            } else if kind.is_file()
                && let Some(content_type) = type_of(name)
            {
                length += entry.metadata().map_err(unreadable(&path))?.len();
                if length > MOST_BYTES {
                    return Err(PageError::TooLarge(root.to_owned()));
                }
                let bytes = fs::read(&path).map_err(unreadable(&path))?;
                let file = Arc::new(PageFile::new(content_type, bytes));
                files.insert(format!("{prefix}{name}"), file);
            }
        }
    }
    Ok(files)
}

impl PageFile {
    pub(super) fn new(content_type: &'static str, bytes: Vec<u8>) -> Self {
        let hash = BodyHash::new(Sha256::digest(&bytes).into());
        Self {
            content_type: HeaderValue::from_static(content_type),
            tag: HeaderValue::try_from(format!("\"{hash}\"")).unwrap_or(REVALIDATED),
            body: StaticBody::new(bytes),
        }
    }

    fn answer(&self) -> ApiResponse {
        ApiResponse::shared(self.content_type.clone(), Arc::clone(&self.body))
            .header(ETAG, self.tag.clone())
            .header(CACHE_CONTROL, REVALIDATED)
            .header(CONTENT_SECURITY_POLICY, POLICY)
    }
}

pub(super) fn resource<A: Application>(file: Arc<PageFile>) -> Resource<A> {
    Resource::default().open(Method::GET, move |_app: Arc<A>, _request: ApiRequest| {
        let file = Arc::clone(&file);
        async move { Ok::<_, ApiError>(file.answer()) }
    })
}

fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.starts_with('.') && name.bytes().all(plain)
}

pub(super) fn type_of(name: &str) -> Option<&'static str> {
    let (_, end) = name.rsplit_once('.')?;
    let mut types = TYPES.lines().filter_map(|row| row.split_once('\t'));
    let (_, content_type) = types.find(|(known, _)| known.eq_ignore_ascii_case(end))?;
    Some(content_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(page: &ShopPage) -> Vec<String> {
        page.files.read().unwrap().keys().cloned().collect()
    }

    #[test]
    fn only_plain_files_of_known_types_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("part/deep")).unwrap();
        fs::create_dir_all(at(".git")).unwrap();
        for name in [
            "index.html",
            "part/deep/a.js",
            ".git/config.txt",
            ".hidden.html",
            "notes",
            "list.csv",
            "{all}.html",
            "a b.css",
            "ü.css",
        ] {
            fs::write(at(name), name).unwrap();
        }
        let page = ShopPage::read(folder.path()).unwrap();
        assert_eq!(paths(&page), ["index.html", "part/deep/a.js"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.txt"), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        };
        link(outside.path(), "folder");
        link(&outside.path().join("secret.txt"), "secret.txt");
        link(folder.path(), "itself");
        assert!(paths(&ShopPage::read(folder.path()).unwrap()).is_empty());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = ShopPage::read(Path::new("/no/such/page")).unwrap_err();
        assert!(
            error.to_string().contains("`/no/such/page` cannot be read"),
            "{error}"
        );
    }

    #[test]
    fn types_follow_the_end_of_the_name() {
        assert_eq!(type_of("a.min.JS"), Some("text/javascript; charset=utf-8"));
        assert_eq!(type_of("a.wasm"), Some("application/wasm"));
        assert_eq!(type_of("js"), None);
        assert_eq!(type_of("a.exe"), None);
    }
}
