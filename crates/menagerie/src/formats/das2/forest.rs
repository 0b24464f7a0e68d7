//! Lists of children as a forest: one parent each, and no cycles.

/// Who hangs below whom. Children that would break the tree are left out and listed.
#[derive(Debug, Default)]
pub(super) struct Forest {
    /// For each element, its children in order.
    pub(super) children: Vec<Vec<usize>>,
    parents: Vec<Option<usize>>,
    /// The top of the tree of each element.
    roots: Vec<usize>,
    /// What was left out, apart from children that do not exist.
    pub(super) faults: Vec<Fault>,
}

/// A child that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It hangs below another one already.
    SecondParent { above: usize, place: usize, child: usize, parent: usize },
    /// It is an ancestor.
    Cycle { above: usize, place: usize, child: usize },
}

impl Forest {
    /// From the lists of children that the file has.
    pub(super) fn new<'a>(lists: impl Iterator<Item = &'a [u32]>) -> Self {
        let lists: Vec<&[u32]> = lists.collect();
        let mut forest = Self {
            children: vec![Vec::new(); lists.len()],
            parents: vec![None; lists.len()],
            roots: Vec::new(),
            faults: Vec::new(),
        };
        // For each element, one that is above it, or itself: followed up, the root of its tree.
        let mut above: Vec<usize> = (0..lists.len()).collect();
        for (index, list) in lists.iter().enumerate() {
            for (place, child) in list.iter().enumerate() {
                let child = *child as usize;
                let Some(parent) = forest.parents.get(child).copied() else { continue };
                if let Some(parent) = parent {
                    forest.faults.push(Fault::SecondParent { above: index, place, child, parent });
                } else if root(&mut above, index) == child {
                    forest.faults.push(Fault::Cycle { above: index, place, child });
                } else {
                    forest.hang(index, child);
                    if let Some(above) = above.get_mut(child) {
                        *above = index;
                    }
                }
            }
        }
        forest.roots = (0..lists.len()).map(|index| root(&mut above, index)).collect();
        forest
    }

    fn hang(&mut self, parent: usize, child: usize) {
        if let Some(place) = self.parents.get_mut(child) {
            *place = Some(parent);
        }
        if let Some(children) = self.children.get_mut(parent) {
            children.push(child);
        }
    }

    /// What an element hangs below.
    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    /// The top of the tree that an element is in.
    pub(super) fn root(&self, index: usize) -> usize {
        self.roots.get(index).copied().unwrap_or(index)
    }

    /// An element and all below it, parents first.
    pub(super) fn walk(&self, root: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut open = vec![root];
        while let Some(index) = open.pop() {
            order.push(index);
            open.extend(self.children.get(index).into_iter().flatten().rev());
        }
        order
    }
}

/// The root of an element's tree. The way there is halved for the next time, so many calls stay cheap.
fn root(above: &mut [usize], index: usize) -> usize {
    let mut at = index;
    loop {
        let next = above.get(at).copied().unwrap_or(at);
        if next == at {
            return at;
        }
        let after = above.get(next).copied().unwrap_or(next);
        if let Some(place) = above.get_mut(at) {
            *place = after;
        }
        at = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_parent_wins_and_cycles_are_cut() {
        let lists: [&[u32]; 4] = [&[1, 2], &[2, 9], &[0], &[3]];
        let forest = Forest::new(lists.into_iter());
        assert_eq!(forest.children, [vec![1, 2], vec![], vec![], vec![]]);
        assert_eq!(
            forest.faults,
            [
                Fault::SecondParent { above: 1, place: 0, child: 2, parent: 0 },
                Fault::Cycle { above: 2, place: 0, child: 0 },
                Fault::Cycle { above: 3, place: 0, child: 3 },
            ]
        );
        assert_eq!((forest.root(2), forest.walk(0)), (0, vec![0, 1, 2]));
    }
}
