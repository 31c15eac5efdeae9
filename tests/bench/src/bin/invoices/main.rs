//! The benchmark of invoice PDFs: `cargo run --release -p erp-bench --bin invoices`.
//!
//! For each file it measures, in one run: copying its bytes, loading and saving it with lopdf, `combine`, `inspect` and
//! `extract`. It prints the ratios to lopdf. Then it measures the memory that one `combine` uses besides the input, in
//! a separate process (from `/proc`, so it needs Linux). At last it checks an invoice of each syntax. Targets: `combine` at most 1 x lopdf at 45 kB and 0.2 x at 3.4
//! MB; at 100 MB 5 ms beyond copying and 10 MB beyond the input; 50 ms with 400,000 objects; 2 x where the file has to
//! be rewritten; `extract` 0.05 x at 3.4 MB; `inspect`, which checks PDF/A, 600 ms for 5,100 pages in 33 MB; a check
//! 0.2 ms for 10 kB. Where `FACTURX_PYTHON` names a Python that has the package factur-x (7.8), its time for the same
//! file, without the check of the XML, and the ratio of `combine` to it come last; target: at most 0.2 x.

mod files;
mod long;
mod saxon;

use erp_core::zugferd::{
    CheckLimits, CombineOptions, ExtractOptions, Limits, check, combine, extract, inspect,
};
use files::{Sample, sample, samples};
use std::hint::black_box;
use std::time::{Duration, Instant};

const XML: &[u8] = include_bytes!("../../../../fixtures/zugferd/xml/facturx-en16931.xml");

fn main() {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("--memory"), Some(name)) => return memory_of(&name),
        (Some("--check"), None) => return checks(),
        _ => {}
    }
    println!(
        "{:>22} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8} {:>16}  {:12} {:>12} {:>8}",
        "file",
        "copy",
        "lopdf",
        "combine",
        "ratio",
        "inspect",
        "extract",
        "ratio",
        "memory",
        "PDF/A",
        "factur-x",
        "ratio"
    );
    for sample in samples() {
        measure(&sample);
    }
    checks();
}

/// The check alone; the only thing with the option `--check`.
fn checks() {
    println!("\n{:>22} {:>10} {:>10}", "check of", "bytes", "time");
    for (name, xml) in CHECKED {
        let report = check(xml, &CheckLimits::DEFAULT);
        assert!(report.valid, "{name}: {:?}", report.findings);
        let time = fastest(1_000, || drop(black_box(check(xml, &CheckLimits::DEFAULT))));
        println!("{name:>22} {:>10} {:>10}", xml.len(), shown(time));
    }
    saxon::compare();
}

/// Valid invoices of CII, with the rules of Factur-X too, and of UBL.
const CHECKED: [(&str, &[u8]); 2] = [
    (
        "CII",
        include_bytes!("../../../../fixtures/check/valid.xml"),
    ),
    (
        "UBL",
        include_bytes!("../../../../fixtures/check/ubl-invoice.xml"),
    ),
];

fn measure(sample: &Sample) {
    let options = CombineOptions::default();
    let rounds = sample.rounds;
    let copy = fastest(rounds, || drop(black_box(sample.pdf.clone())));
    let peer = fastest(rounds.min(20), || {
        let mut document = lopdf::Document::load_mem(&sample.pdf).expect("lopdf loads it");
        let mut out = Vec::new();
        document.save_to(&mut out).expect("lopdf saves it");
        black_box(out);
    });
    let combined = combine(&sample.pdf, XML, &options).expect("it is combined");
    let ours = fastest(rounds, || {
        drop(black_box(combine(&sample.pdf, XML, &options)))
    });
    let inspected = fastest(rounds, || {
        drop(black_box(inspect(&sample.pdf, &Limits::DEFAULT)))
    });
    let taken = fastest(rounds, || {
        drop(black_box(extract(
            &combined.pdf,
            &ExtractOptions::default(),
        )))
    });
    println!(
        "{:>22} {:>10} {:>10} {:>10} {:>8.3} {:>10} {:>10} {:>8.4} {:>16}  {:12} {}",
        sample.name,
        shown(copy),
        shown(peer),
        shown(ours),
        ours.as_secs_f64() / peer.as_secs_f64(),
        shown(inspected),
        shown(taken),
        taken.as_secs_f64() / peer.as_secs_f64(),
        memory(sample.name),
        combined.pdfa.word(),
        match by_facturx(sample) {
            None => String::new(),
            Some(Ok(time)) => {
                let ratio = ours.as_secs_f64() / time.as_secs_f64();
                format!("{:>12} {ratio:>8.3}", shown(time))
            }
            Some(Err(error)) => error,
        },
    );
    for reason in combined.pdfa.reasons().iter().take(2) {
        println!("{:>22} {reason}", "");
    }
}

/// The processor time of the fastest round of factur-x, if it is there; or the last line of its error. Other work on
/// the machine disturbs its long rounds, which would flatter `combine`. It calls itself for each page of a long file,
/// so the limit of Python is lifted.
fn by_facturx(sample: &Sample) -> Option<Result<Duration, String>> {
    const PROGRAM: &str = "
import facturx, sys, time
sys.setrecursionlimit(1_000_000)
pdf, xml = (open(path, 'rb').read() for path in sys.argv[1:3])
def once():
    start = time.process_time()
    facturx.generate_from_binary(pdf, xml, check_xsd=False)
    return time.process_time() - start
print(min(once() for _ in range(int(sys.argv[3]))))
";
    let python = std::env::var_os("FACTURX_PYTHON")?;
    let folder = tempfile::tempdir().expect("a folder is made");
    let [pdf, xml] = ["a.pdf", "a.xml"].map(|name| folder.path().join(name));
    std::fs::write(&pdf, &sample.pdf).expect("it is written");
    std::fs::write(&xml, XML).expect("it is written");
    let output = std::process::Command::new(python)
        .args(["-c", PROGRAM])
        .args([&pdf, &xml])
        .arg(sample.rounds.min(3).to_string())
        .output()
        .expect("Python starts");
    let told = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    let seconds = told.trim().parse().map(Duration::from_secs_f64);
    Some(seconds.map_err(|_| error.lines().last().unwrap_or("no time").to_owned()))
}

/// The fastest round: it is the least disturbed by other work on the machine.
fn fastest(rounds: u32, mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..rounds)
        .map(|_| once(&mut work))
        .min()
        .unwrap_or_default()
}

fn shown(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

/// Peak memory of one `combine` besides the input and the result, measured in a separate process.
fn memory(name: &str) -> String {
    let program = std::env::current_exe().expect("the program knows where it is");
    let output = std::process::Command::new(program)
        .args(["--memory", name])
        .output();
    output.map_or_else(
        |_| "-".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

fn memory_of(name: &str) {
    let pdf = sample(name).expect("a sample has this name").pdf;
    // Resets the peak, so that generating the sample does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = peak();
    let combined = combine(&pdf, XML, &CombineOptions::default()).expect("it is combined");
    let result = combined.pdf.len() as f64 / 1e6;
    let beyond = peak().zip(before).map(|(after, before)| after - before);
    match beyond {
        Some(beyond) => println!("result + {:.1} MB", (beyond - result).max(0.0)),
        None => println!("-"),
    }
}

/// Peak memory of this process in MB.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1e3)
}
