# Campaigns that may take hours: `tests/run long NAME [LENGTH]`. The comment after a name is its line in the list.
# shellcheck shell=bash

# suite NAME FILTER: tests of the workspace, one thread per core.
suite() { cargo test --locked --workspace --test "$@"; }

campaign() {
    local name=${1:-} length=${2:-}
    case $name in
    advisories) # none: known faults of dependencies (deny.toml); needs `cargo install cargo-deny` and the network
        step "$name" cargo deny check
        ;;
    attacks) # seconds of a round (10), three with and three without each attack: memory and times of the others
        step "$name" cargo run --locked --release -p erp-campaigns -- "${length:-10}"
        ;;
    clients) # none: clients in Java, PHP, C# and TypeScript (axios), generated from the OpenAPI document
        step "$name" other_openapi_clients
        ;;
    cluster) # failovers (3): the interface, several servers and a failover, with PgBouncer and with Patroni
        cluster "${length:-3}"
        ;;
    damage) # places (1000): damaged stores
        DAMAGE_PLACES=${length:-1000} step "$name" suite embedded damage::
        ;;
    failovers) # rounds (25): a database dies under load, its standby takes over
        step "$name" again "${length:-25}" suite postgres failover::
        ;;
    fuzz) # seconds for each target (28800)
        step "fuzzing of the readers of foreign files" with c++ tests/fuzz/run "${length:-28800}"
        ;;
    invoices) # number (200): invoices of orders of many kinds, as programs of others see their pages and QR codes
        step "$name" with pdftoppm qr_bills "${length:-200}"
        ;;
    kills) # rounds (1000): the server is killed under load, on both stores
        export CRASH_ROUNDS=${length:-1000}
        step "kills on the embedded store" suite embedded crash::
        step "kills on PostgreSQL" suite postgres crash::
        ;;
    locks) # rounds (25): a lock is held in PostgreSQL
        CRASH_ROUNDS=${length:-25} step "$name" suite postgres locks::
        ;;
    mutations) # changes of each of some 100 invoice PDFs (1000)
        MUTATIONS=${length:-1000} step "$name" suite invoices changed_files
        ;;
    package) # none: what is handed out, for ARM too, the Debian package with its profile, the documents as a site
        step "what is handed out" tests/package/dist
        step "what is handed out for ARM" with "rustup aarch64-linux-gnu-gcc" dist_for_arm
        step "Debian package" debian_package dist
        step "documents as a site" docs/build "$target/site"
        step "the site in Chromium" browser site
        step "documentation of the server" documentation erp-server
        ;;
    power) # moments (1000): power losses
        POWER_MOMENTS=${length:-1000} step "$name" suite embedded power_loss::
        ;;
    repeat) # times (3): every check again and again; `repeat 1 busy` beside two busy loops
        [ "${3:-}" != busy ] || busy_loops
        step "$name" again "${length:-3}" tests/run
        ;;
    soak) # seconds (3600)
        SOAK_SECONDS=${length:-3600} step "$name" suite embedded soak::
        ;;
    *)
        echo "tests/run long NAME [LENGTH], where NAME and the unit of LENGTH are:"
        sed -n 's/^    \([a-z]*\)) # \(.*\)/\1\t\2/p' tests/steps/campaigns.sh | expand -t 13
        exit 2
        ;;
    esac
}

# cluster FAILOVERS: through PgBouncer, which runs each transaction on any process, and with Patroni and HAProxy.
cluster() {
    if ! cluster_packages; then
        skip "cluster" "it needs postgresql, haproxy, pgbouncer, patroni and etcd-server, which cannot be installed"
        return
    fi
    for ERP_TEST_CLUSTER in pgbouncer patroni; do
        export ERP_TEST_CLUSTER
        step "HTTP with $ERP_TEST_CLUSTER" http_on_postgresql
        step "several servers with $ERP_TEST_CLUSTER" cargo_tests --test postgres -- servers:: pooler:: rolling::
        step "failovers with $ERP_TEST_CLUSTER" again "$1" suite postgres failover::
    done
}

# again TIMES COMMAND...: stops at the first failure.
again() {
    local round
    for ((round = 1; round <= $1; round++)); do
        echo "round $round of $1"
        "${@:2}" || return 1
    done
}

# Two processes that each keep a core busy.
busy_loops() {
    for _ in 1 2; do
        ( while :; do :; done ) &
    done
}
