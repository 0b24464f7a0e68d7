//! Work on all cores, with results that do not depend on how many there are.

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
