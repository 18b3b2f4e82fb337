//! Answers other than plain search: context packages, similar code, failures, exhaustive matches,
//! owners, places with the reasons for them, positions in files and suggestions.

pub(crate) mod absence;
pub(crate) mod browse;
pub(crate) mod context;
pub(crate) mod counts;
pub(crate) mod drift;
pub(crate) mod exhaustive;
pub(crate) mod failure;
pub(crate) mod follow_ups;
pub(crate) mod holders;
pub(crate) mod live;
pub(crate) mod navigation;
pub(crate) mod owners;
pub(crate) mod place;
pub(crate) mod review;
pub(crate) mod similar;
pub(crate) mod suggest;
pub(crate) mod tried;
pub(crate) mod why;
