//! The text of the scene tree: which instances hang below which.

use std::ops::Range;

use super::{MAX_DEPTH, codes};
use crate::diag::{Code, LIMIT};

/// How many faults of a tree are kept.
const MAX_FAULTS: usize = 256;
/// How many times instances may be placed again, over all; a small file must not become a huge Scene.
const MAX_REPEATS: usize = 1 << 16;

/// What the text of a scene tree says: which instance hangs below which.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The places in the order of the text, parents before children.
    pub places: Vec<Place>,
    /// What is wrong and was forgiven.
    pub faults: Vec<Fault>,
    /// The bytes of the text; the zero that ends it, if there is one, follows.
    pub length: usize,
    /// Whether a zero ends it.
    pub terminated: bool,
}

/// One number of the tree: an instance in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which instance.
    pub instance: usize,
    /// The place that it hangs below; `None` below the root.
    pub parent: Option<usize>,
    /// How many places are above it.
    pub depth: usize,
}

/// Something that is wrong with the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The kind of problem.
    pub code: &'static Code,
    /// The characters to blame.
    pub at: Range<usize>,
    /// What is wrong, in a sentence.
    pub message: String,
}

impl Tree {
    /// Reads a text up to its end or a zero byte. As the engine does it: a number hangs a node below the current one,
    /// `{` enters the node that was defined last, `}` returns. What the engine survives is a fault of the tree; what
    /// it does not is the error, at which reading stops.
    pub fn parse(text: &[u8], instances: usize) -> Result<Self, Fault> {
        let mut parser = Parser {
            tree: Self::default(),
            placed: vec![false; instances],
            levels: vec![Level { node: None, last: None, brace: 0 }],
            latest: None,
            repeats: 0,
        };
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                0 => {
                    parser.tree.terminated = true;
                    break;
                }
                b'0'..=b'9' => {
                    let end = number_end(text, at);
                    parser.number(text.get(at..end).unwrap_or_default(), at)?;
                    at = end;
                    continue;
                }
                b'{' => parser.open(at)?,
                b'}' => parser.close(at)?,
                b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r' => {}
                other => {
                    let message = format!(
                        "'{}' does not belong into a scene tree, only numbers, braces and spaces do",
                        [other].escape_ascii()
                    );
                    return Err(fault(&codes::TREE_CHARACTER, at..at + 1, message));
                }
            }
            at += 1;
        }
        parser.tree.length = at;
        parser.unclosed();
        Ok(parser.tree)
    }

    /// The tree as the exporter writes it: `0{1{}2{}}3{}`. Each place is followed by all that is below it.
    pub fn to_text(places: &[Place]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut open = 0usize;
        for place in places {
            text.extend(std::iter::repeat_n(b'}', open.saturating_sub(place.depth)));
            text.extend_from_slice(place.instance.to_string().as_bytes());
            text.push(b'{');
            open = place.depth + 1;
        }
        text.extend(std::iter::repeat_n(b'}', open));
        text
    }

    /// Whether nothing but repetitions is wrong with it.
    pub fn is_well_formed(&self) -> bool {
        self.faults.iter().all(|fault| *fault.code == codes::TREE_REPEATED)
    }

    /// For each of `instances` instances whether it is in the tree.
    pub fn placed(&self, instances: usize) -> Vec<bool> {
        let mut placed = vec![false; instances];
        for place in &self.places {
            if let Some(placed) = placed.get_mut(place.instance) {
                *placed = true;
            }
        }
        placed
    }
}

fn fault(code: &'static Code, at: Range<usize>, message: String) -> Fault {
    Fault { code, at, message }
}

fn number_end(text: &[u8], start: usize) -> usize {
    let digits = text.iter().skip(start).take_while(|byte| byte.is_ascii_digit()).count();
    start + digits
}

/// An open brace, or the root.
struct Level {
    /// The place that was entered; `None` for the root.
    node: Option<usize>,
    /// The last place that was defined at this level.
    last: Option<usize>,
    /// Where the brace is.
    brace: usize,
}

struct Parser {
    tree: Tree,
    placed: Vec<bool>,
    levels: Vec<Level>,
    /// The place that a brace would enter.
    latest: Option<usize>,
    repeats: usize,
}

impl Parser {
    fn forgive(&mut self, code: &'static Code, at: Range<usize>, message: impl FnOnce() -> String) {
        if self.tree.faults.len() < MAX_FAULTS {
            self.tree.faults.push(fault(code, at, message()));
        }
    }

    fn number(&mut self, digits: &[u8], start: usize) -> Result<(), Fault> {
        let at = start..start + digits.len();
        let add = |sum: usize, digit: &u8| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        let instance = digits.iter().fold(0, add);
        let count = self.placed.len();
        let Some(placed) = self.placed.get_mut(instance) else {
            let message = format!("there is no instance {instance}: the file has {count}, counted from 0");
            return Err(fault(&codes::TREE_NUMBER, at, message));
        };
        let again = std::mem::replace(placed, true);
        let parent = self.levels.last().and_then(|level| level.node);
        if again {
            self.repeats += 1;
            if self.repeats > MAX_REPEATS {
                let message = format!("instances are placed again more than {MAX_REPEATS} times");
                return Err(fault(&LIMIT, at, message));
            }
            if let Some(outer) = self.above(instance, parent) {
                self.forgive(&codes::TREE_CYCLE, at, || {
                    format!("instance {instance} is inside itself; it is left out here")
                });
                self.define(outer);
                return Ok(());
            }
            self.forgive(&codes::TREE_REPEATED, at, || {
                format!("instance {instance} is in the tree already; it is shown in both places")
            });
        }
        let above = parent.and_then(|parent| self.tree.places.get(parent));
        let depth = above.map_or(0, |place| place.depth + 1);
        let place = self.tree.places.len();
        self.tree.places.push(Place { instance, parent, depth });
        self.define(place);
        Ok(())
    }

    /// A brace after this enters `place`.
    fn define(&mut self, place: usize) {
        self.latest = Some(place);
        if let Some(level) = self.levels.last_mut() {
            level.last = Some(place);
        }
    }

    /// The place of `instance` among `place` and those above it. The depth limit keeps the way short.
    fn above(&self, instance: usize, place: Option<usize>) -> Option<usize> {
        let mut at = place;
        while let Some((index, place)) = at.and_then(|at| Some((at, self.tree.places.get(at)?))) {
            if place.instance == instance {
                return Some(index);
            }
            at = place.parent;
        }
        None
    }

    fn open(&mut self, at: usize) -> Result<(), Fault> {
        let node = self.latest;
        let depth = node.and_then(|node| self.tree.places.get(node)).map_or(0, |place| place.depth + 1);
        if self.levels.len() > MAX_DEPTH || depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} levels");
            return Err(fault(&codes::TREE_DEPTH, at..at + 1, message));
        }
        match self.levels.last().and_then(|level| level.last) {
            None => self.forgive(&codes::TREE_BRACE, at..at + 1, || {
                "this brace follows no number of its level; as in the engine it enters the node before it"
                    .to_owned()
            }),
            last if last != node => self.forgive(&codes::TREE_REOPENED, at..at + 1, || {
                "a group of a node that has children already; as in the engine it belongs to the last of them"
                    .to_owned()
            }),
            _ => {}
        }
        self.levels.push(Level { node, last: None, brace: at });
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<(), Fault> {
        if self.levels.len() < 2 {
            let message = "a closing brace without an opening one".to_owned();
            return Err(fault(&codes::TREE_CLOSING, at..at + 1, message));
        }
        self.levels.pop();
        Ok(())
    }

    fn unclosed(&mut self) {
        let open = self.levels.len().saturating_sub(1);
        let Some(level) = self.levels.last().filter(|_| open > 0) else { return };
        let at = level.brace..level.brace + 1;
        self.forgive(&codes::TREE_UNCLOSED, at, || match open {
            1 => "this brace is never closed".to_owned(),
            _ => format!("this brace and {} before it are never closed", open - 1),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `instance<parent instance`, with `-` for the root.
    fn shape(tree: &Tree) -> String {
        let name = |place: &Place| {
            let parent = place.parent.map_or("-".to_owned(), |p| tree.places[p].instance.to_string());
            format!("{}<{parent}", place.instance)
        };
        tree.places.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_give_their_trees() {
        for (text, expected, codes) in [
            ("", "", &[][..]),
            ("0{1{2{}}3{}}4{}", "0<- 1<0 2<1 3<0 4<-", &[]),
            ("0 1 2", "0<- 1<- 2<-", &[]),
            ("0{}{}{1{}}", "0<- 1<0", &[]),
            (" 00 {\t01\n}\x0B\x0C\r", "0<- 1<0", &[]),
            (
                "0 { 3 { } { 5 { } { 6 { } 7 { } } } 4 { } } 1 { 8 { } } 2 { } { 9 { } }",
                "0<- 3<0 5<3 6<5 7<5 4<0 1<- 8<1 2<- 9<2",
                &[],
            ),
            ("0{1{}}{2{}}", "0<- 1<0 2<1", &["bogle/tree-reopened"]),
            ("{0{}}", "0<-", &["bogle/tree-brace"]),
            ("0{{1}}", "0<- 1<0", &["bogle/tree-brace"]),
            ("0{1{", "0<- 1<0", &["bogle/tree-unclosed"]),
            ("0{}0{}", "0<- 0<-", &["bogle/tree-repeated"]),
            ("0{1{0{}}}", "0<- 1<0", &["bogle/tree-cycle"]),
            ("0{1{0{2{}}}}", "0<- 1<0 2<0", &["bogle/tree-cycle"]),
        ] {
            let tree = Tree::parse(text.as_bytes(), 10).unwrap();
            assert_eq!(shape(&tree), expected, "{text}");
            let found: Vec<_> = tree.faults.iter().map(|fault| fault.code.id).collect();
            assert_eq!(found, codes, "{text}");
        }
    }

    #[test]
    fn what_the_engine_does_not_survive_stops_at_the_character() {
        let deep = format!("0{}", "{".repeat(300));
        for (text, code, at) in [
            ("0{,}", "bogle/tree-character", 2..3),
            ("0{}}", "bogle/tree-closing", 3..4),
            ("0 10", "bogle/tree-number", 2..4),
            ("99999999999999999999999", "bogle/tree-number", 0..23),
            (deep.as_str(), "bogle/tree-depth", 257..258),
        ] {
            let fault = Tree::parse(text.as_bytes(), 10).unwrap_err();
            assert_eq!((fault.code.id, fault.at), (code, at), "{text}");
        }
    }

    #[test]
    fn a_written_tree_is_read_again() {
        let text = b"0{1{2{}}3{}}4{}";
        let tree = Tree::parse(text, 5).unwrap();
        assert_eq!(Tree::to_text(&tree.places), text);
    }
}
