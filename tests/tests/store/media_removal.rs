//! Two servers add and remove media bodies at the same time: no record may ever name a body that does not exist.
//!
//! Every collection here removes all bodies without a record, however young, so that only the order of commits protects
//! a body.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::media::BodyHash;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Storage, StorageError,
};
use erp_server::import::{Files, Format, ImportError, Media, Progress, import_bytes};
use erp_server::media::removal::hold;
use erp_server::media::{Bodies, BodyState, Unnamed, collect_older, settled};
use erp_tests::forward_storage;
use erp_tests::wait::PATIENCE;
use futures_util::stream::{BoxStream, StreamExt as _};
use jiff::{SignedDuration, Timestamp};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;

/// A store of records that two servers share.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<MemoryStore>);

impl Storage for Shared {
    forward_storage!(0: next_numbers);

    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        tokio::task::yield_now().await;
        self.0.get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        tokio::task::yield_now().await;
        self.0.scan(scan).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        tokio::task::yield_now().await;
        self.0.commit(changes).await
    }
}

/// An object store whose requests are delayed by some milliseconds before and after they are executed.
#[derive(Debug)]
struct Slow {
    store: InMemory,
    calls: AtomicU64,
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
        let late = locations.then(move |location| async move {
            tokio::time::sleep(Duration::from_micros(micros)).await;
            location
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
    })
}

/// One of several servers on the same records and bodies.
struct Server {
    erp: Arc<Erp<Shared>>,
    bodies: Arc<Bodies>,
}

struct Silent;

impl Progress for Silent {
    fn begin(&self, _: usize) {}
    fn advance(&self, _: usize) {}
    fn end(&self) {}
}

const CONTENTS: [&[u8]; 3] = [b"one", b"two", b"three"];

fn hash_of(bytes: &[u8]) -> BodyHash {
    BodyHash::new(Sha256::digest(bytes).into())
}

impl Server {
    fn new(store: &Shared, bodies: Bodies) -> Arc<Self> {
        Arc::new(Self {
            erp: Arc::new(Erp::new(store.clone(), Settings::default())),
            bodies: Arc::new(bodies),
        })
    }

    async fn import(&self, ndjson: &str) -> Result<(), ImportError> {
        let media = Media {
            bodies: &self.bodies,
            files: Files::None,
        };
        let bytes = ndjson.as_bytes();
        import_bytes(
            &self.erp,
            &media,
            "test",
            (Format::Ndjson, bytes),
            &Silent,
            None,
        )
        .await
        .map(drop)
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
            Err(ImportError::BadRows(_)) if !brings => false,
            // With this many writers one may give up.
            Err(ImportError::Store(StorageError::Busy)) => false,
            Err(error) => panic!("{error}"),
        }
    }

    async fn unname(&self, key: usize) {
        let row = format!(r#"{{"ArtikelMedia": {{"IDKey": {key}, "Loeschen": true}}}}"#);
        while let Err(error) = self.import(&row).await {
            assert!(
                matches!(error, ImportError::Store(StorageError::Busy)),
                "{error}"
            );
        }
    }

    async fn collect(&self) -> usize {
        let later = SystemTime::now() + Duration::from_secs(3_600);
        let collected = collect_older(&self.erp, &self.bodies, later, Unnamed::Remove).await;
        collected.unwrap().unnamed.len()
    }
}

/// Records name and release a few bodies while both servers collect all the time.
fn storm(servers: &[Arc<Server>; 2], rounds: usize) {
    let article = r#"{"Artikel": {"ArtNr": "A", "ArtBez": "x"}}"#;
    Runtime::new()
        .unwrap()
        .block_on(servers[0].import(article))
        .unwrap();
    let done = AtomicBool::new(false);
    let (named, removed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        let collectors = servers.each_ref().map(|server| {
            let (done, removed) = (&done, &removed);
            scope.spawn(move || {
                Runtime::new().unwrap().block_on(async {
                    while !done.load(Ordering::SeqCst) {
                        removed.fetch_add(server.collect().await, Ordering::SeqCst);
                        tokio::time::sleep(Duration::from_millis(3)).await;
                    }
                });
            })
        });
        let namers: Vec<_> = (1..=4_usize)
            .map(|key| {
                let (server, named) = (&servers[key % 2], &named);
                scope.spawn(move || {
                    let runtime = Runtime::new().unwrap();
                    for round in 0..rounds {
                        let content = (key + round) % CONTENTS.len();
                        let brings = round % 3 != 0;
                        runtime.block_on(async {
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
    let (named, removed) = (named.into_inner(), removed.into_inner());
    println!("{named} times named, {removed} bodies removed");
    assert!(
        named > rounds && removed > 10,
        "{named} named, {removed} removed"
    );
}

#[test]
fn no_record_names_a_body_missing_in_an_object_store() {
    let (store, objects, folder) = (Shared::default(), slow(), tempfile::tempdir().unwrap());
    let server = |name: &str| {
        let data = folder.path().join(name);
        let objects = Arc::clone(&objects) as Arc<dyn ObjectStore>;
        Server::new(
            &store,
            Bodies::in_objects(objects, "p", &data, 100).unwrap(),
        )
    };
    storm(&[server("one"), server("two")], 60);
}

#[test]
fn no_record_names_a_body_missing_in_a_shared_folder() {
    let (store, folder) = (Shared::default(), tempfile::tempdir().unwrap());
    let server = |folder: &FilePath| Server::new(&store, Bodies::new(folder, 100));
    storm(&[server(folder.path()), server(folder.path())], 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_killed_collector_is_taken_over() {
    let (store, folder) = (Shared::default(), tempfile::tempdir().unwrap());
    let server = Server::new(&store, Bodies::new(folder.path(), 100));
    server
        .import(r#"{"Artikel": {"ArtNr": "A"}}"#)
        .await
        .unwrap();
    let body = hash_of(CONTENTS[0]);
    // Its process ended directly before its time was over.
    let now = Timestamp::now();
    let until = now.checked_add(SignedDuration::from_secs(2)).unwrap();
    let bodies = BTreeSet::from([body]);
    let listed = server
        .erp
        .media()
        .mark_for_deletion(&bodies, now, until)
        .await
        .unwrap();
    assert!(listed.is_some());
    assert!(server.name(1, 0, true).await);
    assert!(Timestamp::now() >= until, "no record names it before");
    assert_eq!(server.bodies.state(body, 3).unwrap(), BodyState::Sound);
    let marks = settled(&server.erp, &bodies).await.unwrap();
    assert!(!marks.is_removing(now));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_keeps_the_bodies_of_other_servers_too() {
    let (store, folder) = (Shared::default(), tempfile::tempdir().unwrap());
    let [one, two] = [(); 2].map(|()| Server::new(&store, Bodies::new(folder.path(), 100)));
    let _ = one.bodies.put(CONTENTS[0]).unwrap();
    let held = hold(Arc::clone(&one.erp)).await.unwrap();
    assert_eq!(two.collect().await, 0);
    drop(held);
    // The hold ends a moment later.
    let mut removed = 0;
    let started = Instant::now();
    while removed == 0 {
        assert!(started.elapsed() < PATIENCE, "the hold does not end");
        removed = two.collect().await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(removed, 1);
}
