//! A search that waits for a thread, or occupies one, does not block other requests.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use erp_tests::bodies;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, SHOP1, Server};
use futures_util::future::join_all;
use serde_json::json;

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
        // At least as many as there are threads for long reads, which are two or more. They occupy them like reads of an
        // embedded store, which never yield. Each is of another caller, because one alone leaves a thread free.
        let cores = thread::available_parallelism().unwrap().get();
        let (began, beginning) = mpsc::channel();
        let mut open = Vec::new();
        let held: Vec<_> = (0..=cores)
            .map(|caller| {
                let (go_on, gate) = mpsc::channel::<()>();
                open.push(go_on);
                let began = began.clone();
                reads.read(caller.to_string(), async move {
                    began.send(()).unwrap();
                    gate.recv().is_err()
                })
            })
            .collect();
        let server = &server;
        // The scope owns `open`: when an assertion fails, the reads end, and the test with them.
        thread::scope(move |scope| {
            let held = scope.spawn(move || server.wait(join_all(held)));
            (0..2).for_each(|_| beginning.recv().unwrap());
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

// rule: D-WRK-03
#[test]
fn jobs_of_one_caller_that_do_not_end_hold_up_no_other_caller() {
    let server = Server::start();
    let app = server.app();
    let _token = server.token(ADMIN);
    for (lane, path, status) in [
        (&app.long_reads, "/admin/orders", 200),
        (&app.invoice_pages, "/www/rechnung/1", 404),
    ] {
        let (began, beginning) = mpsc::channel();
        let mut open = Vec::new();
        let burst: Vec<_> = (0..40)
            .map(|_| {
                let (go_on, gate) = mpsc::channel::<()>();
                open.push(go_on);
                let began = began.clone();
                lane.read("shop1:10001".to_owned(), async move {
                    let _ = began.send(());
                    gate.recv().is_err()
                })
            })
            .collect();
        let server = &server;
        // As above, the reads end with `open`.
        thread::scope(move |scope| {
            let burst = scope.spawn(move || server.wait(join_all(burst)));
            beginning.recv().unwrap();
            let other = scope.spawn(move || {
                let request = server.get(path).by(ADMIN);
                request
                    .header("accept", b"application/pdf")
                    .send_unchecked()
            });
            let end = Instant::now() + Duration::from_secs(60);
            while !other.is_finished() {
                assert!(Instant::now() < end, "{path} waits for another caller");
                thread::sleep(Duration::from_millis(5));
            }
            let _ = other.join().unwrap().expect(status);
            open.clear();
            assert!(burst.join().unwrap().into_iter().all(Result::unwrap));
        });
    }
}

// rule: D-WRK-03
#[test]
fn a_document_that_a_customer_reads_waits_for_its_turn_and_a_users_own_does_not() {
    let server = Server::start();
    let order = bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": 2}]));
    let number = place(&server, &order).expect(201).number("AuftNr");
    let path = &format!("/www/auftrag/{number}");
    let token = server.customer_token(SHOP1, "10006");
    let (began, beginning) = mpsc::channel();
    let (end, gate) = mpsc::channel::<()>();
    let held = server
        .app()
        .of_customers
        .read("shop1:10001".to_owned(), async move {
            began.send(()).unwrap();
            gate.recv().is_err()
        });
    let server = &server;
    thread::scope(move |scope| {
        // The only place, where the machine has one core or two.
        let held = scope.spawn(move || server.wait(held));
        beginning.recv().unwrap();
        let places = (thread::available_parallelism().unwrap().get() / 2).max(1);
        let customer = scope.spawn(move || server.get(path).bearer(&token).send());
        let _ = server.get(path).by(SHOP1).send().expect(200);
        thread::sleep(WAITS);
        assert!(places > 1 || !customer.is_finished(), "it does not wait");
        drop(end);
        assert!(held.join().unwrap().unwrap());
        let _ = customer.join().unwrap().expect(200);
    });
}
