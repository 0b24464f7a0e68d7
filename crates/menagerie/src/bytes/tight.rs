//! Lists that grow without doubling.

/// Adds elements to a list that may become very large. A list grows by doubling, so that at its worst it holds twice
/// what it needs; this one grows by an eighth, which costs a little more time and never much memory.
pub fn extend_tight<T: Copy>(list: &mut Vec<T>, more: &[T]) {
    if list.capacity().saturating_sub(list.len()) < more.len() {
        list.reserve_exact(more.len().max(list.len() / 8));
    }
    list.extend_from_slice(more);
}

/// Adds one element, like [`extend_tight`].
pub fn push_tight<T>(list: &mut Vec<T>, element: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 8).max(64));
    }
    list.push(element);
}

/// Makes a list longer, like [`extend_tight`]; one that is long enough stays as it is.
pub fn resize_tight<T: Copy>(list: &mut Vec<T>, length: usize, value: T) {
    let more = length.saturating_sub(list.len());
    if list.capacity().saturating_sub(list.len()) < more {
        list.reserve_exact(more.max(list.len() / 8));
    }
    list.resize(list.len() + more, value);
}
