//! Skins to collections of bones, in the order and the frame that the format wants.

use std::collections::BTreeMap;

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4};

use super::chain::Chain;
use super::nodes::{Role, skin_in_use};
use super::{Lowering, number};
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::formats::bogle::ENGINE_BONES;
use crate::formats::bogle::frame::Frame;
use crate::formats::bogle::joints::Joints;
use crate::formats::bogle::model::{Animation, Bone, Collection, Key};
use crate::formats::bogle::notes::{NodeNote, Note as _, StillNote, write_name};
use crate::scene::{Node, NodeId, Skin, Transform, Turn};

/// How far a scale may be from one, or a matrix from another, to be taken for the same.
const SAME: f64 = 1e-5;

/// The rotation and the translation of a bone.
pub(super) type Stance = (DQuat, DVec3);

/// A skeleton, on its way to become an animation collection.
pub(super) struct Rig {
    /// The nodes of the bones.
    pub(super) bones: Vec<NodeId>,
    /// For each bone the position of its parent.
    pub(super) parents: Vec<Option<usize>>,
    /// Which bones of the file the bones here are: they are joints, for the engine of two bones each.
    pub(super) joints: Joints,
    /// Whether that is how a BOGLE file had them.
    pub(super) was_doubled: bool,
    /// For each joint of the skin its bone in the file.
    pub(super) bone_of_joint: Vec<usize>,
    /// For each joint of the skin where the rest pose has what is bound to it; `None` when that is where it is.
    pub(super) moved: Option<Vec<DMat4>>,
    /// Whether it was a collection of a BOGLE file.
    pub(super) from_file: bool,
    /// Whether every bone is right below its parent and has no scale.
    pub(super) direct: bool,
    /// From the world to the space of the roots, at rest.
    to_base: DMat4,
    /// For each bone its rotation and translation in its parent at rest.
    pub(super) rest: Vec<Stance>,
    /// The collection without animations.
    pub(super) collection: Collection,
    /// Animations that move nothing, with their positions.
    pub(super) stills: Vec<(usize, Animation)>,
    /// The collection that it was in a file.
    pub(super) wanted: Option<usize>,
    /// The skeletons that may be the same collection.
    pub(super) group: Option<usize>,
}

impl Lowering<'_> {
    /// The skeleton of a node: the one that a BOGLE file had, or that of its skin.
    pub(super) fn rig_of(&mut self, id: NodeId) -> Option<usize> {
        let node = self.scene.nodes.get(id)?;
        let armature = node.children.iter().copied().find(|child| {
            self.role(*child) == Role::Skeleton
                && self.scene.nodes.get(*child).is_some_and(|n| NodeNote::of(&n.extras).collection.is_some())
        });
        let skin = skin_in_use(self.scene, node);
        let from_file = armature.and_then(|armature| self.rig_from_file(armature, frame_of(node)));
        let mut rig = match from_file {
            Some(rig) => rig,
            None => self.rig_from_skin(id, skin?)?,
        };
        if let Some(skin) = skin {
            let bone_of: BTreeMap<NodeId, usize> =
                rig.bones.iter().enumerate().map(|(bone, id)| (*id, bone)).collect();
            let missing = rig.collection.bones.len();
            let turn = |joint: &NodeId| bone_of.get(joint).map_or(missing, |bone| rig.joints.turn(*bone));
            rig.bone_of_joint = skin.joints.iter().map(turn).collect();
            rig.moved = self.moved(id, skin);
        }
        self.rigs.push(rig);
        Some(self.rigs.len() - 1)
    }

    /// A skeleton of a BOGLE file that no instance used.
    pub(super) fn unused_skeleton(&mut self, armature: NodeId) {
        if let Some(rig) = self.rig_from_file(armature, Frame::Turned) {
            self.rigs.push(rig);
        }
    }

    /// The skeleton below an armature node, if its bones are all there.
    fn rig_from_file(&self, armature: NodeId, parent: Frame) -> Option<Rig> {
        let node = self.scene.nodes.get(armature)?;
        let mut bones: BTreeMap<usize, NodeId> = BTreeMap::new();
        for id in self.scene.walk(&[armature]) {
            if let Some(bone) = self.scene.nodes.get(id).and_then(|node| NodeNote::of(&node.extras).bone)
                && bones.insert(bone, id).is_some()
            {
                return None;
            }
        }
        if bones.keys().copied().ne(0..bones.len()) {
            return None;
        }
        let mut bones: Vec<NodeId> = bones.into_values().collect();
        let note = NodeNote::of(&node.extras);
        let kept = note.doubled;
        if kept || self.for_engine(true) {
            self.sort_parents_first(&mut bones);
        }
        let transform = Frame::Turned.to_file(parent, node.transform.matrix());
        let mut rig = self.rig(bones, Some(armature), transform)?;
        rig.from_file = true;
        rig.was_doubled = kept;
        rig.wanted = note.collection;
        rig.group = rig.wanted;
        rig.collection.name = write_name(&node.name, note.name_bytes);
        rig.make_bones((kept && self.purpose.serves_engine()) || self.for_engine(true));
        rig.stills = stills(note.still_animations, rig.collection.bones.len());
        rig.direct.then_some(rig)
    }

    /// The skeleton of a skin.
    fn rig_from_skin(&mut self, id: NodeId, skin: &Skin) -> Option<Rig> {
        let path = format!("nodes[{}]", id.index());
        let bones = self.parents_first(skin);
        let first = bones.first()?;
        let base = self.parents.get(first.index()).copied().flatten();
        let base_world = base.map_or(DMat4::IDENTITY, |base| self.world(base));
        let mesh_world = self.world(id);
        let singular = |m: &DMat4| !m.inverse().is_finite() || m.determinant() == 0.0;
        if singular(&mesh_world) || singular(&base_world) {
            let message = "the mesh or its skeleton has a scale of zero; it is not skinned any more";
            self.losses.dropped(Aspect::Skins, path, message);
            return None;
        }
        let transform = affine((mesh_world.inverse() * base_world).as_mat4());
        let mut rig = self.rig(bones, base, Turn::YUpToZUp.matrix(transform))?;
        let node = self.scene.nodes.get(id)?;
        rig.collection.name = skin.name.as_bytes().to_vec();
        rig.make_bones(self.for_engine(false));
        // Far from the numbers that files have.
        rig.group = node.skin.map(|skin| usize::MAX / 2 + skin.index());
        self.report_scales(&path, &rig);
        Some(rig)
    }

    /// A skeleton of these bones, whose roots are in `base`.
    fn rig(&self, bones: Vec<NodeId>, base: Option<NodeId>, transform: Mat4) -> Option<Rig> {
        let chain = Chain::new(&bones, &self.parents);
        let parents = chain.parents();
        let right_below = |(id, parent): (&NodeId, &Option<usize>)| {
            let holder = parent.map_or(base, |parent| bones.get(parent).copied());
            let node = self.scene.nodes.get(*id);
            self.parents.get(id.index()).copied().flatten() == holder
                && node.is_some_and(|node| is_rigid(&node.transform))
        };
        let direct = bones.iter().zip(&parents).all(right_below);
        let base_world = base.map_or(DMat4::IDENTITY, |base| self.world(base));
        let mut rig = Rig {
            bones,
            parents,
            joints: Joints::Plain,
            was_doubled: false,
            bone_of_joint: Vec::new(),
            moved: None,
            from_file: false,
            direct,
            to_base: base_world.inverse(),
            rest: Vec::new(),
            collection: Collection { transform: transform.to_cols_array(), ..Collection::default() },
            stills: Vec::new(),
            wanted: None,
            group: None,
        };
        rig.rest = self.relative(&rig, &chain, rig.direct, &|id| self.local(id));
        rig.make_bones(false);
        Some(rig)
    }

    /// The joints of a skin, each once, with parents before children.
    fn parents_first(&self, skin: &Skin) -> Vec<NodeId> {
        let mut seen = std::collections::BTreeSet::new();
        let missing =
            |id: NodeId| self.scene.nodes.get(id).is_none_or(|node| NodeNote::of(&node.extras).missing_bone);
        let mut joints: Vec<NodeId> =
            skin.joints.iter().copied().filter(|id| !missing(*id) && seen.insert(*id)).collect();
        self.sort_parents_first(&mut joints);
        joints
    }

    /// Puts parents before children, where they are not: the engine loses bones otherwise (engines.md BOGLE E4).
    fn sort_parents_first(&self, joints: &mut [NodeId]) {
        let all: std::collections::BTreeSet<NodeId> = joints.iter().copied().collect();
        let mut before = std::collections::BTreeSet::new();
        let is_after_parent = |id: &NodeId| {
            let parent = self.ancestors(*id).find(|above| all.contains(above));
            before.insert(*id);
            parent.is_none_or(|parent| before.contains(&parent))
        };
        if !joints.iter().all(is_after_parent) {
            joints.sort_by_cached_key(|id| self.ancestors(*id).filter(|above| all.contains(above)).count());
        }
    }

    /// The nodes above a node, from the nearest on.
    pub(super) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let above = |id: NodeId| self.parents.get(id.index()).copied().flatten();
        std::iter::successors(above(id), move |id| above(*id))
    }

    pub(super) fn local(&self, id: NodeId) -> Transform {
        self.scene.nodes.get(id).map_or(Transform::IDENTITY, |node| node.transform)
    }

    /// From a node to the world at rest, with the digits that a long way needs.
    fn world(&self, id: NodeId) -> DMat4 {
        self.worlds.get(id.index()).copied().unwrap_or(DMat4::IDENTITY)
    }

    /// For each bone its rotation and translation in its parent, without scale.
    pub(super) fn relative(
        &self,
        rig: &Rig,
        chain: &Chain,
        direct: bool,
        local: &dyn Fn(NodeId) -> Transform,
    ) -> Vec<Stance> {
        if direct {
            let of_bone = |id: &NodeId| {
                let (translation, rotation, _, _) = local(*id).to_trs();
                (rotation.as_dquat().normalize(), translation.as_dvec3())
            };
            return rig.bones.iter().map(of_bone).collect();
        }
        let stance = |world: DMat4| {
            let matrix = rig.to_base * world;
            (rotation_of(&matrix), matrix.w_axis.truncate())
        };
        let placed: Vec<Stance> = chain.worlds(local).into_iter().map(stance).collect();
        let in_parent = |((rotation, translation), parent): (&Stance, &Option<usize>)| match parent
            .and_then(|parent| placed.get(parent))
        {
            Some((turn, moved)) => {
                let back = turn.inverse();
                ((back * *rotation).normalize(), back * (*translation - *moved))
            }
            None => (*rotation, *translation),
        };
        placed.iter().zip(&rig.parents).map(in_parent).collect()
    }

    /// For each joint where the rest pose has what is bound to it, in the mesh's space; `None` when nothing moves.
    fn moved(&self, id: NodeId, skin: &Skin) -> Option<Vec<DMat4>> {
        let to_mesh = self.world(id).inverse();
        let matrix =
            |(i, joint): (usize, &NodeId)| to_mesh * self.world(*joint) * skin.inverse_bind(i).as_dmat4();
        let moved: Vec<DMat4> = skin.joints.iter().enumerate().map(matrix).collect();
        let mesh = self.scene.nodes.get(id).and_then(|node| self.scene.meshes.get(node.mesh?));
        let positions = mesh.into_iter().flat_map(|mesh| &mesh.primitives).flat_map(|p| &p.positions);
        let size = positions.flatten().fold(1e-6f32, |most, x| most.max(x.abs()));
        let stays = |matrix: &DMat4| {
            let off = *matrix - DMat4::IDENTITY;
            let linear = [off.x_axis, off.y_axis, off.z_axis].map(|axis| axis.abs().max_element());
            linear.into_iter().fold(0.0, f64::max) < SAME
                && off.w_axis.abs().max_element() < SAME * f64::from(size)
        };
        (!moved.iter().all(stays) && moved.iter().all(|matrix| matrix.is_finite())).then_some(moved)
    }

    fn report_scales(&mut self, path: &str, rig: &Rig) {
        let mut stats = ErrorStats::default();
        for id in &rig.bones {
            let (_, _, scale, off) = self.local(*id).to_trs();
            let error = f64::from((scale - 1.0).abs().max_element().max(off));
            stats.add(if error > 1e-4 { error } else { 0.0 });
        }
        let message =
            "BOGLE's bones have no scale; that of the joints went into the places of their children";
        self.losses.measured(Aspect::Transforms, path, message, stats, "scale factor");
    }
}

impl Rig {
    /// How large a unit of the space of the roots is in the world.
    pub(super) fn base_scale(&self) -> f64 {
        let axes = [self.to_base.x_axis, self.to_base.y_axis, self.to_base.z_axis];
        let least = axes.into_iter().map(|axis| axis.truncate().length()).fold(f64::MAX, f64::min);
        if least > 0.0 && least.is_finite() { least.recip() } else { 1.0 }
    }

    /// The bones of the file; for the engine two for each joint, where it has room for them.
    fn make_bones(&mut self, for_engine: bool) {
        let fits = self.rest.len() * 2 <= ENGINE_BONES && !self.rest.is_empty();
        self.joints = if for_engine && fits { Joints::Doubled } else { Joints::Plain };
        let stances = self.rest.iter().zip(&self.parents);
        self.collection.bones = match self.joints {
            Joints::Plain => stances.map(|(rest, parent)| bone(*rest, *parent)).collect(),
            Joints::Doubled => stances
                .enumerate()
                .flat_map(|(joint, (rest, parent))| place_and_turn(joint, *rest, *parent))
                .collect(),
        };
    }
}

/// The two bones of a joint (engines.md BOGLE E5): one that is where it is and does not turn, and below it one that
/// turns and does not move.
fn place_and_turn(joint: usize, (rotation, translation): Stance, parent: Option<usize>) -> [Bone; 2] {
    let kind = Joints::Doubled;
    [
        bone((DQuat::IDENTITY, translation), parent.map(|parent| kind.turn(parent))),
        bone((rotation, DVec3::ZERO), Some(kind.place(joint))),
    ]
}

/// The space of a node as [`super::nodes`] has it.
fn frame_of(node: &Node) -> Frame {
    let looks = node.camera.is_some() || node.light.is_some();
    if looks && node.mesh.is_none() { Frame::Look } else { Frame::Turned }
}

fn is_rigid(transform: &Transform) -> bool {
    match transform {
        Transform::Trs { scale, .. } => f64::from((*scale - 1.0).abs().max_element()) < SAME,
        Transform::Matrix(_) => false,
    }
}

pub(super) fn matrix64(transform: &Transform) -> DMat4 {
    match transform {
        Transform::Trs { translation, rotation, scale } => DMat4::from_scale_rotation_translation(
            scale.as_dvec3(),
            rotation.as_dquat().normalize(),
            translation.as_dvec3(),
        ),
        Transform::Matrix(matrix) => matrix.as_dmat4(),
    }
}

/// The rotation of a matrix, whatever its scale.
fn rotation_of(matrix: &DMat4) -> DQuat {
    let linear = DMat3::from_mat4(*matrix);
    let (Some(x), Some(y)) = (linear.x_axis.try_normalize(), linear.y_axis.try_normalize()) else {
        return DQuat::IDENTITY;
    };
    let Some(z) = x.cross(y).try_normalize() else { return DQuat::IDENTITY };
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
    if rotation.is_finite() { rotation.normalize() } else { DQuat::IDENTITY }
}

/// A bone of the file: a child is moved in its own turned frame, a root is not.
fn bone((rotation, translation): Stance, parent: Option<usize>) -> Bone {
    let position = if parent.is_some() { rotation.inverse() * translation } else { translation };
    let position = Turn::YUpToZUp.vec3(position.as_vec3());
    Bone {
        position: position.to_array().map(Into::into),
        rotation: Turn::YUpToZUp.quat(rotation.as_quat()).to_array().map(Into::into),
        parent: parent.map_or(0, |parent| number(parent + 1)).into(),
    }
}

/// The last row that belongs there.
fn affine(mut matrix: Mat4) -> Mat4 {
    matrix.x_axis.w = 0.0;
    matrix.y_axis.w = 0.0;
    matrix.z_axis.w = 0.0;
    matrix.w_axis.w = 1.0;
    matrix
}

/// The animations without movement that an armature node keeps, with their positions.
fn stills(notes: Vec<StillNote>, bones: usize) -> Vec<(usize, Animation)> {
    let still = |note: StillNote| {
        let offsets: Vec<f32> = note.offsets.iter().map(|x| x.0).collect();
        let keys = note.times.iter().zip(offsets.as_chunks().0).map(|(time, offset)| Key {
            time: time.0,
            root_offset: *offset,
            rotations: vec![[0.0, 0.0, 0.0, 1.0].map(Into::into); bones],
        });
        (note.index, Animation { name: note.name_bytes, keys: keys.collect() })
    };
    notes.into_iter().map(still).collect()
}
