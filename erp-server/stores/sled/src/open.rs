//! Opening, creating and inspecting a store.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use erp_core::storage::{OpenError, Sequence};

use super::StoreOptions;
use super::check::{Found, Report, Tail, examine};
use super::clean::End;
use super::committer::high_water;
use super::error::Fault;
use super::free_bytes;
use super::journal::{Journal, Recovered, SegmentHead, Segments, recover};
use super::layout::{Identity, Layout, create_private, is_foreign, is_store, sync_folder};
use super::rebuild::{Recovery, rebuild};
use super::records::{Note, piece_bytes};
use super::shared::Block;
use super::tables::Tables;
use super::tree::{Cleaning, Tree, bytes_on_disk};
use super::{clean, quiet, replace};

pub(crate) struct Opened {
    pub(crate) layout: Layout,
    pub(crate) parts: Parts,
    /// The fault that made a repair necessary before, if any.
    pub(crate) repaired: Option<(String, Recovery)>,
    /// Damaged files that were written again from their copy.
    pub(crate) rewritten: Vec<&'static str>,
}

pub(crate) struct Parts {
    pub(crate) identity: Identity,
    pub(crate) tree: Tree,
    pub(crate) note: Note,
    pub(crate) found: Found,
    pub(crate) tail: Tail,
    pub(crate) segments: Segments,
    pub(crate) recovered: Recovered,
    pub(crate) proved: bool,
}

/// Free disk space reserved for sled: below it nothing is written to sled.
pub(crate) const fn reserve_bytes(sled_segment_bytes: usize) -> u64 {
    2 * sled_segment_bytes as u64
}

/// Whether a folder has this many bytes free; `true` where the system does not report it. With less a start opens the
/// records for reading only, because starting again and again took the last room.
fn has_room(folder: &Path, bytes: u64) -> bool {
    !free_bytes(folder).is_ok_and(|free| free < bytes)
}

/// Opens the store in a folder, or creates one in a new or empty folder. A power loss is no damage: what was synced is
/// there, and of the rest any block, length or rename may be. So a store that holds nothing acknowledged may be created
/// again.
pub(crate) fn open(path: &Path, options: &StoreOptions) -> Result<Opened, Fault> {
    open_in(path, options).map_err(|fault| match fault {
        Fault::Io(error) if error.kind() == ErrorKind::StorageFull => {
            let free = free_bytes(path).unwrap_or(0);
            let needed = reserve_bytes(options.sled_segment_bytes);
            let told = format!("{error}; {free} bytes are free, the start needs {needed}");
            Fault::Io(io::Error::new(ErrorKind::StorageFull, told))
        }
        other => other,
    })
}

fn open_in(path: &Path, options: &StoreOptions) -> Result<Opened, Fault> {
    quiet::install();
    create_private(path)?;
    if is_foreign(path)? {
        return Err(Fault::NotAStore);
    }
    let layout = Layout::lock(path)?;
    replace::settle(&layout)?;
    let rewritten = match layout.identity()? {
        Some(_) if options.read_only => Vec::new(),
        Some(identity) => layout.keep_both(&identity),
        None => {
            create(&layout, options)?;
            Vec::new()
        }
    };
    let mut repaired = None;
    let parts = match read_parts(&layout, options) {
        Err(Fault::Damaged(fault)) if options.repair => {
            let recovery = repair(&layout, options, &fault)?;
            repaired = Some((fault, recovery));
            read_parts(&layout, options)?
        }
        parts => parts?,
    };
    Ok(Opened {
        layout,
        parts,
        repaired,
        rewritten,
    })
}

/// Repairs the store if the journal can restore it without loss; otherwise the first fault is returned.
fn repair(layout: &Layout, options: &StoreOptions, fault: &str) -> Result<Recovery, Fault> {
    let needed = reserve_bytes(options.sled_segment_bytes);
    let needed = needed + bytes_on_disk(&layout.sled());
    if !has_room(layout.path(), needed) {
        let free = free_bytes(layout.path()).unwrap_or(0);
        return Err(Fault::Io(io::Error::other(format!(
            "{fault}; the repair needs {needed} free bytes, and there are {free}"
        ))));
    }
    rebuild(layout, options, None, None).map_err(|_| Fault::damaged(fault))
}

/// Checks a store that no process has open: reads every record and the journal, and compares all counts, digests
/// and commit numbers. Changes no record.
pub fn check(path: &Path, options: &StoreOptions) -> Result<Report, OpenError> {
    let inspect = || {
        quiet::install();
        if !is_store(path) {
            return Err(Fault::NotAStore);
        }
        let layout = Layout::lock(path)?;
        replace::settle(&layout)?;
        let parts = read_parts(&layout, options)?;
        let (last, applied) = (parts.recovered.last, parts.note.applied);
        Ok(Report {
            interrupted_checkpoint: parts.note.target > applied,
            identity_from_copy: !layout.has_first_identity(),
            ..parts.found.report(last, applied)
        })
    };
    inspect().map_err(|fault| fault.at(path))
}

fn create(layout: &Layout, options: &StoreOptions) -> Result<(), Fault> {
    let identity = Identity::random(options.sled_segment_bytes);
    layout.begin(&identity)?;
    let segment_bytes = identity.sled_segment_bytes;
    let tree = Tree::create(&layout.sled(), segment_bytes, options.cache_bytes)?;
    let note = Note {
        store: identity.id,
        ..Note::default()
    };
    tree.apply(vec![note.write()])?;
    drop(tree);
    let folder = layout.journal();
    let head = SegmentHead {
        store: identity.id,
        base: 0,
        size: options.journal_segment_bytes,
    };
    Journal::create(&*options.files, &folder, head, None)?;
    sync_folder(&folder)?;
    layout.finish()?;
    let _ = layout.keep_both(&identity);
    Ok(())
}

fn read_parts(layout: &Layout, options: &StoreOptions) -> Result<Parts, Fault> {
    let identity = layout.identity()?.ok_or(Fault::NotAStore)?;
    let mut segments = Segments::list(&layout.journal())?;
    segments.backed_up = layout.backed_up(&identity);
    let end = if options.read_only {
        End::Unknown
    } else {
        clean::take(layout, &identity)?
    };
    let segment_bytes = identity.sled_segment_bytes;
    let (sled, cache_bytes) = (layout.sled(), options.cache_bytes);
    let tree = if options.read_only {
        Tree::open_to_read(&sled, segment_bytes, cache_bytes)?
    } else if has_room(&sled, reserve_bytes(segment_bytes)) {
        Tree::open(&sled, segment_bytes, cache_bytes, Cleaning::Periodic)?
    } else {
        tracing::warn!(
            "the disk has no room for the records; they are compacted at the next start with enough room"
        );
        Tree::open(&sled, segment_bytes, cache_bytes, Cleaning::Never)?
    };
    let note = Note::read(&tree)?;
    if note.store != identity.id {
        return Err(Fault::damaged("the folder `sled` belongs to another store"));
    }
    let mut tail = Tail::default();
    let is_interrupted = note.target > note.applied;
    let target = if is_interrupted { note.target } else { 0 };
    let recovered = recover(&segments.list, identity.id, note.applied, |commit| {
        tail.add(commit.revision, commit.changes, target);
        Ok(())
    })?;
    if recovered.last < target {
        let what = "the journal ends before the last checkpoint";
        return Err(Fault::damaged(what));
    }
    let untouched = note.target == note.applied && recovered.last == note.applied;
    let trusted = options.read_later
        && match end {
            End::Clean(revision) => untouched && revision == note.applied,
            End::Killed => true,
            End::Unknown => false,
        };
    let piece_bytes = piece_bytes(segment_bytes);
    let found = if trusted {
        Found::expected(&tree, &note, &tail, piece_bytes)?
    } else {
        let found = examine(&tree, &tail)?;
        found.prove(&tree, &note, &tail, piece_bytes)?;
        found
    };
    Ok(Parts {
        identity,
        tree,
        note,
        found,
        tail,
        segments,
        recovered,
        proved: !trusted,
    })
}

/// The number blocks as the last process left them: numbers below the high-water mark may be in use.
pub(crate) fn blocks(tables: &Tables) -> Result<BTreeMap<Sequence, Block>, Fault> {
    let block = |sequence| {
        let end = high_water(tables, sequence)?;
        Ok((sequence, Block { next: end, end }))
    };
    Sequence::ALL.into_iter().map(block).collect()
}
