//! A search that waits for a thread, or occupies one, does not block other requests.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use erp_tests::server::{ADMIN, Server};
use futures_util::future::join_all;

/// A search that does not wait takes much less time than this.
const WAITS: Duration = Duration::from_secs(1);

#[test]
fn long_reads_that_hold_their_threads_stop_no_other_request() {
    let server = Server::start();
    let reads = &server.app().long_reads;
    let _token = server.token(ADMIN);
    for (path, status) in [
        ("/www/adressensuche?OrtLand=CH", 200),
        ("/www/kunden/10001?order=1&status=A", 200),
        ("/admin/orders", 200),
    ] {
        // At least as many as there are threads for long reads. They occupy them like reads of an embedded store, which
        // never yield.
        let cores = thread::available_parallelism().unwrap().get();
        let (began, beginning) = mpsc::channel();
        let mut open = Vec::new();
        let held: Vec<_> = (0..cores)
            .map(|_| {
                let (go_on, gate) = mpsc::channel::<()>();
                open.push(go_on);
                let began = began.clone();
                reads.read(async move {
                    began.send(()).unwrap();
                    gate.recv().is_err()
                })
            })
            .collect();
        let server = &server;
        // The scope owns `open`: when an assertion fails, the reads end, and the test with them.
        thread::scope(move |scope| {
            let held = scope.spawn(move || server.wait(join_all(held)));
            (0..cores).for_each(|_| beginning.recv().unwrap());
            let search = scope.spawn(move || server.get(path).by(ADMIN).send());
            thread::sleep(WAITS);
            assert!(!search.is_finished(), "{path} is no long read");
            let _ = server.get("/www/artikel").by(ADMIN).send().expect(200);
            open.clear();
            assert!(held.join().unwrap().into_iter().all(Result::unwrap));
            let _ = search.join().unwrap().expect(status);
        });
    }
}
