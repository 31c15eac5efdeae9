//! Checks the possible contents of the disk at many points of a run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

use erp_campaigns::Random;
use erp_campaigns::power::{Disk, Event, Log, Loss, Recorder};

/// Number of images that are checked at the same time.
const JUDGES: usize = 3;

/// Number of failures that are reported; one cause leads to many.
const REPORTED: usize = 12;

pub struct Case<'a> {
    /// The folder of the image.
    pub image: PathBuf,
    /// All events before the power loss.
    pub before: &'a [Event<'a>],
    /// The index of the image.
    pub index: usize,
    loss: Loss,
}

/// A log, the points of it that are checked, and everything needed to repeat the check.
///
/// `POWER_REPLAY` names the log of an earlier run, `POWER_MOMENT` the only point of it to check.
pub struct Images<'a> {
    pub name: &'a str,
    pub recorder: &'a Recorder,
    pub log: &'a Path,
    /// The content of the disk at the start of the log.
    pub base: Disk,
    pub seed: u64,
    /// Number of torn images per point.
    pub torn: u64,
}

impl Images<'_> {
    /// Checks the images of each point: all kept, all lost, torn.
    pub fn judge(
        &self,
        moments: &BTreeSet<usize>,
        judge: impl Fn(&Case<'_>) -> Result<(), String> + Sync,
    ) {
        let log = Log::read(self.log).unwrap();
        let events = log.events();
        let only: Option<usize> = std::env::var("POWER_MOMENT")
            .ok()
            .map(|moment| moment.parse().unwrap());
        let failures = Mutex::new(Vec::new());
        let (cases, waiting) = sync_channel(JUDGES);
        let waiting = Mutex::new(waiting);
        std::thread::scope(|scope| {
            for _ in 0..JUDGES {
                scope.spawn(|| work(&waiting, &judge, &failures));
            }
            let wanted = |moment: usize| only.map_or(moments.contains(&moment), |o| o == moment);
            let mut disk = self.base.clone();
            let mut index = 0;
            for moment in 0..=events.len() {
                if wanted(moment) {
                    for loss in self.losses(moment) {
                        let image = self
                            .recorder
                            .place()
                            .join(format!("image-{moment}-{index}"));
                        disk.image(loss, &image).unwrap();
                        let before = &events[..moment];
                        let case = Case {
                            image,
                            before,
                            index,
                            loss,
                        };
                        cases.send(case).unwrap();
                        index += 1;
                    }
                }
                if let Some(event) = events.get(moment) {
                    disk.apply(event);
                }
            }
            drop(cases);
            println!("{}: {index} images of {} events", self.name, events.len());
        });
        self.fail(&events, failures.into_inner().unwrap());
    }

    fn losses(&self, moment: usize) -> Vec<Loss> {
        let mut losses = vec![Loss::Kept, Loss::Lost];
        losses.extend((0..self.torn).map(|torn| {
            let seed = self.seed ^ (moment as u64) << 20 ^ torn << 44;
            Loss::Torn(seed)
        }));
        losses
    }

    /// Fails, and saves the log and the first failed image, so that the check can be repeated.
    fn fail(&self, events: &[Event<'_>], mut failures: Vec<Failure>) {
        failures.sort_by_key(|failure| failure.moment);
        let Some(first) = failures.first() else {
            return;
        };
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let log = place.join(format!("{}.log", self.name));
        fs::copy(self.log, &log).unwrap();
        let image = place.join(format!("{}-image", self.name));
        // On the first failure the folder does not exist.
        let _ = fs::remove_dir_all(&image);
        let mut disk = self.base.clone();
        for event in &events[..first.moment] {
            disk.apply(event);
        }
        disk.image(first.loss, &image).unwrap();
        let texts = failures
            .iter()
            .take(REPORTED)
            .map(|failure| &failure.text[..]);
        panic!(
            "{} images failed:\n{}\nPOWER_SEED={} POWER_REPLAY={} POWER_MOMENT={} judges the first again, \
             it is kept in {}",
            failures.len(),
            texts.collect::<Vec<_>>().join("\n"),
            self.seed,
            log.display(),
            first.moment,
            image.display()
        );
    }
}

/// An image that was refused or has wrong content.
struct Failure {
    moment: usize,
    loss: Loss,
    text: String,
}

impl Failure {
    fn new(case: &Case<'_>, reason: &str) -> Self {
        let moment = case.before.len();
        let last: Vec<_> = case.before.iter().rev().take(3).map(short).collect();
        let text = format!(
            "moment {moment}, {:?}: {reason} (after {})",
            case.loss,
            last.join(" < ")
        );
        Self {
            moment,
            loss: case.loss,
            text,
        }
    }
}

fn work<'a>(
    waiting: &Mutex<Receiver<Case<'a>>>,
    judge: &(impl Fn(&Case<'a>) -> Result<(), String> + Sync),
    failures: &Mutex<Vec<Failure>>,
) {
    loop {
        let case = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(case) = case else {
            return;
        };
        if let Err(reason) = judge(&case) {
            failures.lock().unwrap().push(Failure::new(&case, &reason));
        }
        fs::remove_dir_all(&case.image).unwrap();
    }
}

fn short(event: &Event<'_>) -> String {
    match event {
        Event::Write { file, at, data } => {
            format!("write of {} bytes to file {file} at {at}", data.len())
        }
        Event::Mark(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => format!("{other:?}"),
    }
}

/// This many points of a log, some of them at random.
pub fn moments(events: usize, wanted: usize, seed: u64) -> BTreeSet<usize> {
    if events < wanted {
        return (0..=events).collect();
    }
    let mut random = Random(seed);
    let mut chosen = BTreeSet::from([events]);
    while chosen.len() < wanted {
        chosen.insert(random.index(events));
    }
    chosen
}

/// Asserts that the log has everything that happened in the root folder.
pub fn assert_complete(recorder: &Recorder, base: &Disk, log: &Path, root: &Path) {
    let log = Log::read(log).unwrap();
    let mut disk = base.clone();
    for event in log.events() {
        disk.apply(&event);
    }
    let image = recorder.place().join("complete");
    disk.image(Loss::Kept, &image).unwrap();
    let (reported, real) = (files(&image, &image), files(root, root));
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&reported), names(&real), "the recorder misses names");
    for (reported, real) in reported.iter().zip(&real) {
        assert!(
            reported == real,
            "the recorder misses writes to {}",
            reported.0
        );
    }
    fs::remove_dir_all(image).unwrap();
}

fn files(root: &Path, path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            found.push((name, Vec::new()));
            found.extend(files(root, &path));
        } else {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
