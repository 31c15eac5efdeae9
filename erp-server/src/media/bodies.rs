//! The media bodies of a server, in a folder or an object store.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use erp_core::media::BodyHash;
use object_store::ObjectStore;

use super::body::{AsideBody, BodyError, PIECE, StoredBody, other_bytes, sum_of};
use super::folder::Folder;
use super::incoming::Incoming;
use super::objects::{ObjectBody, Objects, is_unreachable};
use super::place::{MediaOptions, PlaceError, objects_of};
use crate::lock::lock;

/// Maximum of bodies remembered as verified; about 100 bytes each.
const PROVED: usize = 10_000;

/// How long a body counts as verified: damage of a disk changes neither length nor time.
const PROVED_FOR: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyState {
    /// It exists and its content matches its name.
    Sound,
    Missing,
    /// Its length or content does not match.
    Damaged,
}

/// An open body of the expected length.
pub enum OpenBody {
    File(std::fs::File),
    Object(ObjectBody),
}

impl Read for OpenBody {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Object(object) => object.read(into),
        }
    }
}

/// The bodies of a server: in a folder or in an object store. The methods block, so asynchronous code must call them
/// on a blocking thread.
#[derive(Debug)]
pub struct Bodies {
    /// Folder for incoming bodies, and for all bodies if there is no object store.
    folder: Folder,
    objects: Option<Arc<Objects>>,
    /// Why bodies are not available, if the settings are wrong.
    broken: Option<String>,
    most_bytes: u64,
    /// The bodies that were read completely and verified: their modification time, and when that was.
    proved: Mutex<BTreeMap<BodyHash, (SystemTime, Instant)>>,
}

impl Bodies {
    /// The bodies in the folder `media` of a data folder, each of at most `most_bytes`. Folders are created when
    /// the first body arrives.
    pub fn new(data_dir: &Path, most_bytes: u64) -> Self {
        Self {
            folder: Folder::new(data_dir),
            objects: None,
            broken: None,
            most_bytes,
            proved: Mutex::default(),
        }
    }

    /// The bodies below `prefix` of an object store. Incoming bodies are first written to the folder `media/new` of the
    /// data folder, because their name is only known when all bytes have arrived.
    pub fn in_objects(
        store: Arc<dyn ObjectStore>,
        prefix: &str,
        data_dir: &Path,
        most_bytes: u64,
    ) -> io::Result<Self> {
        let objects = Objects::new(store, prefix, "object-store:".to_owned())?;
        Ok(Self {
            objects: Some(Arc::new(objects)),
            ..Self::new(data_dir, most_bytes)
        })
    }

    /// The bodies in the place given by the options.
    pub fn of(options: &MediaOptions) -> Result<Self, PlaceError> {
        let objects = objects_of(options)?;
        Ok(Self {
            objects: objects.map(Arc::new),
            ..Self::new(&options.data_dir, options.body_bytes)
        })
    }

    /// The same, but invalid options are reported by every later call instead.
    pub fn of_checked(options: &MediaOptions) -> Self {
        Self::of(options).unwrap_or_else(|error| Self {
            broken: Some(error.to_string()),
            ..Self::new(&options.data_dir, options.body_bytes)
        })
    }

    /// Removes the size limit for new bodies, for content that was stored before.
    pub fn unbounded(mut self) -> Self {
        self.most_bytes = u64::MAX;
        self
    }

    /// The path of a body in the folder, whether it exists or not.
    pub fn path(&self, hash: BodyHash) -> PathBuf {
        self.folder.path(hash)
    }

    /// The location of a body, for messages.
    pub fn shown(&self, hash: BodyHash) -> String {
        match &self.objects {
            Some(objects) => objects.shown(hash),
            None => self.path(hash).display().to_string(),
        }
    }

    /// Checks that the object store accepts requests; does nothing for a folder.
    pub fn probe(&self) -> io::Result<()> {
        match self.objects()? {
            Some(objects) => objects.probe(),
            None => Ok(()),
        }
    }

    /// Starts a body whose bytes arrive in pieces.
    pub fn begin(&self) -> io::Result<Incoming> {
        self.objects()?;
        Incoming::create(&self.folder.new_bodies()?, self.most_bytes)
    }

    /// Stores bytes under the name of their hash; they are durable when this returns.
    pub fn put(&self, mut bytes: impl Read) -> Result<StoredBody, BodyError> {
        let mut incoming = self.begin()?;
        let mut piece = vec![0; PIECE];
        loop {
            let count = bytes.read(&mut piece)?;
            match piece.get(..count) {
                None | Some([]) => break,
                Some(read) => incoming.write(read)?,
            }
        }
        self.finish(incoming)
    }

    /// Returns what [`Bodies::put`] would store, without storing it.
    pub fn measure(&self, bytes: impl Read) -> Result<StoredBody, BodyError> {
        let body = sum_of(bytes.take(self.most_bytes.saturating_add(1)))?;
        match body.length {
            0 => Err(BodyError::Empty),
            length if length > self.most_bytes => Err(BodyError::TooLong(self.most_bytes)),
            _ => Ok(body),
        }
    }

    pub fn finish(&self, incoming: Incoming) -> Result<StoredBody, BodyError> {
        let body = incoming.body();
        if body.length == 0 {
            return Err(BodyError::Empty);
        }
        match self.objects()? {
            Some(objects) => objects.put(body, incoming.into_file()?)?,
            None => self.folder.store(body, incoming)?,
        }
        Ok(body)
    }

    /// The body with a hash, if it exists. Like all that looks for a body, this brings it back when it was moved aside, see
    /// [`super::collect`]. In a folder this restarts its grace time; an object keeps the time it was
    /// stored at.
    pub fn find(&self, hash: BodyHash) -> io::Result<Option<StoredBody>> {
        let Some(objects) = self.objects()? else {
            return self.folder.find(hash);
        };
        let found = objects.head(hash)?;
        Ok(found.map(|found| StoredBody {
            hash,
            length: found.size,
        }))
    }

    /// Opens a body for reading; `None` when it does not exist in this length.
    pub fn open(&self, hash: BodyHash, length: u64) -> io::Result<Option<OpenBody>> {
        let Some(objects) = self.objects()? else {
            return Ok(self.folder.open(hash, length)?.map(OpenBody::File));
        };
        let found = objects.head(hash)?.filter(|found| found.size == length);
        Ok(found.map(|_| OpenBody::Object(ObjectBody::new(objects, StoredBody { hash, length }))))
    }

    /// As [`Bodies::open`], but verifies the whole content first. The result is cached for a day, or until the length or
    /// modification time changes. It is [`io::ErrorKind::InvalidData`] that the content does not match the name.
    pub fn open_proved(&self, hash: BodyHash, length: u64) -> io::Result<Option<OpenBody>> {
        self.open_proved_at(hash, length, Instant::now())
    }

    fn open_proved_at(
        &self,
        hash: BodyHash,
        length: u64,
        now: Instant,
    ) -> io::Result<Option<OpenBody>> {
        let Some(body) = self.open(hash, length)? else {
            return Ok(None);
        };
        let changed = match (&body, self.objects()?) {
            (OpenBody::File(file), _) => Some(file.metadata()?.modified()?),
            (OpenBody::Object(_), Some(objects)) => {
                let found = objects.head(hash)?;
                found.map(|found| found.last_modified.into())
            }
            (OpenBody::Object(_), None) => None,
        };
        let Some(changed) = changed else {
            return Ok(None);
        };
        let known = lock(&self.proved).get(&hash).copied();
        if known.is_some_and(|(time, at)| time == changed && now.duration_since(at) < PROVED_FOR) {
            return Ok(Some(body));
        }
        let mut read = body;
        if sum_of(&mut read)?.hash != hash {
            return Err(other_bytes());
        }
        let mut proved = lock(&self.proved);
        if proved.len() >= PROVED {
            proved.clear();
        }
        proved.insert(hash, (changed, now));
        drop(proved);
        // Readers start at the first byte.
        if let OpenBody::File(file) = &mut read {
            file.rewind()?;
            return Ok(Some(read));
        }
        self.open(hash, length)
    }

    /// Reads a body and compares it with its name.
    pub fn state(&self, hash: BodyHash, length: u64) -> io::Result<BodyState> {
        let Some(body) = self.open(hash, length)? else {
            let found = match self.objects()? {
                Some(objects) => objects.head(hash)?.map(|found| found.size),
                None => self.folder.length(hash)?,
            };
            return match found {
                None => Ok(BodyState::Missing),
                // It was moved aside meanwhile, and is back.
                Some(found) if found == length => self.state(hash, length),
                Some(_) => Ok(BodyState::Damaged),
            };
        };
        match sum_of(body) {
            Ok(found) if found.hash == hash => Ok(BodyState::Sound),
            Err(error) if is_unreachable(&error) => Err(error),
            // A read error of the disk counts as damage.
            Ok(_) | Err(_) => Ok(BodyState::Damaged),
        }
    }

    /// All bodies in their places, ordered by name.
    pub fn all(&self) -> io::Result<Vec<StoredBody>> {
        let later = SystemTime::now().checked_add(Duration::from_secs(86_400 * 365));
        self.older_than(later.unwrap_or_else(SystemTime::now))
    }

    /// All bodies in their places that were last stored before `before`, ordered by name.
    pub fn older_than(&self, before: SystemTime) -> io::Result<Vec<StoredBody>> {
        let mut found = match self.objects()? {
            Some(objects) => objects.older_than(before)?,
            None => self.folder.older_than(before)?,
        };
        found.sort_unstable_by_key(|body| body.hash);
        Ok(found)
    }

    /// Moves a body aside if it still was last stored before `before`; returns whether it was moved.
    pub(super) fn set_aside(&self, body: AsideBody, before: SystemTime) -> io::Result<bool> {
        match self.objects()? {
            Some(objects) => objects.set_aside(body, before),
            None => self.folder.set_aside(body, before),
        }
    }

    /// What was moved aside before `before`, in seconds since 1970.
    pub(super) fn aside_before(&self, before: u64) -> io::Result<Vec<AsideBody>> {
        match self.objects()? {
            Some(objects) => objects.aside_before(before),
            None => self.folder.aside_before(before),
        }
    }

    /// Brings a body back that is aside only; returns whether it was. What is aside of a body that is in its place too may be
    /// removed.
    pub(super) fn bring_back(&self, hash: BodyHash) -> io::Result<bool> {
        match self.objects()? {
            Some(objects) => {
                Ok(objects.head_in_place(hash)?.is_none() && objects.bring_back(hash)?)
            }
            None => Ok(!self.folder.is_in_place(hash)? && self.folder.bring_back(hash)?),
        }
    }

    /// Removes what is aside of a body; returns whether it was there, as far as the place says so.
    pub(super) fn remove_aside(&self, body: AsideBody) -> io::Result<bool> {
        match self.objects()? {
            Some(objects) => objects.remove_aside(body).map(|()| true),
            None => self.folder.remove_aside(body),
        }
    }

    /// Removes incomplete bodies that were started before this time; returns the number of files.
    pub fn remove_abandoned(&self, before: SystemTime) -> io::Result<usize> {
        self.folder.remove_abandoned(before)
    }

    /// The object store, if the bodies are in one.
    fn objects(&self) -> io::Result<Option<&Arc<Objects>>> {
        match &self.broken {
            Some(reason) => Err(io::Error::other(reason.clone())),
            None => Ok(self.objects.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use object_store::memory::InMemory;

    use super::*;

    fn local(most_bytes: u64) -> (tempfile::TempDir, Bodies) {
        let folder = tempfile::tempdir().unwrap();
        let bodies = Bodies::new(folder.path(), most_bytes);
        (folder, bodies)
    }

    fn in_memory(most_bytes: u64) -> (tempfile::TempDir, Bodies) {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(InMemory::new());
        let bodies = Bodies::in_objects(store, "a/b", folder.path(), most_bytes).unwrap();
        (folder, bodies)
    }

    fn aside(body: StoredBody) -> AsideBody {
        AsideBody {
            hash: body.hash,
            at: 1_000,
        }
    }

    fn age(path: &Path, seconds: u64) {
        let then = SystemTime::now() - Duration::from_secs(seconds);
        File::open(path).unwrap().set_modified(then).unwrap();
    }

    fn modified(path: &Path) -> SystemTime {
        fs::metadata(path).unwrap().modified().unwrap()
    }

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_body_lies_under_the_hash_of_its_bytes() {
        let (folder, bodies) = local(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        // printf abc | sha256sum
        let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((stored.hash.to_string().as_str(), stored.length), (name, 3));
        let path = folder.path().join("media/ba/78").join(name);
        assert_eq!(fs::read(&path).unwrap(), b"abc");
        assert_eq!(bodies.path(stored.hash), path);
        assert_eq!(entries(&folder.path().join("media/new")), 0);
    }

    #[test]
    fn both_kinds_store_find_read_and_move_aside() {
        for (folder, bodies) in [local(100), in_memory(100)] {
            let stored = bodies.put(&b"abc"[..]).unwrap();
            assert!(bodies.open(stored.hash, 4).unwrap().is_none());
            assert_eq!(bodies.find(stored.hash).unwrap(), Some(stored));
            assert_eq!(bodies.find(BodyHash::new([1; 32])).unwrap(), None);
            let mut read = Vec::new();
            let open = bodies.open(stored.hash, 3).unwrap();
            open.unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, b"abc");
            let state = |length| bodies.state(stored.hash, length).unwrap();
            assert_eq!((state(3), state(4)), (BodyState::Sound, BodyState::Damaged));
            assert_eq!(bodies.all().unwrap(), [stored]);
            let later = SystemTime::now() + Duration::from_secs(60);
            let aside = aside(stored);
            let set_aside = |before| bodies.set_aside(aside, before).unwrap();
            assert!(!set_aside(SystemTime::UNIX_EPOCH));
            assert!(set_aside(later));
            assert!(!set_aside(later));
            assert_eq!(bodies.all().unwrap(), []);
            assert_eq!(bodies.aside_before(aside.at).unwrap(), []);
            assert_eq!(bodies.aside_before(aside.at + 1).unwrap(), [aside]);
            assert!(bodies.remove_aside(aside).unwrap());
            assert_eq!(bodies.aside_before(aside.at + 1).unwrap(), []);
            assert_eq!(state(3), BodyState::Missing);
            assert_eq!(entries(&folder.path().join("media/new")), 0);
        }
    }

    #[test]
    fn a_proof_holds_for_a_day() {
        let (_folder, bodies) = local(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        let path = bodies.path(stored.hash);
        let now = Instant::now();
        let open = |at: Instant| bodies.open_proved_at(stored.hash, stored.length, at);
        assert!(open(now).unwrap().is_some());
        // Damage of the disk: neither time nor length change.
        let then = modified(&path);
        fs::write(&path, b"abd").unwrap();
        File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_modified(then)
            .unwrap();
        assert!(
            open(now + PROVED_FOR - Duration::from_secs(1))
                .unwrap()
                .is_some()
        );
        let error = open(now + PROVED_FOR).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn long_objects_come_and_go_in_parts() {
        let (_folder, bodies) = in_memory(u64::MAX);
        let bytes: Vec<u8> = (0..20_000_000_u32).map(|at| (at % 253) as u8).collect();
        let stored = bodies.put(&*bytes).unwrap();
        assert_eq!(stored.length, 20_000_000);
        let open = bodies.open(stored.hash, stored.length).unwrap();
        let mut read = Vec::new();
        open.unwrap().read_to_end(&mut read).unwrap();
        assert!(read == bytes, "the bytes that were stored");
        let state = bodies.state(stored.hash, stored.length).unwrap();
        assert_eq!(state, BodyState::Sound);
    }

    #[test]
    fn objects_that_are_not_bodies_are_not_ours() {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let folder = tempfile::tempdir().unwrap();
        let open = |prefix: &str| {
            Bodies::in_objects(Arc::clone(&store), prefix, folder.path(), 100).unwrap()
        };
        let (ours, theirs, outer) = (open("one"), open("two"), open(""));
        let stored = ours.put(&b"abc"[..]).unwrap();
        assert_eq!(ours.all().unwrap(), [stored]);
        assert_eq!(theirs.all().unwrap(), []);
        assert_eq!(outer.all().unwrap(), []);
        assert_eq!(theirs.find(stored.hash).unwrap(), None);
    }

    #[test]
    fn the_same_bytes_again_are_not_written_but_count_as_new() {
        let (_folder, bodies) = local(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        let path = bodies.path(stored.hash);
        #[cfg(unix)]
        let file = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
        #[cfg(unix)]
        let before = file(&path);
        age(&path, 1_000);
        let old = modified(&path);
        assert_eq!(bodies.put(&b"abc"[..]).unwrap(), stored);
        #[cfg(unix)]
        assert_eq!(file(&path), before);
        assert!(modified(&path) > old);
        age(&path, 1_000);
        assert!(bodies.find(stored.hash).unwrap().is_some());
        assert!(modified(&path) > old);
    }

    #[test]
    fn damage_is_seen_and_mended_by_storing_again() {
        let (_folder, bodies) = local(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        let path = bodies.path(stored.hash);
        let state = || bodies.state(stored.hash, stored.length).unwrap();
        assert_eq!(state(), BodyState::Sound);
        for damaged in [&b"abd"[..], b"ab", b"abcd", b""] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(state(), BodyState::Damaged, "{damaged:?}");
            assert_eq!(bodies.find(stored.hash).unwrap(), None);
            bodies.put(&b"abc"[..]).unwrap();
            assert_eq!(state(), BodyState::Sound, "{damaged:?}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(state(), BodyState::Missing);
        assert!(bodies.open(stored.hash, 3).unwrap().is_none());
    }

    #[test]
    fn empty_and_long_bodies_leave_no_file() {
        for (folder, bodies) in [local(4), in_memory(4)] {
            assert!(bodies.put(&b"1234"[..]).is_ok());
            assert!(matches!(bodies.put(&b""[..]), Err(BodyError::Empty)));
            let long = bodies.put(&b"12345"[..]);
            assert!(matches!(long, Err(BodyError::TooLong(4))));
            assert_eq!(entries(&folder.path().join("media/new")), 0);
            assert_eq!(bodies.all().unwrap().len(), 1);
        }
    }

    #[test]
    fn only_old_bodies_are_listed_and_moved_aside() {
        let (folder, bodies) = local(100);
        let [old, young] = [&b"old"[..], b"young"].map(|bytes| bodies.put(bytes).unwrap());
        age(&bodies.path(old.hash), 100);
        let foreign = bodies.path(old.hash).with_file_name("README");
        fs::write(&foreign, "x").unwrap();
        age(&foreign, 100);
        let before = SystemTime::now() - Duration::from_secs(50);
        assert_eq!(bodies.older_than(before).unwrap(), [old]);
        assert!(!bodies.set_aside(aside(young), before).unwrap());
        assert!(bodies.set_aside(aside(old), before).unwrap());
        assert!(!bodies.set_aside(aside(old), before).unwrap());
        assert!(foreign.exists() && bodies.path(young.hash).exists());
        let begun = folder.path().join("media/new/left-by-a-crash");
        fs::write(&begun, "x").unwrap();
        assert_eq!(bodies.remove_abandoned(before).unwrap(), 0);
        age(&begun, 100);
        assert_eq!(bodies.remove_abandoned(before).unwrap(), 1);
    }

    #[test]
    fn a_body_that_was_stored_again_is_not_moved_aside() {
        let (_folder, bodies) = local(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        age(&bodies.path(stored.hash), 100);
        let before = SystemTime::now() - Duration::from_secs(50);
        assert_eq!(bodies.older_than(before).unwrap(), [stored]);
        // An import finds the body between the listing and the move.
        bodies.put(&b"abc"[..]).unwrap();
        assert!(!bodies.set_aside(aside(stored), before).unwrap());
        assert_eq!(bodies.find(stored.hash).unwrap(), Some(stored));
    }
}
