//! `erp-server audit`: who changed what, read from the real store after requests, commands and a crash.

use erp_tests::bodies;
use erp_tests::client::{Client, stop};
use erp_tests::place::Place;
use serde_json::{Value, json};

const PASSWORD: &str = "sehr geheim 1";

fn entries(place: &Place, flags: &[&str]) -> Vec<Value> {
    let printed = place.run(&[&["audit", "--json"], flags].concat()).success();
    let lines = printed.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn order() -> Value {
    bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]))
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_commands_are_recorded_with_their_users() {
    let place = Place::filled(PASSWORD);
    let server = place.serve(&[]);
    let mut client = Client::new(&server);
    assert_eq!(client.log_in("anna", PASSWORD).await, 200);
    let placed = client
        .expect(201, "POST /www/auftrag", Some(&order()))
        .await;
    let number = placed["AuftNr"].as_str().unwrap().to_owned();
    assert_eq!(client.log_in("chef", PASSWORD).await, 200);
    client.expect(204, "DELETE /www/log", None).await;
    stop(server);
    let _ = place.run(&["order", "status", &number, "O"]).success();

    let record = format!("Auftrag {number}");
    let of_order = entries(&place, &["--record", &record]);
    let told: Vec<_> = of_order
        .iter()
        .map(|entry| (&entry["user"], &entry["operation"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("anna"), &json!("POST /www/auftrag")),
            (&json!("cli"), &json!("order status")),
        ]
    );
    let users = entries(&place, &["--record", "Benutzer anna"]);
    assert_eq!(users.len(), 1);
    assert_eq!(
        (&users[0]["user"], &users[0]["operation"]),
        (&json!("cli"), &json!("user add"))
    );
    let imported = entries(&place, &["--record", "Artikel BU-1004"]);
    assert_eq!(imported[0]["operation"], "import");

    // The readable form: time, user, operation, request, records.
    let shown = place.run(&["audit", "--user", "anna"]).success();
    let last = shown.lines().last().unwrap();
    let columns: Vec<&str> = last.split('\t').collect();
    assert_eq!(
        (columns.len(), columns[1], columns[2], columns[4]),
        (5, "anna", "POST /www/auftrag", record.as_str())
    );
    let at = of_order[0]["at"].as_str().unwrap();
    let to_the_second = at.get(..19).unwrap().replace('T', " ") + "Z";
    assert_eq!(columns[0], to_the_second);
    let since = entries(&place, &["--since", at]);
    let until = entries(&place, &["--until", at]);
    assert_eq!(since[0]["id"], of_order[0]["id"]);
    assert_eq!(
        entries(&place, &[]).len(),
        since.len() + until.len(),
        "no entry is in both or in none"
    );
    let wrong = place.run(&["audit", "--since", "gestern"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    let sound = place.run(&["check"]).success();
    assert!(sound.contains("audit entries"), "{sound}");
}

/// Orders that were acknowledged before a SIGKILL have their audit entries, and entries have their orders.
#[tokio::test(flavor = "multi_thread")]
async fn a_crash_leaves_a_change_with_its_entry_or_neither() {
    let place = Place::filled(PASSWORD);
    let server = place.serve(&["--rate-limits", "false"]);
    let mut client = Client::new(&server);
    assert_eq!(client.log_in("anna", PASSWORD).await, 200);
    let mut numbers = Vec::new();
    for _ in 0..20 {
        let placed = client
            .expect(201, "POST /www/auftrag", Some(&order()))
            .await;
        numbers.push(format!("Auftrag {}", placed["AuftNr"].as_str().unwrap()));
    }
    server.kill();
    let told: Vec<String> = entries(&place, &["--user", "anna"])
        .iter()
        .filter(|entry| entry["operation"] == "POST /www/auftrag")
        .flat_map(|entry| entry["changed"].as_array().unwrap().clone())
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, numbers);
}
