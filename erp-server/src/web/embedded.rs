//! Serves web pages that are part of the program.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::page::{INDEX, PageFile, resource, type_of};
use super::{Application, Routes};

/// Adds the files of a page under `/{folder}/`; `/{folder}` itself is its `index.html`. Files of unknown types are left
/// out.
pub fn embedded<A: Application>(
    routes: Routes<A>,
    folder: &'static str,
    files: &[(&'static str, &[u8])],
) -> Routes<A> {
    let files: BTreeMap<&str, Arc<PageFile>> = files
        .iter()
        .filter_map(|(name, bytes)| {
            let file = PageFile::new(type_of(name)?, bytes.to_vec());
            Some((*name, Arc::new(file)))
        })
        .collect();
    routes.files(Box::new(move |path| {
        let name = match path.strip_prefix(folder)? {
            "" | "/" => INDEX,
            below => below.strip_prefix('/')?,
        };
        files.get(name).cloned().map(resource)
    }))
}

/// Files of a folder of this package, each with its name in that folder.
macro_rules! embedded_files {
    ($folder:literal; $($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name)))),+]
    };
}

pub(crate) use embedded_files;
