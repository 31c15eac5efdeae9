//! Identifies the actor of each change for the audit trail in the core.
//!
//! A request stores its [`Acting`] as a task-local value, and the core calls [`actor`] at each commit. A command
//! line process has one actor for its whole lifetime. Background work of the server has no actor and writes no
//! audit entries.

use std::sync::OnceLock;

use erp_core::erp::Actor;
use jiff::Timestamp;
use salvo::http::Method;
use smol_str::{SmolStr, format_smolstr};
use tokio::task_local;

use super::{RequestId, Trace};

/// User name in audit entries for changes made from the command line.
pub const COMMAND_LINE: &str = "cli";

/// Request or command to which record changes are attributed.
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
    /// Actor for a request, before its user is known; `None` for safe methods, which cannot change records.
    #[must_use]
    pub fn request(
        method: &Method,
        route: &'static str,
        id: &RequestId,
        trace: Option<Trace>,
    ) -> Option<Self> {
        (!method.is_safe()).then(|| Self {
            user: None,
            request: Request::Call(id.clone()),
            trace: trace.filter(|trace| trace.is_foreign()),
            operation: Operation::Call(method.clone(), route),
        })
    }

    /// Actor for a command line command, with a newly generated request id.
    #[must_use]
    pub fn command(name: &str) -> Self {
        Self {
            user: Some(COMMAND_LINE.into()),
            request: Request::Command(RequestId::from_client(None).as_str().into()),
            trace: None,
            operation: Operation::Command(name.into()),
        }
    }

    /// Sets the user.
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

/// Runs `work` with the given actor.
pub async fn acting<T>(acting: Option<Acting>, work: impl Future<Output = T>) -> T {
    ACTING.scope(acting, work).await
}

/// Runs `work` as `user`, for requests whose user becomes known only while they are handled.
pub async fn on_behalf_of<T>(user: &str, work: impl Future<Output = T>) -> T {
    let known = ACTING.try_with(Clone::clone).ok().flatten();
    acting(known.map(|acting| acting.by(user)), work).await
}

/// Attributes all changes of this process to a command. Only the first call has an effect.
pub fn note_command(name: &str) {
    let _ = COMMAND.set(Acting::command(name));
}

/// Current actor; the callback for [`erp_core::erp::Settings::actor`].
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
