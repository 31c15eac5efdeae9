//! Loads the recorder into processes.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Minimum duration of each sync of a recorded process, so that other threads write in the meantime.
const SYNC_MICROS: &str = "200";

/// The compiled recorder, and a fast folder for files of tests.
#[derive(Debug)]
pub struct Recorder {
    place: TempDir,
    library: PathBuf,
}

impl Recorder {
    /// Compiles the recorder.
    ///
    /// # Errors
    /// The reason why processes cannot be recorded on this machine.
    pub fn new() -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("only Linux loads the recorder".to_owned());
        }
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let place = fast_folder();
        let library = place.path().join("record.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("power/record.c");
        let output = Command::new(&compiler)
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o"])
            .arg(&library)
            .arg(source)
            .args(["-ldl", "-lpthread"])
            .output()
            .map_err(|error| format!("there is no C compiler `{}`: {error}", compiler.display()))?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaints}");
        Ok(Self { place, library })
    }

    /// A folder for recorded files, images and logs.
    #[must_use]
    pub fn place(&self) -> &Path {
        self.place.path()
    }

    /// Sets a command up for recording: everything it does in `root` is written to `log`.
    pub fn record(&self, command: &mut Command, root: &Path, log: &Path) {
        let root = root.canonicalize().expect("the root exists");
        command
            .env("LD_PRELOAD", &self.library)
            .env("POWER_ROOT", root)
            .env("POWER_LOG", log)
            .env("POWER_SYNC_MICROS", SYNC_MICROS);
    }
}

/// A folder in memory where the system has one: durability is decided by the log, not by the real disk.
fn fast_folder() -> TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    let folder = memory.or_else(|_| tempfile::tempdir());
    folder.expect("there is a place for temporary files")
}
