//! Who acts, for the audit trail of the core.
//!
//! A request carries its [`Acting`] through the task it runs in, and the core asks [`actor`] for it at
//! each commit; a command of the command line has one for its whole process. Background work of the
//! server has none and leaves no entries.

use std::sync::OnceLock;

use erp_core::erp::Actor;
use jiff::Timestamp;
use smol_str::{SmolStr, format_smolstr};
use tokio::task_local;

use crate::http::{Call, Method, RequestId, Trace};

/// Who changes records by the command line.
pub const COMMAND_LINE: &str = "cli";

/// A request or command in whose name records change.
#[derive(Clone, Debug)]
pub struct Acting {
    user: Option<SmolStr>,
    request: Request,
    trace: Option<Trace>,
    operation: Operation,
}

#[derive(Clone, Debug)]
enum Request {
    Call(RequestId),
    Command(SmolStr),
}

#[derive(Clone, Debug)]
enum Operation {
    Call(Method, &'static str),
    Command(SmolStr),
}

impl Acting {
    /// The request of a call, nobody's yet; `None` for one that can only read.
    #[must_use]
    pub fn of(call: &Call) -> Option<Self> {
        (!call.method().is_safe()).then(|| Self {
            user: None,
            request: Request::Call(call.request_id().clone()),
            trace: call.trace().filter(|trace| trace.is_foreign()),
            operation: Operation::Call(call.method().clone(), call.route()),
        })
    }

    /// A command, under an id of its own.
    #[must_use]
    pub fn command(name: &str) -> Self {
        Self {
            user: Some(COMMAND_LINE.into()),
            request: Request::Command(RequestId::from_client(None).as_str().into()),
            trace: None,
            operation: Operation::Command(name.into()),
        }
    }

    /// The same for a user.
    #[must_use]
    pub fn by(mut self, user: &str) -> Self {
        self.user = Some(user.into());
        self
    }

    fn now(&self) -> Actor {
        Actor {
            at: Timestamp::now(),
            user: self.user.clone(),
            request: match &self.request {
                Request::Call(id) => id.as_str().into(),
                Request::Command(id) => id.clone(),
            },
            trace: self.trace.map(|trace| format_smolstr!("{}", trace.id())),
            operation: match &self.operation {
                Operation::Call(method, route) => format_smolstr!("{method} {route}"),
                Operation::Command(name) => name.clone(),
            },
        }
    }
}

task_local! {
    static ACTING: Option<Acting>;
}

static COMMAND: OnceLock<Acting> = OnceLock::new();

/// Runs something in the name of a request or command.
pub async fn acting<T>(acting: Option<Acting>, work: impl Future<Output = T>) -> T {
    ACTING.scope(acting, work).await
}

/// Runs something in the name of a user who was nobody when the request came.
pub async fn on_behalf_of<T>(user: &str, work: impl Future<Output = T>) -> T {
    let known = ACTING.try_with(Clone::clone).ok().flatten();
    acting(known.map(|acting| acting.by(user)), work).await
}

/// All changes of this process are made by a command; the first one that is told counts.
pub fn note_command(name: &str) {
    let _ = COMMAND.set(Acting::command(name));
}

/// Who acts now, for [`erp_core::erp::Settings::actor`].
#[must_use]
pub fn actor() -> Option<Actor> {
    match ACTING.try_with(|acting| acting.as_ref().map(Acting::now)) {
        Ok(actor) => actor,
        Err(_) => COMMAND.get().map(Acting::now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_knows_who_acts_and_background_work_does_not() {
        assert_eq!(actor(), None);
        let shop = Acting::command("demo").by("shop1");
        let (here, inner, spawned) = acting(Some(shop), async {
            let inner = on_behalf_of("admin", async { actor() }).await;
            let spawned = tokio::spawn(async { actor() }).await.unwrap();
            (actor().unwrap(), inner.unwrap(), spawned)
        })
        .await;
        assert_eq!(here.user.as_deref(), Some("shop1"));
        assert_eq!(here.operation, "demo");
        assert_eq!(inner.user.as_deref(), Some("admin"));
        assert_eq!(here.request, inner.request);
        assert_eq!(here.request.len(), 32);
        assert_eq!(spawned, None);
        assert_eq!(on_behalf_of("admin", async { actor() }).await, None);
    }
}
