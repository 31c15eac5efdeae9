//! A primary that can be lost, with a standby that takes over.

use std::thread;
use std::time::Duration;

use erp_tests::postgres::{Bouncer, Cluster, Options, Patroni};

/// A primary and its synchronous standby: two databases and a script of ours, or two nodes under Patroni with
/// `ERP_TEST_CLUSTER=patroni`.
#[derive(Debug)]
pub enum Pair {
    /// The standby is promoted by the test, which also points PgBouncer to it if that is in front.
    Ours {
        /// The one that is lost.
        primary: Cluster,
        /// The one that takes over.
        standby: Cluster,
        /// With `ERP_TEST_CLUSTER=pgbouncer`.
        bouncer: Option<Bouncer>,
    },
    /// Patroni promotes, and HAProxy follows.
    Patroni(Patroni),
}

impl Pair {
    /// A new pair that runs, or `None` after a note why the caller is skipped.
    #[must_use]
    pub fn start() -> Option<Self> {
        if let Some(patroni) = Patroni::if_asked(&Options::durable()) {
            return Some(Self::Patroni(patroni));
        }
        let primary = Cluster::start(&Options::durable())?;
        let standby = primary.standby();
        let bouncer = Bouncer::if_asked(&primary);
        Some(Self::Ours {
            primary,
            standby,
            bouncer,
        })
    }

    /// Makes an empty database; the connection string of a server that is not changed by a failover.
    #[must_use]
    pub fn create_database(&self, name: &str) -> String {
        match self {
            Self::Ours {
                primary,
                standby,
                bouncer,
            } => {
                primary.create_database(name);
                match bouncer {
                    Some(bouncer) => bouncer.url(name),
                    None => primary.url_with(standby, name),
                }
            }
            Self::Patroni(patroni) => patroni.front().create_database(name),
        }
    }

    /// The primary dies, and its standby takes over. Returns where the records are now.
    pub fn fail_over(&mut self) -> &Cluster {
        match self {
            Self::Ours {
                primary,
                standby,
                bouncer,
            } => {
                primary.kill_all();
                // No one notices at once.
                thread::sleep(Duration::from_millis(500));
                standby.promote();
                if let Some(bouncer) = bouncer {
                    bouncer.point_to(standby);
                }
                standby
            }
            Self::Patroni(patroni) => {
                patroni.lose_primary();
                patroni.wait_for_takeover();
                patroni.front()
            }
        }
    }

    /// Patroni makes the lost primary the new standby. Whether there is one that does that.
    #[must_use]
    pub fn bring_back(&self) -> bool {
        match self {
            Self::Ours { .. } => false,
            Self::Patroni(patroni) => {
                patroni.bring_back();
                true
            }
        }
    }
}
