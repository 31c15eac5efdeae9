//! Bodies are named, read and collected by two servers at once: no record ever names a body that is lost.
//!
//! Collectors here run by a clock that is ahead, so that every body is old enough to be moved aside, and with a larger lead old
//! enough to be removed.

use std::fmt;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use erp_core::Erp;
use erp_core::erp::{Error, Settings};
use erp_core::media::BodyHash;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Storage, StorageError,
};
use erp_server::backup::write;
use erp_server::import::import_lines;
use erp_server::media::{
    Bodies, BodyReader, BodyState, Collection, StoredBody, Unnamed, collect_later,
};
use erp_server::store::{RecordSink, SledStore, Snapshot, Snapshots};
use erp_tests::embedded_store::{manual, open};
use erp_tests::forward_storage;
use futures_util::stream::{BoxStream, StreamExt as _};
use jiff::Timestamp;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::runtime::Builder;

/// What another process does at a certain moment.
type Meanwhile = Box<dyn FnOnce() + Send>;

/// Runs it once, as another process: on a thread of its own.
fn happen(meanwhile: &Mutex<Option<Meanwhile>>) {
    let meanwhile = meanwhile.lock().unwrap().take();
    if let Some(meanwhile) = meanwhile {
        thread::spawn(meanwhile).join().unwrap();
    }
}

/// A store of records that two servers share.
#[derive(Clone, Default)]
struct Shared {
    store: Arc<MemoryStore>,
    /// What happens after the next scan.
    after_scan: Arc<Mutex<Option<Meanwhile>>>,
    /// What happens before the next commit.
    before_commit: Arc<Mutex<Option<Meanwhile>>>,
}

impl Storage for Shared {
    forward_storage!(store: next_numbers);

    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        tokio::task::yield_now().await;
        self.store.get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        tokio::task::yield_now().await;
        let page = self.store.scan(scan).await;
        happen(&self.after_scan);
        page
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        tokio::task::yield_now().await;
        happen(&self.before_commit);
        self.store.commit(changes).await
    }
}

/// An object store whose requests take up to some milliseconds before and after they happen.
struct Slow {
    store: InMemory,
    calls: AtomicU64,
    /// What happens before the next removal.
    before_delete: Mutex<Option<Meanwhile>>,
    /// Whether removals fail.
    keeps_all: AtomicBool,
    /// How many times a body is moved aside before it is read.
    moves_before_read: AtomicU64,
}

impl fmt::Debug for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("slow")
    }
}

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("slow")
    }
}

impl Slow {
    async fn wait(&self) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let micros = call.wrapping_mul(2_654_435_761) % 3_000;
        tokio::time::sleep(Duration::from_micros(micros)).await;
    }
}

#[async_trait]
impl ObjectStore for Slow {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.wait().await;
        let put = self.store.put_opts(location, payload, options).await;
        self.wait().await;
        put
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.store.put_multipart_opts(location, options).await
    }

    async fn get_opts(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        self.wait().await;
        let left = self.moves_before_read.load(Ordering::SeqCst);
        if left > 0 && !options.head {
            self.moves_before_read.store(left - 1, Ordering::SeqCst);
            let hash = location.filename().unwrap_or_default();
            let aside = Path::from(format!("p/aside/{hash}/{left}"));
            self.store.copy(location, &aside).await?;
            self.store.delete(location).await?;
        }
        let got = self.store.get_opts(location, options).await;
        self.wait().await;
        got
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let micros = call.wrapping_mul(2_246_822_519) % 3_000;
        let keeps_all = self.keeps_all.load(Ordering::SeqCst);
        let meanwhile = Arc::new(Mutex::new(self.before_delete.lock().unwrap().take()));
        let late = locations.then(move |location| {
            let meanwhile = Arc::clone(&meanwhile);
            async move {
                tokio::time::sleep(Duration::from_micros(micros)).await;
                happen(&meanwhile);
                match keeps_all {
                    true => Err(object_store::Error::NotImplemented {
                        operation: "delete".to_owned(),
                        implementer: "slow".to_owned(),
                    }),
                    false => location,
                }
            }
        });
        self.store.delete_stream(late.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &Path,
        to: &Path,
        options: CopyOptions,
    ) -> object_store::Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}

fn slow() -> Arc<Slow> {
    Arc::new(Slow {
        store: InMemory::new(),
        calls: AtomicU64::new(0),
        before_delete: Mutex::default(),
        keeps_all: AtomicBool::new(false),
        moves_before_read: AtomicU64::new(0),
    })
}

/// One of several servers on the same records and bodies.
struct Server<S> {
    erp: Arc<Erp<S>>,
    bodies: Arc<Bodies>,
}

const CONTENTS: [&[u8]; 3] = [b"one", b"two", b"three"];

const ARTICLE: &str = r#"{"Artikel": {"ArtNr": "A", "ArtBez": "x"}}"#;

const GRACE: Duration = Duration::from_secs(3_600);

/// A lead after which every body is old enough to be moved aside.
const OLD: Duration = Duration::from_secs(2 * 3_600);

/// One after which what was moved aside with the lead before has not been aside for a day.
const LATER: Duration = Duration::from_secs(25 * 3_600);

/// One after which it has been aside for a day.
const DAY: Duration = Duration::from_secs(27 * 3_600);

fn hash_of(bytes: &[u8]) -> BodyHash {
    BodyHash::new(Sha256::digest(bytes).into())
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(work)
}

impl<S: Storage + 'static> Server<S> {
    fn new(store: S, bodies: Bodies) -> Arc<Self> {
        Arc::new(Self {
            erp: Arc::new(Erp::new(store, Settings::default())),
            bodies: Arc::new(bodies),
        })
    }

    async fn import(&self, ndjson: &str) -> Result<(), Error> {
        let office = self.erp.office(Timestamp::now());
        import_lines(office, &self.bodies, &|_| None, ndjson.as_bytes()).await
    }

    /// Writes a record that names a body: either uploads the body, or relies on its existence. Returns whether the
    /// record was accepted.
    async fn name(&self, key: usize, content: usize, brings: bool) -> bool {
        let member = match (content, brings) {
            (0, true) => r#""Base64": "b25l""#.to_owned(),
            (1, true) => r#""Base64": "dHdv""#.to_owned(),
            (2, true) => r#""Base64": "dGhyZWU=""#.to_owned(),
            (at, _) => format!(r#""SHA256": "{}""#, hash_of(CONTENTS[at])),
        };
        let row = format!(
            r#"{{"ArtikelMedia": {{"ArtNr": "A", "IDKey": {key}, "AMDDateiName": "{key}.png", {member}}}}}"#
        );
        match self.import(&row).await {
            Ok(()) => true,
            Err(Error::Invalid(_)) if !brings => false,
            // With this many writers one may give up.
            Err(Error::Storage(StorageError::Busy)) => false,
            Err(error) => panic!("{error}"),
        }
    }

    async fn unname(&self, key: usize) {
        let row = format!(r#"{{"ArtikelMedia": {{"IDKey": {key}, "Loeschen": true}}}}"#);
        while let Err(error) = self.import(&row).await {
            assert!(
                matches!(error, Error::Storage(StorageError::Busy)),
                "{error}"
            );
        }
    }

    fn collect(&self, ahead: Duration) -> Collection {
        let collected = collect_later(&self.erp, &self.bodies, GRACE, ahead, Unnamed::Remove);
        block_on(collected).unwrap()
    }

    /// Whether a body is in its place and nowhere brought back from.
    fn is_in_place(&self, hash: BodyHash) -> bool {
        self.bodies
            .all()
            .unwrap()
            .iter()
            .any(|body| body.hash == hash)
    }

    fn state(&self, hash: BodyHash) -> BodyState {
        self.bodies.state(hash, 3).unwrap()
    }
}

/// Two servers on the same records and bodies, with an article.
struct Two {
    store: Shared,
    objects: Option<Arc<Slow>>,
    one: Arc<Server<Shared>>,
    two: Arc<Server<Shared>>,
    _folder: TempDir,
}

impl Two {
    fn of(objects: Option<Arc<Slow>>) -> Self {
        let (store, folder) = (Shared::default(), tempfile::tempdir().unwrap());
        let server = |name: &str| {
            let bodies = match &objects {
                Some(objects) => {
                    let objects = Arc::clone(objects) as Arc<dyn ObjectStore>;
                    let data = folder.path().join(name);
                    Bodies::in_objects(objects, "p", &data, 100).unwrap()
                }
                None => Bodies::new(folder.path(), 100),
            };
            Server::new(store.clone(), bodies)
        };
        let (one, two) = (server("one"), server("two"));
        block_on(one.import(ARTICLE)).unwrap();
        Self {
            store,
            objects,
            one,
            two,
            _folder: folder,
        }
    }

    /// On a shared folder, and on a bucket.
    fn each() -> [Self; 2] {
        [Self::of(None), Self::of(Some(slow()))]
    }

    /// A body that no record names.
    fn put(&self) -> StoredBody {
        self.one.bodies.put(CONTENTS[0]).unwrap()
    }

    /// The same, moved aside.
    fn put_aside(&self) -> StoredBody {
        let body = self.put();
        assert_eq!(self.one.collect(OLD).unnamed, [body]);
        assert!(!self.one.is_in_place(body.hash));
        body
    }

    /// Lets something happen while a collector has read the records and acts next.
    fn after_reading(&self, meanwhile: impl FnOnce(&Arc<Server<Shared>>) + Send + 'static) {
        let two = Arc::clone(&self.two);
        *self.store.after_scan.lock().unwrap() = Some(Box::new(move || meanwhile(&two)));
    }
}

/// Names the body of [`Two::put`] without bringing it along.
fn name_stored(server: &Arc<Server<Shared>>) {
    assert!(block_on(server.name(1, 0, false)));
}

#[test]
fn a_body_without_a_record_is_removed_after_a_day_aside() {
    for two in Two::each() {
        let body = two.put_aside();
        assert_eq!(two.one.collect(LATER), Collection::default());
        let collected = two.one.collect(DAY);
        assert_eq!((collected.removed, collected.unnamed), (1, vec![]));
        assert_eq!(two.one.state(body.hash), BodyState::Missing);
        assert_eq!(two.one.bodies.find(body.hash).unwrap(), None);
        assert_eq!(two.one.collect(DAY), Collection::default());
    }
}

#[test]
fn whoever_looks_for_a_body_brings_it_back() {
    let looks: [fn(&Bodies, BodyHash) -> bool; 4] = [
        |bodies, hash| bodies.find(hash).unwrap().is_some(),
        |bodies, hash| bodies.open(hash, 3).unwrap().is_some(),
        |bodies, hash| bodies.open_proved(hash, 3).unwrap().is_some(),
        |bodies, hash| bodies.state(hash, 3).unwrap() == BodyState::Sound,
    ];
    for (at, look) in looks.into_iter().enumerate() {
        for two in Two::each() {
            let body = two.put_aside();
            assert!(look(&two.two.bodies, body.hash), "look {at}");
            assert_eq!(two.one.bodies.all().unwrap(), [body], "look {at}");
            // It is as young as one that was stored now.
            assert_eq!(two.one.collect(Duration::ZERO), Collection::default());
            // A second move gives it another day.
            assert_eq!(two.one.collect(LATER).unnamed, [body]);
            assert!(!two.one.is_in_place(body.hash));
            let _ = two.one.collect(DAY);
            assert_eq!(two.one.state(body.hash), BodyState::Sound, "look {at}");
        }
    }
}

#[test]
fn a_body_that_is_stored_again_is_in_its_place() {
    for two in Two::each() {
        let body = two.put_aside();
        assert_eq!(two.two.bodies.put(CONTENTS[0]).unwrap(), body);
        assert_eq!(two.one.bodies.all().unwrap(), [body]);
        name_stored(&two.one);
        let _ = two.one.collect(DAY);
        assert_eq!(two.one.bodies.all().unwrap(), [body]);
    }
}

#[test]
fn a_collector_that_read_before_an_import_only_moves_its_body_aside() {
    for two in Two::each() {
        let body = two.put();
        two.after_reading(name_stored);
        assert_eq!(two.one.collect(OLD).unnamed, [body]);
        assert!(!two.one.is_in_place(body.hash));
        // A day later the records name it.
        let collected = two.one.collect(DAY);
        assert_eq!((collected.named, collected.removed), (1, 0));
        assert_eq!(two.one.bodies.all().unwrap(), [body]);
        // A bucket keeps the copy aside until the next collection.
        let _ = two.one.collect(DAY);
        assert_eq!(two.one.collect(DAY).removed, 0);
        assert_eq!(two.one.state(body.hash), BodyState::Sound);
    }
}

#[test]
fn an_import_between_reading_and_removing_keeps_its_body() {
    for two in Two::each() {
        let body = two.put_aside();
        two.after_reading(name_stored);
        let _ = two.one.collect(DAY);
        assert_eq!(two.one.state(body.hash), BodyState::Sound);
        assert_eq!(two.one.bodies.all().unwrap(), [body]);
    }
}

#[test]
fn a_late_removal_does_not_meet_what_another_collector_moved_later() {
    for two in Two::each() {
        let body = two.put_aside();
        let before_commit = Arc::clone(&two.store.before_commit);
        two.after_reading(move |importer| {
            // An importer finds it, it is moved aside once more, and only then a record names it.
            let collector = Arc::clone(importer);
            let meanwhile = move || assert_eq!(collector.collect(LATER).unnamed.len(), 1);
            *before_commit.lock().unwrap() = Some(Box::new(meanwhile));
            name_stored(importer);
        });
        let _ = two.one.collect(DAY);
        assert!(!two.one.is_in_place(body.hash));
        assert_eq!(two.one.state(body.hash), BodyState::Sound);
    }
}

#[test]
fn a_removal_from_its_place_that_comes_late_loses_no_body() {
    for brings in [false, true] {
        let two = Two::of(Some(slow()));
        let body = two.put();
        let importer = Arc::clone(&two.two);
        *two.objects.as_ref().unwrap().before_delete.lock().unwrap() = Some(Box::new(move || {
            assert!(block_on(importer.name(1, 0, brings)));
        }));
        assert_eq!(two.one.collect(OLD).unnamed, [body]);
        assert!(!two.one.is_in_place(body.hash));
        assert_eq!(two.two.state(body.hash), BodyState::Sound);
    }
}

#[test]
fn a_crash_between_copy_and_removal_leaves_the_body_in_both_places() {
    for is_named in [false, true] {
        let two = Two::of(Some(slow()));
        let body = two.put();
        let objects = two.objects.as_ref().unwrap();
        objects.keeps_all.store(true, Ordering::SeqCst);
        let collected = collect_later(&two.one.erp, &two.one.bodies, GRACE, OLD, Unnamed::Remove);
        assert!(block_on(collected).is_err());
        objects.keeps_all.store(false, Ordering::SeqCst);
        assert!(two.one.is_in_place(body.hash));
        if is_named {
            name_stored(&two.two);
        }
        assert_eq!(two.one.collect(DAY).removed, 1);
        assert_eq!(two.one.is_in_place(body.hash), is_named);
        assert_eq!(two.one.state(body.hash), BodyState::Sound);
    }
}

#[test]
fn a_reader_goes_on_when_its_body_is_moved_aside() {
    for two in Two::each() {
        let body = two.put();
        let mut begun = two.two.bodies.open(body.hash, 3).unwrap().unwrap();
        let sent = two.two.bodies.open(body.hash, 3).unwrap().unwrap();
        assert_eq!(two.one.collect(OLD).unnamed, [body]);
        let mut read = Vec::new();
        begun.read_to_end(&mut read).unwrap();
        assert_eq!(read, CONTENTS[0]);
        let _ = two.one.collect(OLD);
        let sent = block_on(async {
            let reader = BodyReader::begin(sent, body, 0..3).await.unwrap();
            reader.into_stream().collect::<Vec<_>>().await
        });
        assert_eq!(
            sent.into_iter().flatten().flatten().collect::<Vec<_>>(),
            CONTENTS[0]
        );
    }
}

#[test]
fn a_body_that_is_moved_aside_again_and_again_is_read() {
    let objects = slow();
    let two = Two::of(Some(Arc::clone(&objects)));
    let body = two.put();
    objects.moves_before_read.store(5, Ordering::SeqCst);
    let state = two.two.bodies.state(body.hash, body.length).unwrap();
    assert_eq!(state, BodyState::Sound);
    assert_eq!(objects.moves_before_read.load(Ordering::SeqCst), 0);
}

/// A store to back up, of which something happens after its records were read.
struct Watched {
    store: SledStore,
    after: Mutex<Option<Meanwhile>>,
}

impl Snapshots for Watched {
    fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, StorageError> {
        let snapshot = self.store.snapshot(sink);
        happen(&self.after);
        snapshot
    }

    fn backed_up(&self, snapshot: &Snapshot) -> std::io::Result<()> {
        self.store.backed_up(snapshot)
    }
}

#[test]
fn a_backup_holds_what_loses_its_record_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &manual());
    let server = Server::new(store.clone(), Bodies::new(folder.path(), 100));
    block_on(server.import(ARTICLE)).unwrap();
    assert!(block_on(server.name(1, 0, true)));
    let _ = server.bodies.put(CONTENTS[1]).unwrap();
    let collector = Arc::clone(&server);
    let after: Meanwhile = Box::new(move || {
        block_on(collector.unname(1));
        assert_eq!(collector.collect(OLD).unnamed.len(), 2);
    });
    let watched = Watched {
        store,
        after: Mutex::new(Some(after)),
    };
    let written = write(&watched, &server.bodies, &mut std::io::sink()).unwrap();
    assert_eq!(written.manifest.missing_media, Vec::<String>::new());
    let files = written.manifest.files.iter().map(|file| &*file.name);
    let media: Vec<_> = files.filter(|name| name.starts_with("media/")).collect();
    assert_eq!(media, [format!("media/{}", hash_of(CONTENTS[0]))]);
}

/// Records name and leave a few bodies while both servers collect all the time.
fn storm(two: &Two, rounds: usize) {
    let servers = [&two.one, &two.two];
    let done = AtomicBool::new(false);
    let (named, moved) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        let collectors = servers.map(|server| {
            let (done, moved) = (&done, &moved);
            scope.spawn(move || {
                while !done.load(Ordering::SeqCst) {
                    moved.fetch_add(server.collect(OLD).unnamed.len(), Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(3));
                }
            })
        });
        let namers: Vec<_> = (1..=4_usize)
            .map(|key| {
                let (server, named) = (servers[key % 2], &named);
                scope.spawn(move || {
                    for round in 0..rounds {
                        let content = (key + round) % CONTENTS.len();
                        let brings = round % 3 != 0;
                        block_on(async {
                            if !server.name(key, content, brings).await {
                                return;
                            }
                            named.fetch_add(1, Ordering::SeqCst);
                            // No other task uses this record, so the body must exist and stay.
                            for _ in 0..3 {
                                let bytes = CONTENTS[content];
                                let length = bytes.len() as u64;
                                let state = server.bodies.state(hash_of(bytes), length).unwrap();
                                assert_eq!(state, BodyState::Sound, "record {key}, round {round}");
                                tokio::time::sleep(Duration::from_millis(1)).await;
                            }
                            server.unname(key).await;
                        });
                    }
                })
            })
            .collect();
        let failed: Vec<_> = namers
            .into_iter()
            .filter_map(|namer| namer.join().err())
            .collect();
        done.store(true, Ordering::SeqCst);
        for collector in collectors {
            collector.join().unwrap();
        }
        assert!(
            failed.is_empty(),
            "{} records lost their body",
            failed.len()
        );
    });
    let (named, moved) = (named.into_inner(), moved.into_inner());
    println!("{named} times named, {moved} bodies moved aside");
    assert!(named > rounds && moved > 10, "{named} named, {moved} moved");
}

#[test]
fn no_record_names_a_body_that_is_lost_in_an_object_store() {
    storm(&Two::of(Some(slow())), 60);
}

#[test]
fn no_record_names_a_body_that_is_lost_in_a_shared_folder() {
    storm(&Two::of(None), 60);
}
