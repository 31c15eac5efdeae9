//! Damage to records that the files themselves do not reveal.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

/// Flips a bit in a record of a closed store, corrects sled's checksum, and updates the note of the proper shutdown to
/// the changed file, so that the next start trusts it.
pub fn damage_unseen(data: &Path, sled_segment_bytes: usize, key: &[u8]) {
    let folder = data.join("sled");
    let db = sled::Config::new()
        .path(&folder)
        .segment_size(sled_segment_bytes)
        .open()
        .expect("the store is closed");
    let value = db.get(key).expect("sled reads");
    let mut value = value.expect("there is such a record").to_vec();
    *value.last_mut().expect("a record has bytes") ^= 1;
    db.insert(key, value).expect("sled writes");
    db.flush().expect("sled writes");
    drop(db);
    let state = |name: &str| {
        let found = fs::metadata(folder.join(name)).expect("sled has the file");
        let changed = found.modified().expect("a file has a time");
        let changed = changed.duration_since(SystemTime::UNIX_EPOCH);
        let changed = changed.expect("the time is after 1970").as_nanos();
        format!("{name} {} {changed}\n", found.len())
    };
    let closed = data.join("CLOSED");
    let text = fs::read_to_string(&closed).expect("the store was closed");
    let (before, _) = text.split_once("conf ").expect("the note names the file");
    let text = format!("{before}{}{}", state("conf"), state("db"));
    let checksum = xxh3_64(text.as_bytes());
    fs::write(closed, format!("{text}checksum {checksum:016x}\n")).expect("the note is written");
}
