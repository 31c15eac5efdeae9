//! After a power loss at any point a store opens and has every acknowledged commit.
//!
//! A process that works on a store is recorded, see `erp_campaigns::power`. At many points of its work, the possible
//! contents of the disk are built in three ways and opened. `POWER_SEED` repeats the work of a run (it is printed), but
//! not the timing of its threads; the message of a failure says how to check the same log again. `POWER_MOMENTS` sets
//! the number of points in a store at work (120); a nightly run uses more.

use crate::power_common;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use erp_campaigns::power::{Disk, Event, Log, Loss, Recorder};
use erp_core::storage::{ChangeSet, Entry, Key, Sequence, Space, Storage as _};
use erp_server::store::SledStore;
use erp_tests::own_process::only;
use erp_tests::skipped;
use erp_tests::storage::{self, Content};
use power_common::history::Acknowledged;
use power_common::images::{assert_complete, moments};
use power_common::workload::{self, Plan};
use power_common::{Case, History, Images, server};

/// Points that are checked in each run, each with three images.
const MOMENTS: usize = 48;

/// Images with a second power loss during recovery.
const RECOVERIES: usize = 8;

fn wanted() -> usize {
    let given = std::env::var("POWER_MOMENTS").ok();
    given.map_or(MOMENTS, |moments| moments.parse().unwrap())
}

fn seed() -> u64 {
    let given = std::env::var("POWER_SEED").ok();
    let clock = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        now.subsec_micros().into()
    };
    let seed = given.map_or_else(clock, |seed| seed.parse().unwrap());
    println!("POWER_SEED={seed}");
    seed
}

/// If the environment says so this is the recorded process; otherwise it does the same work without a recorder.
#[test]
fn the_workload_leaves_what_was_acknowledged() {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    if let (Some(root), Some(log)) = (variable("POWER_ROOT"), variable("POWER_LOG")) {
        let plan = Plan::parse(&std::env::var("POWER_PLAN").unwrap());
        workload::run(plan, &root, &log);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let plan = Plan {
        seed: seed(),
        starts: 3,
        writers: 2,
        commits: 10,
    };
    workload::run(plan, folder.path(), &log);
    let log = Log::read(&log).unwrap();
    let history = History::of(&log.events());
    assert_eq!(history.len(), 60);
    let acknowledged = Acknowledged::of(&log.events());
    open_and_compare(&folder.path().join("data"), &history, acknowledged, true).unwrap();
}

/// Runs the workload in a separate process under the recorder.
fn record(recorder: &Recorder, plan: Plan, root: &Path, log: &Path) {
    let mut command = only(module_path!(), "the_workload_leaves_what_was_acknowledged");
    command.env("POWER_PLAN", plan.render());
    recorder.record(&mut command, root, log);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

fn recorder() -> Option<Recorder> {
    Recorder::new().map_err(|reason| skipped(&reason)).ok()
}

/// The log of this run, or of an earlier one.
fn run(recorder: &Recorder, plan: Plan, name: &str) -> PathBuf {
    if let Some(earlier) = std::env::var_os("POWER_REPLAY") {
        return earlier.into();
    }
    let root = recorder.place().join(format!("root-{name}"));
    let log = recorder.place().join(format!("log-{name}"));
    std::fs::create_dir(&root).unwrap();
    record(recorder, plan, &root, &log);
    assert_complete(recorder, &Disk::default(), &log, &root);
    log
}

fn judge(case: &Case<'_>, history: &History) -> Result<(), String> {
    let acknowledged = Acknowledged::of(case.before);
    let further = case.index % 4 == 1;
    open_and_compare(&case.image.join("data"), history, acknowledged, further)
}

/// Opens a store, which must contain a state of the history that includes everything acknowledged, and continues with
/// it.
fn open_and_compare(
    path: &Path,
    history: &History,
    acknowledged: Acknowledged,
    further: bool,
) -> Result<(), String> {
    let open = || {
        SledStore::open(path, workload::options(history.plan.seed))
            .map_err(|error| format!("does not open: {error}"))
    };
    let store = open()?;
    let last = store.status().last_revision;
    if last < acknowledged.revision {
        return Err(format!(
            "revision {} was acknowledged, the last is {last}",
            acknowledged.revision
        ));
    }
    let mut expected = history.content(last);
    compare(&content(&store)?, &expected)?;
    let number = pollster::block_on(store.next_numbers(&[(Sequence::Order, 1)]))
        .map_err(|error| format!("no number: {error}"))?[0];
    if number <= acknowledged.number {
        return Err(format!("the number {number} is given again"));
    }
    if !further {
        store.abandon();
        return Ok(());
    }
    let mut changes = ChangeSet::new();
    let key = Key::of(Space::Scratch).number(u64::MAX);
    changes.put(key.clone(), b"further".to_vec());
    let revision = pollster::block_on(store.commit(changes)).map_err(|error| error.to_string())?;
    store.close().map_err(|error| error.to_string())?;
    let entry = Entry {
        revision,
        value: b"further".to_vec(),
    };
    expected.insert(key, entry);
    let store = open()?;
    let result = compare(&content(&store)?, &expected);
    store.abandon();
    result
}

fn content(store: &SledStore) -> Result<Content, String> {
    pollster::block_on(storage::content(store)).map_err(|error| error.to_string())
}

fn compare(found: &Content, expected: &Content) -> Result<(), String> {
    for (key, entry) in expected {
        match found.get(key) {
            Some(found) if found == entry => {}
            Some(found) => {
                return Err(format!(
                    "{key:?} has revision {} in place of {}, or other bytes",
                    found.revision, entry.revision
                ));
            }
            None => return Err(format!("{key:?} of revision {} is lost", entry.revision)),
        }
    }
    match found.keys().find(|key| !expected.contains_key(key)) {
        Some(key) => Err(format!("{key:?} was never written or is deleted")),
        None => Ok(()),
    }
}

fn simulate(name: &str, plan: Plan, torn: u64, moments: impl Fn(usize) -> BTreeSet<usize>) {
    let Some(recorder) = recorder() else {
        return;
    };
    let path = run(&recorder, plan, name);
    let log = Log::read(&path).unwrap();
    let events = log.events();
    let history = History::of(&events);
    let images = Images {
        name,
        recorder: &recorder,
        log: &path,
        base: Disk::default(),
        seed: history.plan.seed,
        torn,
    };
    images.judge(&moments(events.len()), |case| judge(case, &history));
}

#[test]
fn a_store_at_work_survives_a_power_loss_at_any_moment() {
    let seed = seed();
    let plan = Plan {
        seed,
        starts: 6,
        writers: 3,
        commits: 40,
    };
    simulate("power-work", plan, 1, |events| {
        moments(events, wanted(), seed)
    });
}

/// A power loss may undo unsynced changes of names in any order. Therefore each journal segment that is removed or
/// becomes the spare is followed by a sync of the folder before the next name in it changes.
#[test]
fn names_of_journal_files_are_synced_one_by_one() {
    let Some(recorder) = recorder() else {
        return;
    };
    // With a multiple of 3, segments that are not needed are removed.
    let plan = Plan {
        seed: 9,
        starts: 3,
        writers: 3,
        commits: 60,
    };
    let log = Log::read(&run(&recorder, plan, "power-names")).unwrap();
    let (mut folder, mut tickets) = (BTreeSet::new(), BTreeSet::new());
    let (mut unsynced, mut changes) = (None, 0);
    for event in log.events() {
        let name = match event {
            Event::Open {
                file,
                name,
                folder: true,
                ..
            } if name.ends_with("journal") => {
                folder.insert(file);
                continue;
            }
            Event::SyncBegin { file, ticket } if folder.contains(&file) => {
                tickets.insert((ticket, unsynced));
                continue;
            }
            // A sync covers the changes before its start.
            Event::SyncEnd { ticket } => {
                if tickets.remove(&(ticket, unsynced)) {
                    unsynced = None;
                }
                continue;
            }
            Event::Remove(name) | Event::Rename(name, _) => name,
            _ => continue,
        };
        // A new segment may get its name in the meantime.
        let old = name.ends_with(".journal") || name.ends_with("/spare");
        if !name.contains("/journal/") || !old {
            continue;
        }
        assert_eq!(unsynced, None, "`{name}` changes before a sync");
        if name.ends_with(".journal") {
            changes += 1;
            unsynced = Some(changes);
        }
    }
    assert!(changes > 5, "{changes} segments went");
}

#[test]
fn a_new_store_survives_a_power_loss_in_its_first_moments() {
    let plan = Plan {
        seed: seed(),
        starts: 2,
        writers: 1,
        commits: 2,
    };
    simulate("power-first", plan, 4, |events| {
        (0..=events.min(4 * MOMENTS)).collect()
    });
}

/// The disk after a power loss is the disk of the next start, which is recorded like the first.
#[test]
fn a_store_survives_a_power_loss_while_it_recovers_from_one() {
    let Some(recorder) = recorder() else {
        return;
    };
    let seed = seed();
    let plan = Plan {
        seed,
        starts: 3,
        writers: 2,
        commits: 30,
    };
    let log = run(&recorder, plan, "power-before");
    let log = Log::read(&log).unwrap();
    let events = log.events();
    for (index, moment) in moments(events.len(), RECOVERIES, seed)
        .into_iter()
        .enumerate()
    {
        let mut disk = Disk::default();
        for event in &events[..moment] {
            disk.apply(event);
        }
        let name = format!("power-again-{index}");
        let root = recorder.place().join(&name);
        let loss = Loss::Torn(seed ^ moment as u64);
        disk.image(loss, &root).unwrap();
        lose_again(&recorder, &events, moment, &root, &name);
    }
}

fn lose_again(recorder: &Recorder, before: &[Event<'_>], moment: usize, root: &Path, name: &str) {
    let history = History::of(before);
    let acknowledged = Acknowledged::of(&before[..moment]);
    let base = Disk::of(root).unwrap();
    let copy = recorder.place().join(format!("{name}-copy"));
    base.image(Loss::Kept, &copy).unwrap();
    let opened = SledStore::open(copy.join("data"), workload::options(history.plan.seed));
    let opened = opened.unwrap_or_else(|error| panic!("moment {moment}: {error}"));
    let last = opened.status().last_revision;
    opened.abandon();
    // The same options, but other changes.
    let plan = Plan {
        seed: history.plan.seed + 3,
        starts: 1,
        writers: 1,
        commits: 3,
    };
    let log = recorder.place().join(format!("{name}-log"));
    record(recorder, plan, root, &log);
    assert_complete(recorder, &base, &log, root);
    let read = Log::read(&log).unwrap();
    let events = read.events();
    let history = history.continued(last, History::of(&events));
    let images = Images {
        name,
        recorder,
        log: &log,
        base,
        seed: plan.seed,
        torn: 1,
    };
    images.judge(&moments(events.len(), 25, plan.seed), |case| {
        let acknowledged = acknowledged.and(case.before);
        open_and_compare(&case.image.join("data"), &history, acknowledged, false)
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_keeps_what_it_acknowledged_whatever_the_moment() {
    let Some(recorder) = recorder() else {
        return;
    };
    let seed = seed();
    let log = match std::env::var_os("POWER_REPLAY") {
        Some(earlier) => earlier.into(),
        None => server::record(&recorder).await,
    };
    let read = Log::read(&log).unwrap();
    let events = read.events();
    let images = Images {
        name: "power-server",
        recorder: &recorder,
        log: &log,
        base: Disk::default(),
        seed,
        torn: 1,
    };
    let moments = server::moments(&events, seed);
    tokio::task::block_in_place(|| images.judge(&moments, server::judge));
}
