//! Backups over HTTP from a running server.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{BackupError, write};
use crate::lock::lock;
use crate::media::Bodies;
use crate::store::{Snapshot, Snapshots};

/// Pieces buffered for a slow client.
const WAITING_PIECES: usize = 4;

const PIECE: usize = 256 * 1024;

/// Maximum of unconfirmed backups that are remembered.
const REMEMBERED: usize = 8;

/// State for serving backups, one at a time.
pub struct Backups {
    store: Arc<dyn Snapshots>,
    running: Arc<tokio::sync::Mutex<()>>,
    made: Arc<Mutex<VecDeque<(String, Snapshot)>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Running,
    /// This process has not written such a backup.
    Unknown,
}

impl Backups {
    pub fn of(store: Arc<dyn Snapshots>) -> Self {
        Self {
            store,
            running: Arc::default(),
            made: Arc::default(),
        }
    }

    /// Starts a backup and streams its bytes. If it fails, the last piece is an error.
    pub fn begin(&self, bodies: Arc<Bodies>) -> Result<Receiver<io::Result<Vec<u8>>>, Refusal> {
        let store = Arc::clone(&self.store);
        let running = Arc::clone(&self.running).try_lock_owned();
        let running = running.map_err(|_| Refusal::Running)?;
        let made = Arc::clone(&self.made);
        let (sender, receiver) = channel(WAITING_PIECES);
        tokio::task::spawn_blocking(move || {
            let _running = running;
            match run(&*store, &bodies, &sender) {
                Ok(backup) => {
                    let mut made = lock(&made);
                    made.push_back(backup);
                    if made.len() > REMEMBERED {
                        made.pop_front();
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "a backup was cut off");
                    let _ = sender.blocking_send(Err(io::Error::other(error.to_string())));
                }
            }
        });
        Ok(receiver)
    }

    /// Confirms that a backup has arrived: its receiver has read the file back and computed this SHA-256.
    /// The inner error is that of the store.
    pub fn confirm(&self, sha256: &str) -> Result<io::Result<Snapshot>, Refusal> {
        let made = lock(&self.made);
        let (_, snapshot) = made
            .iter()
            .find(|(made, _)| made == sha256)
            .ok_or(Refusal::Unknown)?;
        Ok(self.store.backed_up(snapshot).map(|()| snapshot.clone()))
    }
}

fn run(
    store: &dyn Snapshots,
    bodies: &Bodies,
    sender: &Sender<io::Result<Vec<u8>>>,
) -> Result<(String, Snapshot), BackupError> {
    let mut pieces = io::BufWriter::with_capacity(PIECE, Pieces(sender));
    let written = write(store, bodies, &mut pieces)?;
    pieces.flush()?;
    for hash in &written.manifest.missing_media {
        tracing::warn!(%hash, "a media file that a record names is not in the backup: it is missing or damaged");
    }
    Ok((written.sha256, written.manifest.snapshot))
}

/// Sends written bytes to a channel.
struct Pieces<'a>(&'a Sender<io::Result<Vec<u8>>>);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .blocking_send(Ok(bytes.to_vec()))
            .map_err(|_| io::Error::other("the client is gone"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
