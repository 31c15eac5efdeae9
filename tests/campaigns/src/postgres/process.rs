//! The processes of a running database, and a process that cleans up after the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use erp_tests::wait::PATIENCE;

/// The main process of a database.
#[derive(Debug)]
pub(super) struct Postmaster {
    id: u32,
    ended: Arc<(Mutex<bool>, Condvar)>,
}

impl Postmaster {
    /// Starts the process from a thread that lives as long as this test process: Linux kills the child when that thread
    /// ends.
    pub(super) fn start(mut command: Command) -> Self {
        let ended = Arc::new((Mutex::new(false), Condvar::new()));
        let (started, id) = mpsc::channel();
        let state = Arc::clone(&ended);
        thread::spawn(move || {
            let mut child = command.spawn().expect("setpriv starts");
            let _ = started.send(child.id());
            let _ = child.wait();
            *state.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            state.1.notify_all();
        });
        let id = id.recv().expect("the database starts");
        Self { id, ended }
    }

    pub(super) const fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn has_ended(&self) -> bool {
        *self.ended.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for its end; returns whether it has ended in time.
    pub(super) fn wait(&self, patience: Duration) -> bool {
        let ended = self.ended.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .ended
            .1
            .wait_timeout_while(ended, patience, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn signal(&self, signal: Signal) {
        if !self.has_ended() {
            send(self.id, signal);
        }
    }

    /// Kills the process and all its children.
    pub(super) fn kill_all(&self) {
        if !self.has_ended() {
            kill_with_children(self.id);
        }
        assert!(self.wait(PATIENCE), "a killed database ends");
    }
}

/// Kills a process and all its children.
pub(super) fn kill_with_children(id: u32) {
    // While it is stopped it cannot start more children.
    send(id, Signal::STOP);
    let mut killed = children(id);
    killed.insert(0, id);
    for process in &killed {
        send(*process, Signal::KILL);
    }
    let started = Instant::now();
    while killed.iter().any(|process| lives(*process)) {
        assert!(started.elapsed() < PATIENCE, "killed processes end");
        thread::sleep(Duration::from_millis(2));
    }
}

pub(super) fn send(id: u32, signal: Signal) {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    // The process may have ended in the meantime.
    let _ = id.map(|id| kill_process(id, signal));
}

/// State and parent of a process.
fn state(id: u32) -> Option<(String, u32)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name before these fields is in parentheses and may contain spaces.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

/// Whether a process is running, that is, neither dead nor a zombie.
fn lives(id: u32) -> bool {
    state(id).is_some_and(|(state, _)| state != "Z" && state != "X")
}

fn children(id: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|child| state(*child).is_some_and(|(_, parent)| parent == id))
        .collect()
}

/// Stops the database in a folder and removes the folder when this value is dropped or this process ends for any
/// reason.
#[derive(Debug)]
pub(super) struct Guard {
    folder: PathBuf,
    shell: Child,
}

/// Waits for the end of its input. The 7th line of `postmaster.pid` names shared memory, which a killed database does
/// not release.
const CLEAN_UP: &str = r#"
trap '' HUP INT TERM
cat >/dev/null
file=$1/data/postmaster.pid
pid=$(sed -n 1p "$file" 2>/dev/null)
memory=$(sed -n '7s/.* //p' "$file" 2>/dev/null)
runs() { [ -n "$pid" ] && grep -qs -- "$1" "/proc/$pid/cmdline"; }
if runs "$1"; then
    kill -QUIT "$pid"
    tries=0
    while runs "$1" && [ "$tries" -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
    if runs "$1"; then kill -KILL "$pid"; fi
fi
[ -z "$memory" ] || ipcrm -m "$memory" 2>/dev/null
tries=0
until rm -rf -- "$1" 2>/dev/null || [ "$tries" -ge 50 ]; do sleep 0.1; tries=$((tries + 1)); done
"#;

impl Guard {
    pub(super) fn over(folder: &Path) -> Self {
        let shell = Command::new("sh")
            .args(["-c", CLEAN_UP, "clean-up"])
            .arg(folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self {
            folder: folder.to_owned(),
            shell: shell.expect("a shell starts"),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}
