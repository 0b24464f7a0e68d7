//! An allocator that counts what there is, and the most that there was.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

/// Bytes that are allocated now.
pub(crate) static NOW: AtomicUsize = AtomicUsize::new(0);
/// The most since it was last set.
pub(crate) static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Bytes that were ever asked for, and how often.
pub(crate) static ASKED: AtomicUsize = AtomicUsize::new(0);
pub(crate) static CALLS: AtomicUsize = AtomicUsize::new(0);

fn more(bytes: usize) {
    ASKED.fetch_add(bytes, Relaxed);
    CALLS.fetch_add(1, Relaxed);
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

// SAFETY: everything is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size(), Relaxed);
        more(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
