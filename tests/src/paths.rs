//! The paths of the server.

use erp_server::resources::{self, App};
use erp_server::web::Routes;

/// Every path of the server as it is declared, with its `Allow`.
#[must_use]
pub fn templates() -> Vec<(&'static str, String)> {
    let routes: Routes<App> = resources::routes();
    let listed = routes.listed();
    listed
        .map(|(path, allow)| (path, allow.to_str().expect("ASCII").to_owned()))
        .collect()
}

/// Every path of the server with its `Allow`. Parameters are filled with a number that does not exist.
#[must_use]
pub fn paths() -> Vec<(String, String)> {
    let filled = |path: &str| {
        let segments = path.split('/').map(|segment| {
            if segment.starts_with('{') {
                "999999"
            } else {
                segment
            }
        });
        segments.collect::<Vec<_>>().join("/")
    };
    templates()
        .into_iter()
        .map(|(path, allow)| (filled(path), allow))
        .collect()
}
