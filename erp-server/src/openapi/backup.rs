//! `/admin/backup`.

use serde_json::json;

use super::headers::ATTACHMENT;
use super::operation::Described;
use super::schema::{bytes, data, object, text_of, whole};

/// Example of a SHA-256 digest.
const SHA256: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get("/admin/backup", "createBackup", "One state of the store with its media")
            .about("A compressed file with a checksum for each part; `erp-server verify` proves it, `erp-server restore` makes a store of it.")
            .admin()
            .fails(&[409])
            .answers_file(200, "The file", &[("application/gzip", bytes())])
            .tells(&[200], &[ATTACHMENT]),
        Described::post("/admin/backup/confirm", "confirmBackup", "Note that a backup was received and verified")
            .about("Journal files that the backup covers need not be kept any longer.")
            .admin()
            .fails(&[409])
            .json_body_of(
                object([("sha256", text_of(64).description("SHA-256 of the file").into())]).into(),
                json!({"sha256": SHA256}),
            )
            .answers(
                200,
                "The last commit in the backup",
                data(object([("revision", whole().into())]).into()),
                json!({"data": {"revision": 42}}),
            ),
    ]
}
