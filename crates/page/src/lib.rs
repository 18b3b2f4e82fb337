//! The web page of a tree.
