//! Limits that the system keeps for a parser process. They only matter where the limits of the process
//! itself fail: its allocator does not count what scanners of grammars allocate, and its parent may be
//! stopped.

#[cfg(unix)]
pub(super) use self::unix::{extend_cpu_time, limit_process};

#[cfg(unix)]
mod unix {
    use std::{
        sync::{Mutex, PoisonError},
        time::Duration,
    };

    use rustix::{
        process::{Resource, Rlimit, getrlimit, setrlimit},
        time::{ClockId, clock_gettime},
    };

    use super::super::MEMORY_LIMIT;

    /// Limits the process: no core dumps, and memory where that can be limited. `stacks` are the bytes
    /// of the stacks of its threads, which are not started yet.
    pub(crate) fn limit_process(stacks: u64) {
        lower(Resource::Core, 0);
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{DumpableBehavior, set_dumpable_behavior};
            // Writing half a gigabyte for each bad file would take longer than parsing it.
            let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
            if let Some(used) = private_memory() {
                let limit = used.saturating_add(stacks).saturating_add(2 * MEMORY_LIMIT as u64);
                lower(Resource::Data, limit);
            }
        }
    }

    /// The limit on processor time in seconds. It never falls: another text may need it.
    static CPU_LIMIT: Mutex<u64> = Mutex::new(0);

    /// Lets the process use this much more processor time from now on.
    pub(crate) fn extend_cpu_time(time: Duration) {
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
        let limit = u64::try_from(used).unwrap_or(0).saturating_add(time.as_secs() + 1);
        let mut last = CPU_LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
        if *last < limit {
            *last = limit;
            lower(Resource::Cpu, limit);
        }
    }

    /// Sets a limit that the process may raise again. Never above the one that it got.
    fn lower(resource: Resource, wanted: u64) {
        let maximum = getrlimit(resource).maximum;
        let current = maximum.map_or(wanted, |maximum| maximum.min(wanted));
        // A system that refuses has no such limit.
        let _ = setrlimit(resource, Rlimit { current: Some(current), maximum });
    }

    /// Bytes of private memory that the process may write to now, reserved or used.
    #[cfg(target_os = "linux")]
    fn private_memory() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmData:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }
}

#[cfg(not(unix))]
pub(super) fn limit_process(_: u64) {}

#[cfg(not(unix))]
pub(super) fn extend_cpu_time(_: std::time::Duration) {}
