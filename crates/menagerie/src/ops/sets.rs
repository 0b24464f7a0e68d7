//! Which things belong together.

/// Things that belong together: each set is known by its first member.
pub(super) struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    /// Every thing alone.
    pub(super) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The first member of the set that a thing is in.
    pub(super) fn find(&mut self, thing: u32) -> u32 {
        let mut at = thing;
        while let Some(parent) = self.parents.get(at as usize).copied().filter(|parent| *parent != at) {
            let above = self.parents.get(parent as usize).copied().unwrap_or(parent);
            if let Some(place) = self.parents.get_mut(at as usize) {
                *place = above;
            }
            at = parent;
        }
        at
    }

    /// Makes one set of the sets of two things.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(place) = self.parents.get_mut(a.max(b) as usize) {
            *place = a.min(b);
        }
    }
}
