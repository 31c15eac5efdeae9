//! An open `psql` session, which keeps its locks.

use std::fmt;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::Cluster;

/// Marks the end of the output of a statement.
const DONE: &str = "-- done --";

/// A session of the tests' superuser. Its transaction is rolled back when this value is dropped.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Cluster {
    /// Opens a session in a database.
    #[must_use]
    pub fn session(&self, database: &str) -> Session {
        let mut psql = self.programs.command("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]);
        self.reach(&mut psql, database);
        let mut child = psql
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("psql starts");
        let output = child.stdout.take().expect("the stream is a pipe");
        Session {
            input: child.stdin.take(),
            output: BufReader::new(output).lines(),
            child,
        }
    }
}

impl Session {
    /// Runs a statement and returns its result in the form of [`Cluster::psql`].
    pub fn run(&mut self, sql: &str) -> String {
        let input = self.input.as_mut().expect("the session is open");
        writeln!(input, "{sql};\n\\echo '{DONE}'").expect("psql reads");
        let lines = self.output.by_ref().map(|line| line.expect("text"));
        let mut response = Vec::new();
        for line in lines {
            if line == DONE {
                return response.join("\n");
            }
            response.push(line);
        }
        panic!("{sql} failed");
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.child.id()).finish()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // `psql` ends at the end of its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
