//! Attacks on the real server over loopback: how much memory they take, and how they affect other clients.
//!
//! `cargo run --release -p erp-campaigns -- SECONDS [NAME...]`
//!
//! There are two servers for each attack. After a warm-up, rounds alternate in which the second one and the first one is
//! attacked. Each lasts this many seconds, while the same other clients read from the first. So the rounds differ only in
//! what the attack does to a server, not in what it costs the machine. The table has medians of the rounds; factors
//! compare a round with the one before it. Attackers have the lowest priority. The first line shows what such a process
//! costs on this machine without any attack.
//!
//! The program fails if the server's memory rises more than 256 MiB above that of the warm server, if a read fails, or
//! if the log grows by more than 4 MB per second. Times are only printed, because they depend on the machine.

mod attackers;
mod client;
mod company;
mod loads;
mod readers;
mod report;
mod victim;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use attackers::{Attackers, Target};
use company::Company;
use loads::Load;
use readers::AllSeen;
use report::{Memory, Report};
use victim::{Victim, processor_time};

const ROUNDS: usize = 3;

/// The length of the warm-up, unless a round is shorter.
const WARM_UP: Duration = Duration::from_secs(5);

pub(crate) struct Round {
    pub(crate) seen: AllSeen,
    pub(crate) length: Duration,
    /// Processor time of the server and of the attackers.
    pub(crate) server: Duration,
    pub(crate) attackers: Duration,
    /// Growth of the log in bytes.
    pub(crate) logged: u64,
}

/// Measures reads during a round, with the attackers if there are any.
fn round(
    runtime: &Runtime,
    victim: &Victim,
    token: &str,
    length: Duration,
    attackers: Option<&Attackers>,
) -> Round {
    let attackers_time =
        || attackers.map_or(Duration::ZERO, |attackers| processor_time(attackers.id()));
    let (started, server, others) = (Instant::now(), victim.processor_time(), attackers_time());
    let logged = victim.log_bytes();
    let seen = runtime.block_on(readers::read(&victim.dialer, token, length));
    Round {
        seen,
        length: started.elapsed(),
        server: victim.processor_time().saturating_sub(server),
        attackers: attackers_time().saturating_sub(others),
        logged: victim.log_bytes().saturating_sub(logged),
    }
}

fn attack(runtime: &Runtime, company: &Company, load: &Load, length: Duration) -> Report {
    let other = Victim::start(company, company.copy(), load.is_encrypted);
    let victim = Victim::start(company, company.data(), load.is_encrypted);
    let admin = runtime.block_on(company::token(&victim.dialer, &company.admin));
    let target_at = |victim: &Victim| Target {
        address: victim.address,
        certificate: load.is_encrypted.then(|| company.certificate()),
        customers: runtime.block_on(company::log_in(&victim.dialer, company)),
        token: runtime.block_on(company::token(&victim.dialer, &company.shop)),
    };
    let (target, other_target) = (target_at(&victim), target_at(&other));
    let _ = round(runtime, &victim, &admin, length.min(WARM_UP), None);
    let open_files = victim.open_files();
    let resting = victim.memory_kib("VmRSS:");
    victim.forget_peak();
    let mut rounds = Vec::new();
    let mut did = String::new();
    for _ in 0..ROUNDS {
        let attackers = Attackers::start(load.name, &other_target);
        let control = round(runtime, &victim, &admin, length, Some(&attackers));
        let _ = attackers.end();
        let attackers = Attackers::start(load.name, &target);
        let beside = round(runtime, &victim, &admin, length, Some(&attackers));
        did = attackers.end();
        victim.settle(open_files);
        rounds.push((control, beside));
    }
    Report {
        name: load.name,
        memory: Memory {
            resting,
            peak: victim.memory_kib("VmHWM:"),
            afterwards: victim.memory_kib("VmRSS:"),
        },
        rounds,
        did,
    }
}

fn run(seconds: u64, wanted: &[String]) -> ExitCode {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let company = Company::new(&runtime);
    let mut has_many = false;
    let mut failed = Vec::new();
    println!("{}", report::HEAD);
    for load in loads::all() {
        if !wanted.is_empty() && !wanted.iter().any(|part| load.name.contains(part.as_str())) {
            continue;
        }
        if load.needs_many && !has_many {
            company.grow();
            has_many = true;
        }
        let report = attack(&runtime, &company, &load, Duration::from_secs(seconds));
        println!("{report}");
        failed.extend(report.faults());
    }
    for fault in &failed {
        eprintln!("{fault}");
    }
    match failed.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, name] = arguments.as_slice()
        && role == attackers::ROLE
    {
        return attackers::run(name);
    }
    let mut arguments = arguments.into_iter();
    let seconds = arguments.next().map(|text| text.parse());
    let Some(Ok(seconds @ 1..=3_600)) = seconds else {
        eprintln!(
            "name the seconds of a round, 1 to 3600, and perhaps parts of the attacks' names"
        );
        return ExitCode::from(2);
    };
    let wanted: Vec<String> = arguments.collect();
    run(seconds, &wanted)
}
