//! Bodies as objects in an object store.

use std::fmt;
use std::future::Future;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use erp_core::media::BodyHash;
use futures_util::stream::{BoxStream, StreamExt as _};
use hyper::body::Bytes;
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutPayload,
};
use thiserror::Error as ThisError;
use tokio::io::AsyncReadExt as _;
use tokio::runtime::{Builder, Runtime};

use super::body::{ASIDE, AsideBody, LOOKS, StoredBody, look, there};
use super::client::chain;

/// Size of an upload request in bytes; a longer body is uploaded in parts.
const PART: u64 = 8 * 1024 * 1024;

/// Maximum of parts per body; services allow 10,000.
const PARTS: u64 = 9_000;

/// Size of a read request in bytes, for blocking readers.
const READ: u64 = 4 * 1024 * 1024;

/// The longest body that is moved aside: services copy no longer one in a single request.
const COPIED: u64 = 5 * 1024 * 1024 * 1024;

/// Maximum length of an error text in the log, in characters; services respond with whole documents.
const REASON: usize = 600;

/// Timeout without receiving any byte of an object.
const STALL: Duration = Duration::from_secs(30);

/// The object store did not respond usefully. The text is for the log only.
#[derive(Debug, ThisError)]
#[error("{0}")]
struct Unreachable(String);

/// Whether an error concerns the object store itself and not a single body.
pub(crate) fn is_unreachable(error: &io::Error) -> bool {
    let inner = error.get_ref();
    error.kind() != io::ErrorKind::NotFound && inner.is_some_and(|inner| inner.is::<Unreachable>())
}

/// The bodies below a prefix of an object store.
pub(super) struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    shown: String,
    /// Runtime of all requests, for blocking and asynchronous callers.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Objects").field(&self.shown).finish()
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // Dropping a runtime blocks, which is not allowed in an asynchronous server.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Objects {
    /// Objects below `prefix`; `shown` is prepended to their paths in messages.
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        prefix: &str,
        shown: String,
    ) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(4)
            .thread_name("media")
            .enable_all()
            .build()?;
        Ok(Self {
            store,
            prefix: Path::from(prefix),
            shown,
            runtime: Some(runtime),
        })
    }

    pub(super) fn shown(&self, hash: BodyHash) -> String {
        format!("{}{}", self.shown, self.path(hash))
    }

    fn path(&self, hash: BodyHash) -> Path {
        let name = hash.to_string();
        let part = |from: usize| name.get(from..from + 2).unwrap_or_default();
        let folder = self.prefix.clone().join(part(0)).join(part(2));
        folder.join(name.as_str())
    }

    /// The prefix of what was moved aside of a body.
    fn aside(&self, hash: BodyHash) -> Path {
        self.prefix.clone().join(ASIDE).join(hash.to_string())
    }

    pub(super) fn probe(&self) -> io::Result<()> {
        let (store, prefix) = (Arc::clone(&self.store), self.prefix.clone());
        self.wait(async move {
            match store.list(Some(&prefix)).next().await {
                Some(Err(error)) => Err(error),
                Some(Ok(_)) | None => Ok(()),
            }
        })
    }

    /// Uploads a body even if it exists: that is the only way to restart its grace time.
    pub(super) fn put(&self, body: StoredBody, file: std::fs::File) -> io::Result<()> {
        let (store, path) = (Arc::clone(&self.store), self.path(body.hash));
        self.wait(upload(store, path, file, body.length))
    }

    /// Looks for a body, also aside.
    pub(super) fn head(&self, hash: BodyHash) -> io::Result<Option<ObjectMeta>> {
        look(|| self.head_in_place(hash), || self.bring_back(hash))
    }

    pub(super) fn head_in_place(&self, hash: BodyHash) -> io::Result<Option<ObjectMeta>> {
        let (store, path) = (Arc::clone(&self.store), self.path(hash));
        there(self.wait(async move { store.head(&path).await }))
    }

    fn delete(&self, path: Path) -> io::Result<()> {
        let store = Arc::clone(&self.store);
        there(self.wait(async move { store.delete(&path).await })).map(drop)
    }

    /// Moves a body aside if it was last stored before `before`; returns whether it was moved.
    pub(super) fn set_aside(&self, body: AsideBody, before: SystemTime) -> io::Result<bool> {
        let found = self.head_in_place(body.hash)?;
        if !found.is_some_and(|found| is_older(&found, before) && found.size <= COPIED) {
            return Ok(false);
        }
        let (store, path) = (Arc::clone(&self.store), self.path(body.hash));
        let (from, to) = (path.clone(), self.aside_path(body));
        match there(self.wait(async move { store.copy(&from, &to).await }))? {
            Some(()) => self.delete(path).map(|()| true),
            // Another collector was faster.
            None => Ok(false),
        }
    }

    /// Copies a body back to its place; returns whether there was one aside. The copy aside stays until a collection: the
    /// collector that made it may still remove the body in its place.
    pub(super) fn bring_back(&self, hash: BodyHash) -> io::Result<bool> {
        let (store, aside, path) = (Arc::clone(&self.store), self.aside(hash), self.path(hash));
        self.wait(async move { bring_back(&*store, &aside, &path).await })
    }

    pub(super) fn aside_before(&self, before: u64) -> io::Result<Vec<AsideBody>> {
        let listed = self.list(self.prefix.clone().join(ASIDE), |_| true)?;
        let bodies = listed.into_iter().filter_map(|(path, _)| {
            let mut parts = path.parts().rev();
            let at = parts.next()?.as_ref().parse().ok()?;
            let hash = BodyHash::parse(parts.next()?.as_ref()).ok()?;
            let body = AsideBody { hash, at };
            (at < before && self.aside_path(body) == path).then_some(body)
        });
        Ok(bodies.collect())
    }

    pub(super) fn remove_aside(&self, body: AsideBody) -> io::Result<()> {
        self.delete(self.aside_path(body))
    }

    fn aside_path(&self, body: AsideBody) -> Path {
        self.aside(body.hash).join(body.at.to_string())
    }

    pub(super) fn older_than(&self, before: SystemTime) -> io::Result<Vec<StoredBody>> {
        let is_old = move |object: &ObjectMeta| is_older(object, before);
        let listed = self.list(self.prefix.clone(), is_old)?;
        let bodies = listed.into_iter().filter_map(|(path, length)| {
            let hash = BodyHash::parse(path.filename()?).ok()?;
            // Objects without a valid body name are ignored.
            (self.path(hash) == path).then_some(StoredBody { hash, length })
        });
        Ok(bodies.collect())
    }

    /// The objects below a prefix that are wanted, with their lengths.
    fn list(
        &self,
        prefix: Path,
        is_wanted: impl Fn(&ObjectMeta) -> bool + Send + 'static,
    ) -> io::Result<Vec<(Path, u64)>> {
        let store = Arc::clone(&self.store);
        self.wait(async move {
            let mut list = store.list(Some(&prefix));
            let mut listed = Vec::new();
            while let Some(object) = list.next().await {
                let object = object?;
                if is_wanted(&object) {
                    listed.push((object.location, object.size));
                }
            }
            Ok(listed)
        })
    }

    fn read(self: &Arc<Self>, hash: BodyHash, range: Range<u64>) -> io::Result<Bytes> {
        let objects = Arc::clone(self);
        self.wait(async move {
            let read = async { objects.get(hash, range).await?.bytes().await };
            match tokio::time::timeout(STALL, read).await {
                Ok(read) => read,
                Err(late) => Err(generic(late)),
            }
        })
    }

    /// Begins to read a body that was in its place when it was opened.
    async fn get(&self, hash: BodyHash, range: Range<u64>) -> Result<GetResult, Error> {
        let path = self.path(hash);
        let options = GetOptions {
            range: Some(range.into()),
            ..GetOptions::default()
        };
        for _ in 0..LOOKS {
            let got = self.store.get_opts(&path, options.clone()).await;
            if !matches!(got, Err(Error::NotFound { .. })) {
                return got;
            }
            if !bring_back(&*self.store, &self.aside(hash), &path).await? {
                break;
            }
        }
        self.store.get_opts(&path, options).await
    }

    /// Runs a request and blocks until it ends, also inside a runtime.
    fn wait<T: Send + 'static>(
        &self,
        request: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> io::Result<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move {
                // Fails only when the process ends.
                let _ = sender.send(request.await);
            });
        }
        let ended = || io::Error::other(Unreachable("the request was given up".to_owned()));
        receiver.recv().map_err(|_| ended())?.map_err(to_io_error)
    }
}

fn is_older(object: &ObjectMeta, before: SystemTime) -> bool {
    SystemTime::from(object.last_modified) < before
}

/// Copies a body back to its place; returns whether there was one aside.
async fn bring_back(store: &dyn ObjectStore, aside: &Path, path: &Path) -> Result<bool, Error> {
    let Some(found) = store.list(Some(aside)).next().await.transpose()? else {
        return Ok(false);
    };
    match store.copy(&found.location, path).await {
        // A collector has removed it meanwhile.
        Err(Error::NotFound { .. }) => Ok(true),
        copied => copied.map(|()| true),
    }
}

/// Uploads a file, in parts when it is long.
async fn upload(
    store: Arc<dyn ObjectStore>,
    path: Path,
    file: std::fs::File,
    length: u64,
) -> Result<(), Error> {
    let mut file = tokio::fs::File::from_std(file);
    if length <= PART {
        let payload = part(&mut file, length).await?;
        return store.put(&path, payload).await.map(drop);
    }
    let mut upload = store.put_multipart(&path).await?;
    let size = PART.max(length.div_ceil(PARTS));
    let mut left = length;
    let sent = async {
        while left > 0 {
            let now = left.min(size);
            upload.put_part(part(&mut file, now).await?).await?;
            left = left.saturating_sub(now);
        }
        upload.complete().await.map(drop)
    };
    let sent = sent.await;
    if sent.is_err() {
        // Parts that remain after this are removed by the rules of the service.
        let _ = upload.abort().await;
    }
    sent
}

async fn part(file: &mut tokio::fs::File, length: u64) -> Result<PutPayload, Error> {
    let mut bytes = vec![0; usize::try_from(length).map_err(generic)?];
    file.read_exact(&mut bytes).await.map_err(generic)?;
    Ok(bytes.into())
}

fn generic(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic {
        store: "object store",
        source: Box::new(error),
    }
}

/// Converts an error to one that an operator can act on.
fn to_io_error(error: Error) -> io::Error {
    let mut reason = chain(&error);
    let mut kind = io::ErrorKind::Other;
    let what = if matches!(error, Error::NotFound { .. }) {
        kind = io::ErrorKind::NotFound;
        "there is no such object or bucket"
    } else if is_refusal(&error, &reason) {
        "the object store refuses the access key, its secret or what they may do"
    } else {
        "the object store gives no usable response"
    };
    if let Some((end, _)) = reason.char_indices().nth(REASON) {
        reason.truncate(end);
    }
    io::Error::new(kind, Unreachable(format!("{what}: {reason}")))
}

/// Whether the service denies access. For lists the crate reports the status only as text.
fn is_refusal(error: &Error, reason: &str) -> bool {
    let is_known = matches!(
        error,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
    );
    is_known || reason.contains("403 Forbidden") || reason.contains("401 Unauthorized")
}

/// An existing object of the expected length.
pub struct ObjectBody {
    objects: Arc<Objects>,
    body: StoredBody,
    at: u64,
    read: Bytes,
}

impl ObjectBody {
    pub(super) fn new(objects: &Arc<Objects>, body: StoredBody) -> Self {
        Self {
            objects: Arc::clone(objects),
            body,
            at: 0,
            read: Bytes::new(),
        }
    }

    pub(super) async fn stream(&self, range: Range<u64>) -> io::Result<ObjectStream> {
        let got = self.objects.get(self.body.hash, range).await;
        Ok(ObjectStream {
            pieces: got.map_err(to_io_error)?.into_stream(),
            read: Bytes::new(),
        })
    }
}

impl Read for ObjectBody {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read.is_empty() {
            let until = self.at.saturating_add(READ).min(self.body.length);
            if self.at >= until {
                return Ok(0);
            }
            self.read = self.objects.read(self.body.hash, self.at..until)?;
            self.at = until;
        }
        let count = into.len().min(self.read.len());
        let taken = self.read.split_to(count);
        if let Some(into) = into.get_mut(..count) {
            into.copy_from_slice(&taken);
        }
        Ok(count)
    }
}

pub(super) struct ObjectStream {
    pieces: BoxStream<'static, Result<Bytes, Error>>,
    read: Bytes,
}

impl ObjectStream {
    pub(super) async fn exactly(&mut self, into: &mut Vec<u8>, count: usize) -> io::Result<()> {
        while into.len() < count {
            if self.read.is_empty() {
                let late = || io::Error::other(Unreachable("nothing comes any more".to_owned()));
                let next = tokio::time::timeout(STALL, self.pieces.next()).await;
                match next.map_err(|_| late())? {
                    Some(piece) => self.read = piece.map_err(to_io_error)?,
                    None => return Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
            let missing = count.saturating_sub(into.len()).min(self.read.len());
            into.extend_from_slice(&self.read.split_to(missing));
        }
        Ok(())
    }
}
