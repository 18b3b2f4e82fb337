//! Limits the memory of the parser library.
//!
//! The library allocates through the functions of this module once [`limit_memory`] was called. They
//! count what is allocated, and call a function that ends the process when it is too much: the
//! library cannot continue without the memory, and it cannot be unwound.
//!
//! **Safety:** the module is unsafe because the library calls it with raw pointers. Each block has
//! the layout of [`layout`] and begins with a header that contains the requested size; the library
//! gets the address after the header.
#![expect(unsafe_code, reason = "an allocator for a library in C")]

use std::{
    alloc::{GlobalAlloc, Layout, System, handle_alloc_error},
    cell::Cell,
    ffi::c_void,
    sync::{
        OnceLock,
        atomic::{AtomicIsize, Ordering},
    },
};

/// Bytes before a block. A multiple of the alignment, so that the block is aligned as well.
const HEADER: usize = 16;

/// Alignment of blocks: that of the system's `malloc`.
const ALIGNMENT: usize = 16;

/// Bytes that a thread may allocate before it updates the shared counter: few enough for an exact
/// limit, and enough that threads rarely share the counter.
const MAX_UNCOUNTED: isize = 256 << 10;

/// The limit in bytes, and the function that ends the process.
static LIMIT: OnceLock<(isize, fn() -> !)> = OnceLock::new();

/// Bytes that are allocated now, without those that threads have not counted yet.
static ALLOCATED: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    /// Bytes that this thread allocated since it updated the shared counter.
    static UNCOUNTED: Cell<isize> = const { Cell::new(0) };
}

/// Limits the bytes that the parser library may have allocated at a time, in all threads together.
/// When it needs more, `exceeded` is called on one of them. Without effect after the first call.
///
/// Call this before anything is parsed or prepared.
pub fn limit_memory(bytes: usize, exceeded: fn() -> !) {
    let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
    if LIMIT.set((bytes, exceeded)).is_ok() {
        // SAFETY: the four functions are one family, return no null, and align as `malloc` does. The
        // caller has not used the library yet, and the check above admits one call.
        unsafe {
            tree_sitter::set_allocator(Some(tree_sitter::Allocator {
                malloc: allocate,
                calloc: allocate_zeroed,
                realloc: reallocate,
                free: release,
            }));
        }
    }
}

/// Counts allocated bytes; a negative number was released.
fn count(bytes: isize) {
    let uncounted = UNCOUNTED.get().saturating_add(bytes);
    if uncounted.abs() <= MAX_UNCOUNTED {
        UNCOUNTED.set(uncounted);
        return;
    }
    UNCOUNTED.set(0);
    let allocated = ALLOCATED.fetch_add(uncounted, Ordering::Relaxed) + uncounted;
    if let Some((limit, exceeded)) = LIMIT.get()
        && *limit < allocated
    {
        exceeded();
    }
}

/// The layout of a block of this size with its header. A size that no layout has is out of memory.
fn layout(size: usize) -> Layout {
    let size_with_header = size.saturating_add(HEADER);
    Layout::from_size_align(size_with_header, ALIGNMENT).unwrap_or_else(|_| {
        handle_alloc_error(Layout::new::<u8>());
    })
}

/// A size as a signed number: a layout is never larger.
fn signed(size: usize) -> isize {
    isize::try_from(size).unwrap_or(isize::MAX)
}

/// Writes the header of a new block, and returns the address after it.
///
/// # Safety
/// `block` was allocated with `layout(size)`, or is null.
#[expect(clippy::cast_ptr_alignment, reason = "every block has the alignment of its layout")]
unsafe fn finish(block: *mut u8, size: usize) -> *mut c_void {
    if block.is_null() {
        handle_alloc_error(layout(size));
    }
    // SAFETY: the header is inside the block, and aligned for a `usize`.
    unsafe {
        block.cast::<usize>().write(size);
        block.add(HEADER).cast()
    }
}

/// The block of an address that [`finish`] returned, and its size.
///
/// # Safety
/// The address is one that [`finish`] returned, and was not released since.
#[expect(clippy::cast_ptr_alignment, reason = "every block has the alignment of its layout")]
unsafe fn block_of(address: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: the header is before the address, in the same block.
    unsafe {
        let block = address.cast::<u8>().sub(HEADER);
        (block, block.cast::<usize>().read())
    }
}

unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    count(signed(size));
    // SAFETY: the layout is not empty, since it contains the header.
    unsafe { finish(System.alloc(layout(size)), size) }
}

unsafe extern "C" fn allocate_zeroed(number: usize, each: usize) -> *mut c_void {
    let size = number.saturating_mul(each);
    count(signed(size));
    // SAFETY: the layout is not empty, since it contains the header.
    unsafe { finish(System.alloc_zeroed(layout(size)), size) }
}

unsafe extern "C" fn reallocate(address: *mut c_void, size: usize) -> *mut c_void {
    if address.is_null() {
        // SAFETY: a new block.
        return unsafe { allocate(size) };
    }
    // SAFETY: the library passes an address that it got from this module and did not release.
    let (block, old) = unsafe { block_of(address) };
    count(signed(size) - signed(old));
    // SAFETY: the block has this layout, and the new size with its header is a valid one.
    unsafe { finish(System.realloc(block, layout(old), layout(size).size()), size) }
}

unsafe extern "C" fn release(address: *mut c_void) {
    if address.is_null() {
        return;
    }
    // SAFETY: the library passes an address that it got from this module and did not release.
    let (block, size) = unsafe { block_of(address) };
    count(-signed(size));
    // SAFETY: the block has this layout.
    unsafe { System.dealloc(block, layout(size)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_content_and_are_counted() {
        let size = usize::try_from(MAX_UNCOUNTED).expect("positive") * 4;
        let before = ALLOCATED.load(Ordering::Relaxed) + UNCOUNTED.get();
        // SAFETY: addresses are used inside their blocks, and released once.
        unsafe {
            let zeroed = allocate_zeroed(size, 1).cast::<u8>();
            assert_eq!(zeroed.align_offset(ALIGNMENT), 0);
            assert_eq!(zeroed.add(size - 1).read(), 0);
            zeroed.write(7);
            let grown = reallocate(zeroed.cast(), size * 2).cast::<u8>();
            assert_eq!((grown.read(), grown.add(size - 1).read()), (7, 0));
            let counted = ALLOCATED.load(Ordering::Relaxed) + UNCOUNTED.get() - before;
            assert_eq!(counted, signed(size * 2));
            release(grown.cast());
            release(reallocate(std::ptr::null_mut(), 0));
            release(std::ptr::null_mut());
        }
        assert_eq!(ALLOCATED.load(Ordering::Relaxed) + UNCOUNTED.get(), before);
    }
}
