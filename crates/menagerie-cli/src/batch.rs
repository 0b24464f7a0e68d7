//! Work on many files: on all cores, with a progress bar on a terminal, results in the order of the inputs.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use crate::terminal_use;

/// Does `work` on each item on all cores. The results come in the order of the items, whatever the number of threads.
pub(crate) fn run<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let bar = progress(items.len());
    let results = items
        .par_iter()
        .map(|item| {
            let result = work(item);
            bar.inc(1);
            result
        })
        .collect();
    bar.finish_and_clear();
    results
}

/// Does `work` on each item on all cores, and then `after` with its result, one at a time in the order of the items.
/// Few results wait at any time, so that a large batch does not fill the memory with what is to be written.
///
/// The items are handed to threads of their own and not to the pool that works inside of one file: a thread of the pool
/// that waits for a part of its file would take up another file meanwhile, and what comes first could wait for what comes
/// after it.
pub(crate) fn run_then<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut after: impl FnMut(&T, R, &Progress),
) {
    let bar = Progress(progress(items.len()));
    let threads = rayon::current_num_threads().min(items.len());
    let line = Line::new(4 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let _leaves = Leaves(&line);
                while let Some(index) = line.take(items.len()) {
                    line.finish(index, work(&items[index]));
                }
            });
        }
        for (index, item) in items.iter().enumerate() {
            let Some(result) = line.wait_for(index) else { break };
            bar.0.inc(1);
            after(item, result, &bar);
        }
    });
    bar.0.finish_and_clear();
}

/// The bar that shows how far a batch is.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Does something that prints, with the bar out of the way.
    pub(crate) fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        self.0.suspend(print)
    }
}

/// Items on their way through the threads.
struct Line<R> {
    state: Mutex<State<R>>,
    moved: Condvar,
    /// So many items may be begun before the first of them is collected.
    window: usize,
}

struct State<R> {
    next: usize,
    collected: usize,
    ready: BTreeMap<usize, R>,
    /// Whether a thread ended before its time.
    broken: bool,
}

impl<R> Line<R> {
    fn new(window: usize) -> Self {
        let state = State { next: 0, collected: 0, ready: BTreeMap::new(), broken: false };
        Self { state: Mutex::new(state), moved: Condvar::new(), window: window.max(1) }
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item to work on; `None` when all are begun.
    fn take(&self, items: usize) -> Option<usize> {
        let mut state = self.state();
        while state.next < items && state.next >= state.collected + self.window && !state.broken {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let index = state.next;
        state.next += 1;
        (index < items && !state.broken).then_some(index)
    }

    fn finish(&self, index: usize, result: R) {
        self.state().ready.insert(index, result);
        self.moved.notify_all();
    }

    /// The result of an item as soon as it is there; `None` when it will never be.
    fn wait_for(&self, index: usize) -> Option<R> {
        let mut state = self.state();
        loop {
            if let Some(result) = state.ready.remove(&index) {
                state.collected = index + 1;
                drop(state);
                self.moved.notify_all();
                return Some(result);
            }
            if state.broken {
                return None;
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Says that a thread left by a panic: nobody waits for its result then, and the panic is passed on.
struct Leaves<'a, R>(&'a Line<R>);

impl<R> Drop for Leaves<'_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state().broken = true;
            self.0.moved.notify_all();
        }
    }
}

/// A bar on standard error; none for a single file, and none where standard error is not a terminal.
fn progress(files: usize) -> ProgressBar {
    if files < 2 || terminal_use::is_quiet() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {eta} left") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(run(&items, |i| i * 2), items.iter().map(|i| i * 2).collect::<Vec<_>>());
        let mut order = Vec::new();
        run_then(&items, |i| *i, |_, i, _| order.push(i));
        assert_eq!(order, items);
    }

    #[test]
    fn a_panic_is_passed_on_and_does_not_hang() {
        let items: Vec<usize> = (0..50).collect();
        let work = |i: &usize| if *i == 20 { std::panic::resume_unwind(Box::new(())) } else { *i };
        let caught = std::panic::catch_unwind(|| run_then(&items, work, |_, _, _| {}));
        assert!(caught.is_err());
    }
}
