//! The server for editors: the Language Server Protocol over pipes.
