//! The way from the bones of a skeleton up to the roots of the Scene, walked once for all bones.

use std::collections::BTreeMap;

use glam::DMat4;

use super::skeleton::matrix64;
use crate::scene::{NodeId, Transform};

/// The bones of a skeleton and all that is above them, parents first.
#[derive(Default)]
pub(super) struct Chain {
    links: Vec<Link>,
    /// For each bone its link.
    of_bones: Vec<usize>,
    /// For each node its link.
    of_nodes: BTreeMap<NodeId, usize>,
}

struct Link {
    node: NodeId,
    /// The link above it.
    above: Option<usize>,
    /// Which bone it is.
    bone: Option<usize>,
}

impl Chain {
    /// Of bones in a Scene whose nodes have these parents.
    pub(super) fn new(bones: &[NodeId], parents: &[Option<NodeId>]) -> Self {
        let mut chain = Self::default();
        for (bone, id) in bones.iter().enumerate() {
            let link = chain.link(*id, parents);
            if let Some(link) = chain.links.get_mut(link) {
                link.bone = Some(bone);
            }
            chain.of_bones.push(link);
        }
        chain
    }

    /// The link of a node, which is made with all above it that have none yet.
    fn link(&mut self, id: NodeId, parents: &[Option<NodeId>]) -> usize {
        let mut missing = Vec::new();
        let mut above = None;
        let parent = |id: &NodeId| parents.get(id.index()).copied().flatten();
        for node in std::iter::successors(Some(id), parent) {
            above = self.of_nodes.get(&node).copied();
            if above.is_some() {
                break;
            }
            missing.push(node);
        }
        while let Some(node) = missing.pop() {
            let place = self.links.len();
            self.links.push(Link { node, above, bone: None });
            self.of_nodes.insert(node, place);
            above = Some(place);
        }
        above.unwrap_or_default()
    }

    /// For each bone the nearest bone above it.
    pub(super) fn parents(&self) -> Vec<Option<usize>> {
        let mut nearest: Vec<Option<usize>> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let above = link.above.and_then(|above| Some((self.links.get(above)?, *nearest.get(above)?)));
            nearest.push(above.and_then(|(above, nearest)| above.bone.or(nearest)));
        }
        self.of_bones.iter().map(|link| nearest.get(*link).copied().flatten()).collect()
    }

    /// For each bone where it is in the world, with the digits that a long way needs.
    pub(super) fn worlds(&self, local: impl Fn(NodeId) -> Transform) -> Vec<DMat4> {
        let mut worlds: Vec<DMat4> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let own = matrix64(&local(link.node));
            let above = link.above.and_then(|above| worlds.get(above));
            worlds.push(above.map_or(own, |above| *above * own));
        }
        self.of_bones.iter().filter_map(|link| worlds.get(*link).copied()).collect()
    }

    /// How many nodes it has that are no bones.
    pub(super) fn above(&self) -> usize {
        self.links.len() - self.of_bones.len().min(self.links.len())
    }

    /// Whether a node is one of its bones, and not only above one; `None` for other nodes.
    pub(super) fn is_bone(&self, id: NodeId) -> Option<bool> {
        let link = self.links.get(*self.of_nodes.get(&id)?)?;
        Some(link.bone.is_some())
    }
}
