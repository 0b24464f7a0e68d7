//! Work on all cores, with results that do not depend on how many there are.

#![allow(dead_code, reason = "builds with few formats use a part of it")]

/// Fewer elements than this are not worth being handed out.
#[cfg(feature = "parallel")]
const FEW: usize = 1024;

/// What is made of each number below `count`, in their order.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    use rayon::prelude::*;
    if count < FEW {
        return (0..count).map(make).collect();
    }
    (0..count).into_par_iter().with_min_len(FEW).map(make).collect()
}

/// What is made of each number below `count`, in their order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T>(count: usize, make: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(make).collect()
}

/// What is made of each element, in their order; for work that is worth being handed out one by one.
#[cfg(feature = "parallel")]
pub(crate) fn map_few<T: Sync, R: Send>(elements: &[T], make: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    elements.par_iter().map(make).collect()
}

/// What is made of each element, in their order; for work that is worth being handed out one by one.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map_few<T, R>(elements: &[T], make: impl Fn(&T) -> R) -> Vec<R> {
    elements.iter().map(make).collect()
}

/// What is made of each piece of so many elements, which may be changed, in their order; with the number of the piece.
#[cfg(feature = "parallel")]
pub(crate) fn map_chunks<T: Send, R: Send>(
    elements: &mut [T],
    size: usize,
    make: impl Fn(usize, &mut [T]) -> R + Sync + Send,
) -> Vec<R> {
    use rayon::prelude::*;
    elements.par_chunks_mut(size.max(1)).enumerate().map(|(i, chunk)| make(i, chunk)).collect()
}

/// What is made of each piece of so many elements, which may be changed, in their order; with the number of the piece.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map_chunks<T, R>(
    elements: &mut [T],
    size: usize,
    make: impl Fn(usize, &mut [T]) -> R,
) -> Vec<R> {
    elements.chunks_mut(size.max(1)).enumerate().map(|(i, chunk)| make(i, chunk)).collect()
}

/// Two results that are made side by side.
#[cfg(feature = "parallel")]
pub(crate) fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(one, other)
}

/// Two results, one after the other.
#[cfg(not(feature = "parallel"))]
pub(crate) fn both<A, B>(one: impl FnOnce() -> A, other: impl FnOnce() -> B) -> (A, B) {
    (one(), other())
}

/// What is made of each element, in their order.
#[cfg(feature = "parallel")]
pub(crate) fn flat_map<T: Copy + Sync, R: Send>(
    elements: &[T],
    make: impl Fn(T) -> Vec<R> + Sync + Send,
) -> Vec<R> {
    use rayon::prelude::*;
    let chunk = |part: &[T]| -> Vec<R> { part.iter().flat_map(|element| make(*element)).collect() };
    if elements.len() <= FEW {
        return chunk(elements);
    }
    let mut parts: Vec<Vec<R>> = elements.par_chunks(FEW).map(chunk).collect();
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.iter_mut().for_each(|part| all.append(part));
    all
}

/// What is made of each element, in their order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn flat_map<T: Copy, R>(elements: &[T], make: impl Fn(T) -> Vec<R>) -> Vec<R> {
    elements.iter().flat_map(|element| make(*element)).collect()
}

/// Lines that one thread makes in one go.
#[cfg(feature = "parallel")]
const LINES: usize = 8192;

/// Appends what `line` makes of each element, in their order. Parts are made side by side while those before them are
/// appended, in buffers that are used again and again.
#[cfg(feature = "parallel")]
pub(crate) fn append_lines<T: Sync>(
    out: &mut Vec<u8>,
    elements: &[T],
    line: impl Fn(&mut Vec<u8>, usize, &T) + Sync,
) {
    use rayon::prelude::*;
    let make = |part: &[T], first: usize, out: &mut Vec<u8>| {
        out.clear();
        part.iter().enumerate().for_each(|(i, element)| line(out, first + i, element));
    };
    if elements.len() <= LINES {
        elements.iter().enumerate().for_each(|(i, element)| line(out, i, element));
        return;
    }
    let side_by_side = rayon::current_num_threads().clamp(1, 64);
    let mut ready: Vec<Vec<u8>> = Vec::new();
    let mut buffers = vec![Vec::new(); side_by_side];
    for (round, part) in elements.chunks(LINES * side_by_side).enumerate() {
        let first = round * LINES * side_by_side;
        let pieces = part.par_chunks(LINES).zip(&mut buffers).enumerate();
        let fill = || pieces.for_each(|(i, (piece, buffer))| make(piece, first + i * LINES, buffer));
        rayon::join(fill, || ready.iter().for_each(|made| out.extend_from_slice(made)));
        buffers.iter_mut().skip(part.len().div_ceil(LINES)).for_each(Vec::clear);
        ready.resize_with(side_by_side, Vec::new);
        std::mem::swap(&mut ready, &mut buffers);
    }
    ready.iter().for_each(|made| out.extend_from_slice(made));
}

/// Appends what `line` makes of each element, in their order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn append_lines<T>(out: &mut Vec<u8>, elements: &[T], line: impl Fn(&mut Vec<u8>, usize, &T)) {
    elements.iter().enumerate().for_each(|(i, element)| line(out, i, element));
}
