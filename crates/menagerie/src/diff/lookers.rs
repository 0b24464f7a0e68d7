//! Cameras and lights, on whatever node they hang.

use super::Comparison;
use crate::diag::Aspect;
use crate::scene::{Camera, Light, LightKind, NodeId, Projection, transform_distance};

/// Those of both Scenes by the nodes that carry them, and which is which.
struct Pairs<'a, T> {
    same: Vec<((NodeId, &'a T), &'a T)>,
    only_a: Vec<NodeId>,
    only_b: Vec<NodeId>,
}

/// Cameras or lights that are looked at for one whose node has no partner.
const LOOKED_AT: usize = 1024;

impl Comparison<'_> {
    pub(super) fn cameras(&mut self) {
        let of_a = self.a.nodes.iter().filter_map(|(id, node)| Some((id, self.a.cameras.get(node.camera?)?)));
        let of_b = self.b.nodes.iter().filter_map(|(id, node)| Some((id, self.b.cameras.get(node.camera?)?)));
        let pairs = self.lookers(of_a.collect(), of_b.collect(), |a, b| self.same_camera(a, b));
        self.alone(Aspect::Cameras, "camera", &pairs.only_a, &pairs.only_b);
        for ((node, a), b) in pairs.same {
            let path = self.node_path(node);
            self.name(&format!("{path}.camera"), &a.name, &b.name);
            self.extras(&format!("{path}.camera"), &a.extras, &b.extras);
            if !self.same_camera(a, b) {
                self.report.push(Aspect::Cameras, path, "the camera shows something else");
            }
        }
    }

    pub(super) fn lights(&mut self) {
        let of_a = self.a.nodes.iter().filter_map(|(id, node)| Some((id, self.a.lights.get(node.light?)?)));
        let of_b = self.b.nodes.iter().filter_map(|(id, node)| Some((id, self.b.lights.get(node.light?)?)));
        let pairs = self.lookers(of_a.collect(), of_b.collect(), |a, b| self.same_light(a, b));
        self.alone(Aspect::Lights, "light", &pairs.only_a, &pairs.only_b);
        for ((node, a), b) in pairs.same {
            let path = self.node_path(node);
            self.name(&format!("{path}.light"), &a.name, &b.name);
            self.extras(&format!("{path}.light"), &a.extras, &b.extras);
            if !self.same_light(a, b) {
                self.report.push(Aspect::Lights, path, "the light shines differently");
            }
        }
    }

    /// Pairs what hangs on nodes that are pairs, then what is the same in the same place on whatever node.
    fn lookers<'t, T>(
        &self,
        of_a: Vec<(NodeId, &'t T)>,
        of_b: Vec<(NodeId, &'t T)>,
        same: impl Fn(&T, &T) -> bool,
    ) -> Pairs<'t, T> {
        let mut free: Vec<Option<(NodeId, &T)>> = of_b.into_iter().map(Some).collect();
        let mut pairs = Pairs { same: Vec::new(), only_a: Vec::new(), only_b: Vec::new() };
        let mut left = Vec::new();
        let mut at_node = vec![None; self.b.nodes.len()];
        for (at, entry) in free.iter().enumerate() {
            if let Some(place) = entry.as_ref().and_then(|(node, _)| at_node.get_mut(node.index())) {
                *place = Some(at);
            }
        }
        for (node, thing) in of_a {
            let partner = self.matched.to_b[node.index()].and_then(|partner| at_node[partner.index()]);
            match partner.and_then(|at| free[at].take()) {
                Some((_, other)) => pairs.same.push(((node, thing), other)),
                None => left.push((node, thing)),
            }
        }
        for (node, thing) in left {
            let place = &self.rest_a.worlds[node.index()];
            let is_it = |entry: &Option<(NodeId, &T)>| {
                entry.is_some_and(|(other, candidate)| {
                    let apart = transform_distance(place, &self.rest_b.worlds[other.index()]);
                    apart <= self.tolerance.length.max(1e-4) && same(thing, candidate)
                })
            };
            match free.iter().take(LOOKED_AT).position(is_it).and_then(|at| free[at].take()) {
                Some((_, other)) => pairs.same.push(((node, thing), other)),
                None => pairs.only_a.push(node),
            }
        }
        pairs.only_b = free.into_iter().flatten().map(|(node, _)| node).collect();
        pairs
    }

    fn alone(&mut self, aspect: Aspect, what: &str, only_a: &[NodeId], only_b: &[NodeId]) {
        if let Some(first) = only_a.first() {
            let message = format!("has a {what} only in the first model");
            self.report.counted(aspect, self.node_path(*first), message, only_a.len());
        }
        if let Some(first) = only_b.first() {
            let path = format!("nodes[{}] {:?} of the second", first.index(), self.b.nodes[*first].name);
            let message = format!("has a {what} only in the second model");
            self.report.counted(aspect, path, message, only_b.len());
        }
    }

    fn same_camera(&self, a: &Camera, b: &Camera) -> bool {
        let numbers = |projection: &Projection| match *projection {
            Projection::Perspective { yfov, aspect, near, far } => {
                [0.0, yfov, aspect.unwrap_or(-1.0), near, far.unwrap_or(-1.0)]
            }
            Projection::Orthographic { xmag, ymag, near, far } => [1.0, xmag, ymag, near, far],
        };
        self.tolerance.all_same(&numbers(&a.projection), &numbers(&b.projection))
    }

    fn same_light(&self, a: &Light, b: &Light) -> bool {
        let numbers = |light: &Light| {
            let [kind, inner, outer] = match light.kind {
                LightKind::Point => [0.0, 0.0, 0.0],
                LightKind::Spot { inner, outer } => [1.0, inner, outer],
                LightKind::Directional => [2.0, 0.0, 0.0],
            };
            let [c, l, q] = light.attenuation.unwrap_or([-1.0; 3]);
            let [r, g, b] = light.color;
            [kind, inner, outer, r, g, b, light.intensity, light.range.unwrap_or(-1.0), c, l, q]
        };
        self.tolerance.all_same(&numbers(a), &numbers(b))
    }
}
