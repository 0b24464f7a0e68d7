//! Long lists in a byte map, told only when somebody looks.

use std::fmt;
use std::sync::Arc;

use super::{MapKind, MapNode, Span};

/// Parts that follow each other without a gap and are all made in one way: the lines of a text, the rows of a list.
///
/// Only where each ends is kept; what it is, is found out when somebody looks at it. So a file of a million lines is
/// mapped in no time.
#[derive(Clone)]
pub struct MapList {
    start: u64,
    ends: Arc<Vec<u64>>,
    kind: Arc<dyn Fn(usize, Span) -> MapKind + Send + Sync>,
}

impl MapList {
    /// Parts from the byte `start` on that end at `ends`, with what finds out what one of them is by its number and
    /// its bytes.
    pub fn new(
        start: u64,
        ends: Vec<u64>,
        kind: impl Fn(usize, Span) -> MapKind + Send + Sync + 'static,
    ) -> Self {
        Self { start, ends: Arc::new(ends), kind: Arc::new(kind) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where all of them are.
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.ends.last().copied().unwrap_or(self.start) }
    }

    /// Where one of them is.
    pub fn span_of(&self, index: usize) -> Option<Span> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        Some(Span { start: start.unwrap_or(self.start), end })
    }

    /// One of them; its name is its number, such as `[17]`.
    pub fn part(&self, index: usize) -> Option<MapNode> {
        let span = self.span_of(index)?;
        Some(MapNode { name: format!("[{index}]").into(), span, kind: (self.kind)(index, span) })
    }

    /// The number of the part that has a byte.
    pub fn at(&self, byte: u64) -> Option<usize> {
        let index = self.ends.partition_point(|end| *end <= byte);
        (byte >= self.start && index < self.ends.len()).then_some(index)
    }
}

impl PartialEq for MapList {
    /// Lists are the same when their parts lie the same.
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.ends == other.ends
    }
}

impl fmt::Debug for MapList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapList({} parts, {})", self.len(), self.span())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{ByteMap, FieldType};

    #[test]
    fn parts_are_made_when_somebody_looks() {
        let list = MapList::new(10, vec![13, 13, 20], |_, _| MapKind::Leaf(FieldType::Text));
        assert_eq!((list.len(), list.span()), (3, Span::new(10, 20)));
        assert_eq!(
            [9, 10, 12, 13, 19, 20].map(|byte| list.at(byte)),
            [None, Some(0), Some(0), Some(2), Some(2), None]
        );
        assert_eq!(list.part(2), Some(MapNode::leaf("[2]", Span::new(13, 20), FieldType::Text)));
        assert_eq!(list.part(3), None);
        let node = MapNode { name: "lines".into(), span: list.span(), kind: MapKind::List(list) };
        let map = ByteMap { root: MapNode::group("", Span::new(0, 20), vec![node]) };
        assert_eq!(map.find("lines[2]"), Some(Span::new(13, 20)));
        assert_eq!(map.find("lines"), Some(Span::new(10, 20)));
        assert_eq!(map.find("lines[3]"), None);
        let leaves: Vec<String> = map.leaves().into_iter().map(|(path, ..)| path).collect();
        assert_eq!(leaves, ["lines[0]", "lines[1]", "lines[2]"]);
    }
}
