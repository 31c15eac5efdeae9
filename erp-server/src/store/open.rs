//! Opening, creating and inspecting a store.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use erp_core::storage::Sequence;

use super::StoreOptions;
use super::check::{Found, Report, Tail, examine};
use super::committer::high_water;
use super::error::Fault;
use super::journal::{Journal, Recovered, Segments, recover};
use super::layout::{Identity, Layout, is_foreign, is_store, sync_folder};
use super::quiet;
use super::records::{Note, sequence_key};
use super::shared::Block;
use super::tables::Tables;
use super::tree::{Tree, bytes_on_disk};

/// A store that was read and proved whole.
pub(crate) struct Opened {
    pub(crate) layout: Layout,
    pub(crate) identity: Identity,
    pub(crate) tree: Tree,
    pub(crate) note: Note,
    pub(crate) found: Found,
    pub(crate) tail: Tail,
    pub(crate) segments: Segments,
    pub(crate) recovered: Recovered,
}

/// A value longer than this is stored in pieces, see [`super::records`].
pub(crate) const fn piece_bytes(sled_segment_bytes: usize) -> usize {
    sled_segment_bytes / 128
}

/// Opens the store in a folder, or makes one in a new or empty folder.
pub(crate) fn open(path: &Path, options: &StoreOptions) -> Result<Opened, Fault> {
    quiet::install();
    if !path.exists() {
        fs::create_dir_all(path)?;
    }
    if is_foreign(path)? {
        return Err(Fault::NotAStore);
    }
    let layout = Layout::lock(path)?;
    if layout.identity()?.is_none() {
        create(&layout, options)?;
    }
    read(layout, options)
}

/// Opens a store for reading only, and reports what it holds.
pub(crate) fn inspect(path: &Path, options: &StoreOptions) -> Result<Report, Fault> {
    quiet::install();
    if !is_store(path) {
        return Err(Fault::NotAStore);
    }
    let opened = read(Layout::lock(path)?, options)?;
    let (last, applied) = (opened.recovered.last, opened.note.applied);
    let mut report = opened.found.report(last, applied, &opened.segments.list);
    report.interrupted_checkpoint = opened.note.target > applied;
    report.sled_bytes = bytes_on_disk(&opened.layout.sled());
    Ok(report)
}

fn create(layout: &Layout, options: &StoreOptions) -> Result<(), Fault> {
    let identity = Identity {
        id: rand::random(),
        sled_segment_bytes: options.sled_segment_bytes,
    };
    layout.begin(&identity)?;
    let tree = Tree::create(
        &layout.sled(),
        identity.sled_segment_bytes,
        options.cache_bytes,
    )?;
    let note = Note {
        store: identity.id,
        applied: 0,
        target: 0,
        tallies: super::tally::Tallies::default(),
    };
    tree.apply(vec![note.write()])?;
    drop(tree);
    let folder = layout.journal();
    let files = Arc::clone(&options.files);
    Journal::create(files, &folder, identity.id, options.journal_segment_bytes)?;
    sync_folder(&folder)?;
    layout.finish()
}

fn read(layout: Layout, options: &StoreOptions) -> Result<Opened, Fault> {
    let identity = layout.identity()?.ok_or(Fault::NotAStore)?;
    let segments = Segments::list(&layout.journal())?;
    let tree = Tree::open(
        &layout.sled(),
        identity.sled_segment_bytes,
        options.cache_bytes,
    )?;
    let note = Note::read(&tree)?;
    if note.store != identity.id {
        return Err(Fault::damaged("the folder `sled` belongs to another store"));
    }
    let mut tail = Tail::default();
    let target = if note.target > note.applied {
        note.target
    } else {
        0
    };
    let recovered = recover(&segments, identity.id, note.applied, |revision, changes| {
        tail.add(revision, changes, target);
    })?;
    if recovered.last < target {
        return Err(Fault::damaged(
            "the journal ends before the last checkpoint",
        ));
    }
    let found = examine(&tree, &tail)?;
    found.prove(
        &tree,
        &note,
        &tail,
        piece_bytes(identity.sled_segment_bytes),
    )?;
    Ok(Opened {
        layout,
        identity,
        tree,
        note,
        found,
        tail,
        segments,
        recovered,
    })
}

/// The blocks of all sequences as they were left: everything below the high-water mark may be taken.
pub(crate) fn blocks(tables: &Tables) -> Result<BTreeMap<Sequence, Block>, Fault> {
    let mut blocks = BTreeMap::new();
    for sequence in Sequence::ALL {
        let entry = tables.look(&sequence_key(sequence.name()))?;
        let end = high_water(entry)
            .ok_or_else(|| Fault::damaged("the mark of a number sequence is unreadable"))?;
        blocks.insert(sequence, Block { next: end, end });
    }
    Ok(blocks)
}
