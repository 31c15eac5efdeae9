//! The actor of each change, for the audit trail in the core: the user and the request, or the command of a command
//! line. Background work of the server has no actor and writes no audit entries.

use std::sync::OnceLock;

use erp_core::internal::Actor;
use jiff::Timestamp;
use smol_str::SmolStr;

use super::RequestId;

/// User name in audit entries for changes made from the command line.
pub const COMMAND_LINE: &str = "cli";

/// A command of the command line that acts now, with a newly generated request id.
pub fn command(name: &str) -> Actor {
    acting_command(name.into(), new_request())
}

/// Name and request id of the command that this process runs.
static COMMAND: OnceLock<(SmolStr, SmolStr)> = OnceLock::new();

/// Attributes the changes of this process to a command. Only the first call has an effect.
pub fn note_command(name: &str) {
    let _ = COMMAND.set((name.into(), new_request()));
}

/// The command of this process, acting now; `None` in a server.
pub fn this_command() -> Option<Actor> {
    let (name, request) = COMMAND.get()?;
    Some(acting_command(name.clone(), request.clone()))
}

fn acting_command(operation: SmolStr, request: SmolStr) -> Actor {
    Actor {
        at: Timestamp::now(),
        user: Some(COMMAND_LINE.into()),
        request,
        trace: None,
        operation,
    }
}

fn new_request() -> SmolStr {
    RequestId::from_client(None).as_str().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_acts_under_its_name_with_a_request_of_its_own() {
        let (first, second) = (command("demo"), command("demo"));
        assert_eq!(first.user.as_deref(), Some(COMMAND_LINE));
        assert_eq!(first.operation, "demo");
        assert_eq!(first.request.len(), 32);
        assert_ne!(first.request, second.request);
    }

    #[test]
    fn all_changes_of_a_process_have_the_request_of_its_command() {
        assert_eq!(this_command(), None);
        note_command("user add");
        note_command("import");
        let (first, second) = (this_command().unwrap(), this_command().unwrap());
        assert_eq!(first.operation, "user add");
        assert_eq!(first.request, second.request);
        assert!(first.at <= second.at);
    }
}
