//! What single characters of a broken scene tree should have been.

use super::codes;
use crate::bytes::Patch;
use crate::diag::Issue;

/// Proposals: a number that is no instance's becomes another one, and what does not belong into a tree a space, which
/// means nothing there.
pub(super) fn mend(_: &[u8], issue: &Issue) -> Vec<Patch> {
    let in_tree = [&codes::TREE_CHARACTER, &codes::TREE_NUMBER].contains(&issue.code);
    let Some(span) = issue.span.filter(|span| in_tree && span.len() <= 16) else { return Vec::new() };
    let digits: &[u8] =
        if issue.code == &codes::TREE_NUMBER && span.len() == 1 { b"0123456789" } else { b"" };
    let numbers = digits.iter().map(|digit| Patch::new(span.start, [*digit]));
    numbers.chain([Patch::new(span.start, vec![b' '; span.len() as usize])]).collect()
}
