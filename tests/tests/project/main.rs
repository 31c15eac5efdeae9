//! The project as a whole: licences, documents, floors of the server, what is the same with and without a server.

mod documents_server;
mod floors;
mod licences;
mod offline;
