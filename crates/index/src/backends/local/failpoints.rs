//! Fail points for tests: make disk access fail after a number of steps.
//!
//! The crate `fail` has one list of named points per process. Here a folder fails, so that tests
//! run in parallel, and a write can be torn.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::disk::{Permission, Step};

/// The failure after the allowed steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// One step fails; later steps succeed.
    Once,
    /// The disk is full: nothing can be created or written. Half of the first write is there.
    Full,
    /// All steps fail, as after a kill.
    Killed,
    /// As [`Stop::Killed`], but half of the bytes of the first write are there.
    Torn,
    /// No step fails, but locks are not supported.
    Lockless,
}

/// A folder with fail points, until this is dropped.
#[derive(Debug)]
pub struct FailPoints {
    folder: PathBuf,
}

#[derive(Debug)]
struct Plan {
    stop: Stop,
    after: usize,
    steps: usize,
}

static PLANS: Mutex<Option<HashMap<PathBuf, Plan>>> = Mutex::new(None);

fn plans() -> MutexGuard<'static, Option<HashMap<PathBuf, Plan>>> {
    PLANS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FailPoints {
    /// Makes the steps in a folder fail after `after` of them. Subfolders are not affected. The
    /// path must be the one by which the index is opened, or its canonical form.
    pub fn arm(folder: &Path, after: usize, stop: Stop) -> FailPoints {
        let folder = folder.to_owned();
        let plan = Plan { stop, after, steps: 0 };
        plans().get_or_insert_default().insert(folder.clone(), plan);
        FailPoints { folder }
    }

    /// Number of requested steps, including failed ones.
    pub fn steps(&self) -> usize {
        let plans = plans();
        let plan = plans.as_ref().and_then(|plans| plans.get(&self.folder));
        plan.map_or(0, |plan| plan.steps)
    }
}

impl Drop for FailPoints {
    fn drop(&mut self) {
        if let Some(plans) = plans().as_mut() {
            plans.remove(&self.folder);
        }
    }
}

/// Requests permission to do a step with a file.
pub(super) fn request(step: Step, path: &Path) -> io::Result<Permission> {
    let mut plans = plans();
    let plan = path.parent().and_then(|folder| plans.as_mut()?.get_mut(folder));
    let Some(plan) = plan else { return Ok(Permission::Granted) };
    if step == Step::Lock {
        let is_refused = plan.stop == Stop::Lockless;
        return if is_refused {
            Err(io::ErrorKind::Unsupported.into())
        } else {
            Ok(Permission::Granted)
        };
    }
    let number = plan.steps;
    plan.steps += 1;
    if number < plan.after {
        return Ok(Permission::Granted);
    }
    let is_first = number == plan.after;
    match plan.stop {
        Stop::Once if is_first => Err(io::Error::other("failed by a test")),
        Stop::Once | Stop::Lockless => Ok(Permission::Granted),
        Stop::Full => match step {
            Step::Write if is_first => Ok(Permission::Half(io::ErrorKind::StorageFull.into())),
            Step::Folder | Step::Create | Step::Write => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(Permission::Granted),
        },
        Stop::Torn if is_first && step == Step::Write => {
            Ok(Permission::Half(io::Error::other("torn by a test")))
        }
        Stop::Torn | Stop::Killed => Err(io::Error::other("killed by a test")),
    }
}
