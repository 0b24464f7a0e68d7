//! Lists whose order is known only in the end.

use std::collections::BTreeMap;

/// Things that are collected in any order, and sorted and numbered in the end.
pub(super) struct Pool<T> {
    items: Vec<(usize, T)>,
    /// The items of a group, which are shared when they are equal.
    groups: BTreeMap<usize, Vec<usize>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { items: Vec::new(), groups: BTreeMap::new() }
    }
}

impl<T: PartialEq> Pool<T> {
    /// Adds an item, or finds the equal one of the same group. Those without rank come last, as they came.
    pub(super) fn add(&mut self, rank: Option<usize>, group: Option<usize>, item: T) -> usize {
        let Some(group) = group else { return self.push(rank, item) };
        let known = self.groups.get(&group).into_iter().flatten().copied();
        let found = known.into_iter().find(|i| self.items.get(*i).is_some_and(|(_, other)| *other == item));
        found.unwrap_or_else(|| {
            let index = self.push(rank, item);
            self.groups.entry(group).or_default().push(index);
            index
        })
    }

    fn push(&mut self, rank: Option<usize>, item: T) -> usize {
        self.items.push((rank.unwrap_or(usize::MAX), item));
        self.items.len() - 1
    }

    /// The items in their final order, and for each index that [`Pool::add`] gave its place there.
    pub(super) fn finish(self) -> (Vec<T>, Vec<usize>) {
        let mut order: Vec<(usize, usize, T)> =
            self.items.into_iter().enumerate().map(|(index, (rank, item))| (rank, index, item)).collect();
        order.sort_by_key(|(rank, index, _)| (*rank, *index));
        let mut place_of = vec![0; order.len()];
        for (place, (_, index, _)) in order.iter().enumerate() {
            if let Some(slot) = place_of.get_mut(*index) {
                *slot = place;
            }
        }
        (order.into_iter().map(|(_, _, item)| item).collect(), place_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_of_a_group_are_shared_and_ranks_decide_the_order() {
        let mut pool = Pool::default();
        let given = [
            pool.add(None, None, "last"),
            pool.add(Some(2), Some(2), "two"),
            pool.add(Some(1), Some(1), "one"),
            pool.add(Some(2), Some(2), "two"),
            pool.add(Some(2), Some(2), "another two"),
        ];
        let (items, place_of) = pool.finish();
        assert_eq!(items, ["one", "two", "another two", "last"]);
        assert_eq!(given.map(|index| place_of[index]), [3, 1, 0, 1, 2]);
    }
}
