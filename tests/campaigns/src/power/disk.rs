//! What a disk certainly contains, and what it may contain.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::Event;
use super::file::{BLOCK, Content};
use crate::Random;

/// What happens to everything that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All of it is on the disk, as when only the process ended.
    Kept,
    /// All of it is lost.
    Lost,
    /// Some blocks of each file and some changes of names in each folder are kept; the seed decides which.
    Torn(u64),
}

/// A change of names in one folder that is atomic: names that are added or removed.
#[derive(Clone, Debug)]
struct Renaming {
    moment: u64,
    names: Vec<(String, Option<usize>)>,
}

#[derive(Clone, Debug, Default)]
struct Folder {
    now: BTreeMap<String, usize>,
    durable: BTreeMap<String, usize>,
    unsynced: Vec<Renaming>,
}

impl Folder {
    fn change(&mut self, moment: u64, names: Vec<(String, Option<usize>)>) {
        apply(&mut self.now, &names);
        self.unsynced.push(Renaming { moment, names });
    }

    fn sync(&mut self, started: u64) {
        let covered = self
            .unsynced
            .partition_point(|change| change.moment <= started);
        for change in self.unsynced.drain(..covered) {
            apply(&mut self.durable, &change.names);
        }
    }

    /// The first changes, or any of them, because no standard promises their order.
    fn torn(&self, random: &mut Random) -> BTreeMap<String, usize> {
        let mut names = self.durable.clone();
        let in_order = random.below(2) == 0;
        let first = random.index(self.unsynced.len() + 1);
        for (index, change) in self.unsynced.iter().enumerate() {
            let kept = if in_order {
                index < first
            } else {
                random.below(2) == 0
            };
            if kept {
                apply(&mut names, &change.names);
            }
        }
        names
    }
}

fn apply(to: &mut BTreeMap<String, usize>, names: &[(String, Option<usize>)]) {
    for (name, node) in names {
        match node {
            Some(node) => to.insert(name.clone(), *node),
            None => to.remove(name),
        };
    }
}

#[derive(Clone, Debug)]
enum Node {
    Folder(Folder),
    File(Content),
}

/// A sync that has started.
#[derive(Clone, Copy, Debug)]
struct Sync {
    node: usize,
    started: u64,
    length: usize,
}

/// The disk at one point of the log.
#[derive(Clone, Debug)]
pub struct Disk {
    nodes: Vec<Node>,
    /// The node of each inode number, as opened last.
    opened: HashMap<u64, usize>,
    syncs: HashMap<u64, Sync>,
    moment: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            nodes: vec![Node::Folder(Folder::default())],
            opened: HashMap::new(),
            syncs: HashMap::new(),
            moment: 0,
        }
    }
}

impl Disk {
    /// A disk with the content of a folder, all of it durable.
    ///
    /// # Errors Errors of the operating system.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let mut disk = Self::default();
        disk.adopt(0, folder)?;
        Ok(disk)
    }

    fn adopt(&mut self, into: usize, path: &Path) -> io::Result<()> {
        let mut names = BTreeMap::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let node = if entry.file_type()?.is_dir() {
                let node = self.add(Node::Folder(Folder::default()));
                self.adopt(node, &entry.path())?;
                node
            } else {
                self.add(Node::File(Content::settled(fs::read(entry.path())?)))
            };
            names.insert(entry.file_name().to_string_lossy().into_owned(), node);
        }
        self.nodes[into] = Node::Folder(Folder {
            now: names.clone(),
            durable: names,
            unsynced: Vec::new(),
        });
        Ok(())
    }

    /// Whether everything is durable.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::Folder(folder) => folder.unsynced.is_empty(),
            Node::File(content) => content.is_settled(),
        })
    }

    /// Applies an event of the process.
    pub fn apply(&mut self, event: &Event<'_>) {
        self.moment += 1;
        let moment = self.moment;
        match *event {
            Event::Open {
                file,
                name,
                folder,
                create,
                truncate,
            } => self.open(file, name, folder, create, truncate),
            Event::Write { file, at, data } => {
                let at = usize::try_from(at).expect("an offset in memory");
                self.content(file).write(moment, at, data);
            }
            Event::Length { file, length } => {
                let length = usize::try_from(length).expect("a length in memory");
                self.content(file).set_length(moment, length);
            }
            Event::MakeFolder(name) => {
                let node = self.add(Node::Folder(Folder::default()));
                self.name(name, Some(node));
            }
            Event::Remove(name) => self.name(name, None),
            Event::Rename(from, to) => self.rename(from, to),
            Event::Link(from, to) => self.name(to, Some(self.find(from).expect("a linked file"))),
            Event::SyncBegin { file, ticket } => self.begin_sync(file, ticket),
            Event::SyncEnd { ticket } => self.end_sync(ticket),
            Event::Unknown(what) => panic!("the model does not know {what}"),
            Event::Mark(_) => {}
        }
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn find(&self, path: &str) -> Option<usize> {
        let mut node = 0;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let Node::Folder(folder) = &self.nodes[node] else {
                return None;
            };
            node = *folder.now.get(name)?;
        }
        Some(node)
    }

    fn parent<'a>(&self, path: &'a str) -> (usize, &'a str) {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.find(parent).expect("a name is in a folder");
        (parent, name)
    }

    fn folder(&mut self, node: usize) -> &mut Folder {
        match &mut self.nodes[node] {
            Node::Folder(folder) => folder,
            Node::File(_) => panic!("a file is used as a folder"),
        }
    }

    fn content(&mut self, file: u64) -> &mut Content {
        let node = self.opened[&file];
        match &mut self.nodes[node] {
            Node::File(content) => content,
            Node::Folder(_) => panic!("a folder is written to"),
        }
    }

    fn open(&mut self, file: u64, name: &str, folder: bool, create: bool, truncate: bool) {
        let known = self.find(name);
        assert!(
            known.is_some() || create && !folder,
            "{name} was made without the recorder"
        );
        let node = known.unwrap_or_else(|| {
            let node = self.add(Node::File(Content::default()));
            self.name(name, Some(node));
            node
        });
        self.opened.insert(file, node);
        if let (true, Node::File(content)) = (truncate, &mut self.nodes[node]) {
            content.set_length(self.moment, 0);
        }
    }

    fn name(&mut self, path: &str, node: Option<usize>) {
        let (parent, name) = self.parent(path);
        self.change(path, parent, vec![(name.to_owned(), node)]);
    }

    /// Changes names in the folder of a path.
    fn change(&mut self, path: &str, folder: usize, names: Vec<(String, Option<usize>)>) {
        let moment = self.moment;
        let folder = self.folder(folder);
        folder.change(moment, names);
        // The store sets a flag on this folder so that changes of names are durable at once; the recorder does not see
        // the flag.
        if path.rsplit('/').nth(1) == Some("sled") {
            folder.sync(moment);
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        let node = self.find(from).expect("what is renamed is known");
        let ((from_folder, from_name), (to_folder, to_name)) = (self.parent(from), self.parent(to));
        if from_folder == to_folder {
            let names = vec![
                (from_name.to_owned(), None),
                (to_name.to_owned(), Some(node)),
            ];
            self.change(from, from_folder, names);
        } else {
            self.name(to, Some(node));
            self.name(from, None);
        }
    }

    fn begin_sync(&mut self, file: u64, ticket: u64) {
        let node = self.opened[&file];
        let length = match &self.nodes[node] {
            Node::File(content) => content.now.len(),
            Node::Folder(_) => 0,
        };
        let started = self.moment;
        let sync = Sync {
            node,
            started,
            length,
        };
        self.syncs.insert(ticket, sync);
    }

    fn end_sync(&mut self, ticket: u64) {
        let sync = self.syncs.remove(&ticket).expect("a sync begins first");
        match &mut self.nodes[sync.node] {
            Node::File(content) => content.sync(sync.started, sync.length),
            Node::Folder(folder) => folder.sync(sync.started),
        }
    }

    /// Writes what the disk could hold after a power loss at this moment into an empty folder.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn image(&self, loss: Loss, into: &Path) -> io::Result<()> {
        let mut random = Random(match loss {
            Loss::Torn(seed) => seed,
            _ => 0,
        });
        let kept = [1, 4, 7][random.index(3)];
        self.write(0, loss, &mut random, kept, into)
    }

    fn write(
        &self,
        node: usize,
        loss: Loss,
        random: &mut Random,
        kept: u64,
        path: &Path,
    ) -> io::Result<()> {
        match (&self.nodes[node], loss) {
            (Node::File(content), Loss::Kept) => put_file(path, &content.now),
            (Node::File(content), Loss::Lost) => put_file(path, &content.durable),
            (Node::File(content), Loss::Torn(_)) => put_file(path, &content.torn(random, kept)),
            (Node::Folder(folder), _) => {
                fs::create_dir_all(path)?;
                let names = match loss {
                    Loss::Kept => folder.now.clone(),
                    Loss::Lost => folder.durable.clone(),
                    Loss::Torn(_) => folder.torn(random),
                };
                for (name, node) in names {
                    self.write(node, loss, random, kept, &path.join(name))?;
                }
                Ok(())
            }
        }
    }
}

/// Writes a file as a sparse file, because most of it is zeros.
fn put_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = File::create(path)?;
    file.set_len(bytes.len() as u64)?;
    let zeros = [0; BLOCK];
    for (index, block) in bytes.chunks(BLOCK).enumerate() {
        if *block != zeros[..block.len()] {
            file.write_all_at(block, (index * BLOCK) as u64)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tempfile::TempDir;

    /// The files of an image with their content.
    fn image(disk: &Disk, loss: Loss) -> Vec<(String, String)> {
        let folder = TempDir::new().unwrap();
        disk.image(loss, folder.path()).unwrap();
        let mut found = Vec::new();
        let mut folders = vec![folder.path().to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(folder.path()).unwrap();
                let name = name.display().to_string();
                if path.is_dir() {
                    found.push((name, "/".to_owned()));
                    folders.push(path);
                } else {
                    found.push((name, fs::read_to_string(path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    fn open(file: u64, name: &str, create: bool) -> Event<'_> {
        Event::Open {
            file,
            name,
            folder: !create,
            create,
            truncate: false,
        }
    }

    fn sync(disk: &mut Disk, file: u64) {
        disk.apply(&Event::SyncBegin { file, ticket: file });
        disk.apply(&Event::SyncEnd { ticket: file });
    }

    fn found(names: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        names.iter().map(owned).collect()
    }

    fn written() -> Disk {
        let mut disk = Disk::default();
        disk.apply(&open(1, "", false));
        disk.apply(&open(2, "new", true));
        let data = b"text";
        disk.apply(&Event::Write {
            file: 2,
            at: 0,
            data,
        });
        disk
    }

    #[test]
    fn a_file_needs_a_sync_of_its_own_and_one_of_its_folder() {
        let mut disk = written();
        assert_eq!(image(&disk, Loss::Kept), found(&[("new", "text")]));
        assert_eq!(image(&disk, Loss::Lost), []);
        let mut only_name = disk.clone();
        sync(&mut only_name, 1);
        assert_eq!(image(&only_name, Loss::Lost), found(&[("new", "")]));
        sync(&mut disk, 2);
        assert_eq!(image(&disk, Loss::Lost), []);
        sync(&mut disk, 1);
        assert_eq!(image(&disk, Loss::Lost), found(&[("new", "text")]));
        assert!(disk.is_settled());
    }

    #[test]
    fn a_finished_sync_covers_the_writes_before_its_start() {
        let mut disk = written();
        disk.apply(&Event::SyncBegin { file: 1, ticket: 1 });
        disk.apply(&Event::SyncBegin { file: 2, ticket: 2 });
        disk.apply(&Event::Rename("new", "final"));
        let data = b"TEXT";
        disk.apply(&Event::Write {
            file: 2,
            at: 0,
            data,
        });
        assert_eq!(image(&disk, Loss::Lost), []);
        disk.apply(&Event::SyncEnd { ticket: 1 });
        disk.apply(&Event::SyncEnd { ticket: 2 });
        assert_eq!(image(&disk, Loss::Lost), found(&[("new", "text")]));
        assert_eq!(image(&disk, Loss::Kept), found(&[("final", "TEXT")]));
    }

    #[test]
    fn names_in_the_folder_of_sled_are_durable_at_once() {
        let mut disk = written();
        disk.apply(&Event::MakeFolder("sled"));
        sync(&mut disk, 1);
        sync(&mut disk, 2);
        disk.apply(&Event::Rename("new", "sled/old"));
        disk.apply(&Event::Rename("sled/old", "sled/new"));
        let in_sled = ("sled/new", "text");
        assert!(image(&disk, Loss::Lost).contains(&found(&[in_sled])[0]));
        disk.apply(&Event::Remove("sled/new"));
        assert!(!image(&disk, Loss::Lost).contains(&found(&[in_sled])[0]));
    }

    #[test]
    fn a_rename_is_atomic_and_a_removed_name_may_come_back() {
        let mut disk = written();
        sync(&mut disk, 2);
        sync(&mut disk, 1);
        disk.apply(&Event::Rename("new", "final"));
        disk.apply(&Event::MakeFolder("folder"));
        disk.apply(&Event::Rename("final", "folder/final"));
        disk.apply(&Event::Remove("folder/final"));
        let seen: BTreeSet<_> = (0..200)
            .map(|seed| image(&disk, Loss::Torn(seed)))
            .collect();
        for expected in [
            found(&[("new", "text")]),
            found(&[("final", "text")]),
            found(&[("final", "text"), ("folder", "/")]),
            found(&[("folder", "/")]),
            found(&[("folder", "/"), ("folder/final", "text")]),
        ] {
            assert!(seen.contains(&expected), "{expected:?} is missing");
        }
        assert_eq!(image(&disk, Loss::Lost), found(&[("new", "text")]));
        assert_eq!(image(&disk, Loss::Kept), found(&[("folder", "/")]));
    }

    #[test]
    fn a_reused_inode_number_is_another_file() {
        let mut disk = written();
        sync(&mut disk, 2);
        sync(&mut disk, 1);
        disk.apply(&Event::Remove("new"));
        disk.apply(&open(2, "other", true));
        sync(&mut disk, 2);
        assert_eq!(image(&disk, Loss::Lost), found(&[("new", "text")]));
        sync(&mut disk, 1);
        assert_eq!(image(&disk, Loss::Lost), found(&[("other", "")]));
    }
}
