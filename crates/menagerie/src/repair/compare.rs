//! What differs between two files of a format, field by field.

use std::collections::BTreeMap;

use crate::bytes::{ByteMap, MapKind, MapNode, Record, Span};
use crate::diag::{Code, Issue, Severity};

/// One difference between a broken file and the mended one.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The field, record or list.
    pub path: String,
    /// What was there; `None` for what was added.
    pub before: Option<Piece>,
    /// What is there now; `None` for what was removed.
    pub after: Option<Piece>,
    /// The problem that it mends; `None` where it follows from other changes.
    pub code: Option<&'static Code>,
}

/// What happened to a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It has another value.
    Changed,
    /// It is not there any more.
    Removed,
    /// It is new.
    Added,
}

impl ChangeKind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Added => "added",
        }
    }
}

/// Bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where they are: in the file, or in what is packed in it.
    pub span: Span,
    /// Whether they are in what is packed in the file.
    pub packed: bool,
    /// The first of them.
    pub bytes: Vec<u8>,
}

/// So many bytes of a change are kept.
const KEPT: u64 = 64;

impl Piece {
    fn of(span: Span, side: Side<'_>) -> Self {
        let kept = Span { start: span.start, end: span.end.min(span.start.saturating_add(KEPT)) };
        Self { span, packed: side.packed, bytes: side.slice(kept).to_vec() }
    }
}

impl Change {
    /// Finds the problem that it mends: the one whose place is nearest.
    pub(super) fn explain(&mut self, issues: &[Issue]) {
        let common = |issue: &&Issue| {
            let same = issue.path.bytes().zip(self.path.bytes()).take_while(|(a, b)| a == b).count();
            let whole = same == issue.path.len() || same == self.path.len();
            let overlaps = issue.span.zip(self.before.as_ref()).is_some_and(|(span, before)| {
                !before.packed && span.start < before.span.end && before.span.start < span.end
            });
            (overlaps, if whole { same } else { 0 })
        };
        let real = issues.iter().filter(|issue| issue.severity != Severity::Info);
        let nearest = real.map(|issue| (common(&issue), issue)).rev().max_by_key(|(common, _)| *common);
        let fits = nearest.filter(|((overlaps, same), _)| *overlaps || *same > 0);
        self.code = fits.map(|(_, issue)| issue.code);
    }
}

/// The bytes that a map is about.
#[derive(Clone, Copy)]
struct Side<'a> {
    bytes: &'a [u8],
    packed: bool,
}

impl<'a> Side<'a> {
    fn slice(self, span: Span) -> &'a [u8] {
        span.range().and_then(|range| self.bytes.get(range)).unwrap_or_default()
    }
}

/// Two parts of the same name that are still to be compared.
struct Pair<'a> {
    path: String,
    old: (&'a MapNode, Side<'a>),
    new: (&'a MapNode, Side<'a>),
}

/// The differences between two files whose fields are known.
pub(super) fn fields(old: (&ByteMap, &[u8]), new: (&ByteMap, &[u8])) -> Vec<Change> {
    let side = |bytes| Side { bytes, packed: false };
    let mut changes = Vec::new();
    let root = Pair { path: String::new(), old: (&old.0.root, side(old.1)), new: (&new.0.root, side(new.1)) };
    let mut open = vec![root];
    while let Some(pair) = open.pop() {
        let Pair { path, old: (a, a_side), new: (b, b_side) } = pair;
        match (&a.kind, &b.kind) {
            (MapKind::Group(of_a), MapKind::Group(of_b)) => {
                group(&path, (of_a, a_side), (of_b, b_side), &mut open, &mut changes);
            }
            (MapKind::Table { record, count }, MapKind::Table { record: other, count: after })
                if record == other =>
            {
                let (old, new) = ((a.span, *count, a_side), (b.span, *after, b_side));
                table(&path, record, old, new, &mut changes);
            }
            (MapKind::List(of_a), MapKind::List(of_b)) if of_a.len() == of_b.len() => {
                let spans = (0..of_a.len()).filter_map(|i| Some((i, of_a.span_of(i)?, of_b.span_of(i)?)));
                for (i, one, other) in spans {
                    if a_side.slice(one) != b_side.slice(other) {
                        changes.push(changed(format!("{path}[{i}]"), (one, a_side), (other, b_side)));
                    }
                }
            }
            (MapKind::Encoded { bytes: x, map: m }, MapKind::Encoded { bytes: y, map: n }) => {
                let inside = |bytes| Side { bytes, packed: true };
                // A broken stream may hold what the whole one holds: then the stream itself is what changed.
                if x == y && a_side.slice(a.span) != b_side.slice(b.span) {
                    changes.push(changed(path, (a.span, a_side), (b.span, b_side)));
                } else {
                    open.push(Pair { path, old: (&m.root, inside(x)), new: (&n.root, inside(y)) });
                }
            }
            _ if a_side.slice(a.span) == b_side.slice(b.span) => {}
            _ => changes.push(changed(path, (a.span, a_side), (b.span, b_side))),
        }
    }
    let place = |change: &Change| {
        let piece = change.before.as_ref().or(change.after.as_ref());
        piece.map(|piece| (piece.packed, piece.span.start))
    };
    changes.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.path.cmp(&b.path)));
    changes
}

fn join(path: &str, name: &str) -> String {
    match (path, name) {
        ("", name) => name.to_owned(),
        (path, "") => path.to_owned(),
        (path, name) => format!("{path}.{name}"),
    }
}

fn changed(path: String, old: (Span, Side<'_>), new: (Span, Side<'_>)) -> Change {
    let (before, after) = (Some(Piece::of(old.0, old.1)), Some(Piece::of(new.0, new.1)));
    Change { kind: ChangeKind::Changed, path, before, after, code: None }
}

fn removed(path: String, old: (Span, Side<'_>)) -> Change {
    let before = Some(Piece::of(old.0, old.1));
    Change { kind: ChangeKind::Removed, path, before, after: None, code: None }
}

fn added(path: String, new: (Span, Side<'_>)) -> Change {
    let after = Some(Piece::of(new.0, new.1));
    Change { kind: ChangeKind::Added, path, before: None, after, code: None }
}

/// Pairs the parts of two groups by their names, and those of the same name by their order.
fn group<'a>(
    path: &str,
    (old, old_side): (&'a [MapNode], Side<'a>),
    (new, new_side): (&'a [MapNode], Side<'a>),
    open: &mut Vec<Pair<'a>>,
    changes: &mut Vec<Change>,
) {
    let mut by_name: BTreeMap<&str, Vec<&'a MapNode>> = BTreeMap::new();
    for node in new.iter().rev() {
        by_name.entry(node.name.as_ref()).or_default().push(node);
    }
    for node in old {
        let path = join(path, &node.name);
        match by_name.get_mut(node.name.as_ref()).and_then(Vec::pop) {
            Some(other) => open.push(Pair { path, old: (node, old_side), new: (other, new_side) }),
            None if node.span.is_empty() => {}
            None => changes.push(removed(path, (node.span, old_side))),
        }
    }
    for node in by_name.into_values().flatten().filter(|node| !node.span.is_empty()) {
        changes.push(added(join(path, &node.name), (node.span, new_side)));
    }
}

/// Compares the records of two tables. Neighbours that differ make one change; a single one is told field by field.
fn table(
    path: &str,
    record: &Record,
    (old, old_count, old_side): (Span, usize, Side<'_>),
    (new, new_count, new_side): (Span, usize, Side<'_>),
    changes: &mut Vec<Change>,
) {
    let span = |table: Span, from: usize, to: usize| {
        let at = |index: usize| table.start.saturating_add((index as u64).saturating_mul(record.size as u64));
        Span { start: at(from), end: at(to) }
    };
    let name = |from: usize, to: usize| match to - from {
        1 => format!("{path}[{from}]"),
        _ => format!("{path}[{from}..{to}]"),
    };
    let both = old_count.min(new_count);
    let differs = |i: usize| old_side.slice(span(old, i, i + 1)) != new_side.slice(span(new, i, i + 1));
    let mut at = 0;
    while at < both {
        if !differs(at) {
            at += 1;
            continue;
        }
        let end = (at..both).find(|i| !differs(*i)).unwrap_or(both);
        if end - at == 1 {
            for field in record.fields {
                let size = field.kind.size().unwrap_or(1) * field.count;
                let place = |table: Span| {
                    let start = span(table, at, at).start.saturating_add(field.offset as u64);
                    Span { start, end: start.saturating_add(size as u64) }
                };
                if old_side.slice(place(old)) != new_side.slice(place(new)) {
                    let path = format!("{path}[{at}].{}", field.name);
                    changes.push(changed(path, (place(old), old_side), (place(new), new_side)));
                }
            }
        } else {
            let (a, b) = (span(old, at, end), span(new, at, end));
            changes.push(changed(name(at, end), (a, old_side), (b, new_side)));
        }
        at = end;
    }
    if old_count > both {
        changes.push(removed(name(both, old_count), (span(old, both, old_count), old_side)));
    }
    if new_count > both {
        changes.push(added(name(both, new_count), (span(new, both, new_count), new_side)));
    }
}

/// The differences between two files of which nothing is known: runs of bytes.
pub(super) fn runs(old: &[u8], new: &[u8]) -> Vec<Change> {
    let side = |bytes| Side { bytes, packed: false };
    let both = old.len().min(new.len());
    let differs = |i: usize| old.get(i) != new.get(i);
    let mut changes = Vec::new();
    let mut at = 0;
    while at < both {
        let Some(start) = (at..both).find(|i| differs(*i)) else { break };
        let end = (start..both).find(|i| !differs(*i)).unwrap_or(both);
        let span = Span::new(start, end);
        changes.push(changed(String::new(), (span, side(old)), (span, side(new))));
        at = end;
    }
    let rest = |bytes: &[u8]| Span::new(both, bytes.len());
    if old.len() > both {
        changes.push(removed(String::new(), (rest(old), side(old))));
    }
    if new.len() > both {
        changes.push(added(String::new(), (rest(new), side(new))));
    }
    changes
}
