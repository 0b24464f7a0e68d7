//! Work on many files: on all cores, with a progress bar on a terminal, results in the order of the inputs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

/// Does `work` on each item on all cores. The results come in the order of the items, whatever the number of threads.
pub(crate) fn run<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let bar = progress(items.len());
    let results = items.par_iter().map(|item| ticking(&bar, || work(item))).collect();
    bar.finish_and_clear();
    results
}

/// Does `work` on each item on all cores, and then `after` with its result, one at a time in the order of the items.
/// Few results wait at any time, so that a large batch does not fill the memory with what is to be written.
pub(crate) fn run_then<T: Sync, R: Send, S>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut after: impl FnMut(&T, R) -> S,
) -> Vec<S> {
    let bar = progress(items.len());
    let window = 2 * rayon::current_num_threads();
    let mut done = Vec::with_capacity(items.len());
    for items in items.chunks(window.max(1)) {
        let results: Vec<R> = items.par_iter().map(|item| ticking(&bar, || work(item))).collect();
        done.extend(items.iter().zip(results).map(|(item, result)| after(item, result)));
    }
    bar.finish_and_clear();
    done
}

fn ticking<R>(bar: &ProgressBar, work: impl FnOnce() -> R) -> R {
    let result = work();
    bar.inc(1);
    result
}

/// A bar on standard error; none for a single file, and none where standard error is not a terminal.
fn progress(files: usize) -> ProgressBar {
    if files < 2 {
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
        run_then(&items, |i| *i, |_, i| order.push(i));
        assert_eq!(order, items);
    }
}
