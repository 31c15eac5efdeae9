//! The project as a whole: licences, documents, what is the same with and without a server.

mod documents_server;
mod licences;
mod offline;
