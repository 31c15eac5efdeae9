use std::fs;

/// Memory, files and threads of the process; `None` where the system does not provide the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    pub resident_bytes: Option<u64>,
    pub open_files: Option<u64>,
    pub threads: Option<u64>,
}

impl Process {
    /// Reads the current values from `/proc`, which exists on Linux only.
    pub fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let open_files = fs::read_dir("/proc/self/fd").ok().map(Iterator::count);
        Self {
            resident_bytes: field(&status, "VmRSS:").map(|kib| kib.saturating_mul(1024)),
            // Reading the folder `/proc/self/fd` opens one descriptor itself.
            open_files: open_files.and_then(|count| u64::try_from(count.saturating_sub(1)).ok()),
            threads: field(&status, "Threads:"),
        }
    }
}

/// Parses the number in a line like `VmRSS:    9288 kB`.
fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let status = "Name:\terp\nVmRSS:\t    9288 kB\nThreads:\t7\n";
        assert_eq!(field(status, "VmRSS:"), Some(9288));
        assert_eq!(field(status, "Threads:"), Some(7));
        assert_eq!(field(status, "VmSwap:"), None);
        assert_eq!(field("VmRSS:\tmuch", "VmRSS:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_memory_and_files() {
        let now = Process::now();
        assert!(now.resident_bytes.is_some_and(|bytes| bytes > 100_000));
        assert!(now.threads.is_some_and(|threads| threads >= 1));
        let files: Vec<_> = (0..50).map(|_| tempfile::tempfile().unwrap()).collect();
        let more = Process::now().open_files.unwrap();
        assert!(more >= 50 + 3, "{more} of {}", files.len());
    }
}
