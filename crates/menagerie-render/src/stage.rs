//! A Scene with its textures, ready to be looked at, and the pictures of it.

use std::sync::atomic::AtomicUsize;

use glam::Vec3;
use menagerie::bytes::Limits;
use menagerie::diag::{Issue, Issues};
use menagerie::scene::{Bounds, CheckedScene, NodeId, Pose, Scene};
use rayon::prelude::*;

use crate::camera::{CameraChoice, Side, View, cameras};
use crate::drawable::{self, Drawable};
use crate::framing::{Frame, Reach};
use crate::lights::{Lights, Model, Rig};
use crate::lines::{Line, Strips};
use crate::material::Materials;
use crate::project::{self, Projected, Projector, Size, TILE};
use crate::shade::Shader;
use crate::shadow::GroundShadow;
use crate::tile::Drawing;
use crate::{Picture, codes, color, overlay};

/// More triangles than this have no numbers left for their parts.
const MAX_TRIANGLES: usize = 1 << 31;

/// What a vertex that is drawn takes while a picture is taken, and a triangle, in bytes.
const DRAWN_VERTEX: u64 = 64;
const DRAWN_TRIANGLE: u64 = 96;

/// What to take a picture of, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Where the front of the model looks.
    pub front: Vec3,
    /// Where the picture is taken from.
    pub camera: CameraChoice,
    /// Whether cameras that frame the model show far things as large as near ones.
    pub parallel: bool,
    /// An animation by its number and the time in seconds; `None` for the pose that the file rests in.
    pub moment: Option<(usize, f32)>,
    /// Which level of detail; 0 is the most detailed.
    pub level: usize,
    /// Which lights shine.
    pub lights: Lights,
    /// Whether the model has a shadow on the ground.
    pub shadow: bool,
    /// Whether edges are drawn, and whether surfaces are.
    pub wireframe: Wireframe,
    /// Whether bones are drawn.
    pub bones: bool,
    /// Whether the box around the model is drawn.
    pub bounds: bool,
    /// Whether the axes are drawn.
    pub axes: bool,
    /// Whether hidden nodes are drawn too.
    pub hidden: bool,
    /// Whether the back of all triangles is drawn.
    pub double_sided: bool,
    /// The background as sRGB with alpha.
    pub background: [u8; 4],
}

/// Whether edges are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wireframe {
    /// No.
    #[default]
    None,
    /// On the surfaces.
    Over,
    /// Without surfaces.
    Only,
}

impl Default for Shot {
    fn default() -> Self {
        Self {
            width: 1024,
            height: 1024,
            front: Vec3::Z,
            camera: CameraChoice::default(),
            parallel: false,
            moment: None,
            level: 0,
            lights: Lights::Auto,
            shadow: true,
            wireframe: Wireframe::None,
            bones: false,
            bounds: false,
            axes: false,
            hidden: false,
            double_sided: false,
            background: [0x82, 0x88, 0x90, 0xFF],
        }
    }
}

/// A picture and what was found in taking it.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The picture.
    pub picture: Picture,
    /// What could not be drawn, and why.
    pub issues: Issues,
}

/// A Scene with its textures decoded, of which pictures are taken.
#[derive(Debug)]
pub struct Stage<'a> {
    scene: &'a Scene,
    materials: Materials,
    issues: Issues,
    limits: Limits,
}

/// The model as one shot shows it.
struct Posed<'a> {
    pose: Pose,
    nodes: Vec<NodeId>,
    drawables: Vec<Drawable<'a>>,
    bounds: Option<Bounds>,
}

impl<'a> Stage<'a> {
    /// Decodes the textures of a Scene. Those that are missing or broken become issues.
    pub fn new(scene: CheckedScene<'a>) -> Self {
        let limits = Limits::default();
        let pictures = scene.images.values().filter_map(|image| image.data.as_deref());
        limits.reads(pictures.map(<[u8]>::len).sum());
        Self::within(scene, &limits)
    }

    /// The same as a step of a job, whose files the pictures were counted to.
    pub fn within(scene: CheckedScene<'a>, limits: &Limits) -> Self {
        let mut issues = Issues::default();
        let materials = Materials::new(&scene, limits, &mut issues);
        Self { scene: scene.scene(), materials, issues, limits: limits.clone() }
    }

    /// What is wrong with the textures.
    pub fn issues(&self) -> &Issues {
        &self.issues
    }

    /// The Scene.
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// Takes a picture.
    pub fn take(&self, shot: &Shot) -> Result<Taken, Issue> {
        let mut picture = Picture::new(shot.width, shot.height, shot.background)?;
        let size = Size { width: shot.width, height: shot.height };
        let mut issues = Issues::default();
        let posed = self.pose(shot, &mut issues)?;
        let view = self.view(shot, &posed, size, &mut issues)?;
        let of_camera = matches!(shot.camera, CameraChoice::Model(_));
        let lines = self.lines(shot, &posed);
        if posed.bounds.is_none() && lines.is_empty() {
            let message = "no triangle, line or point of the shown scene can be drawn";
            issues.push(Issue::new(&codes::NOTHING_TO_DRAW, "", message));
            return Ok(Taken { picture, issues });
        }
        if inside(posed.bounds, view.eye) {
            let message = format!("the camera at {} is among what it looks at", view.eye);
            issues.push(Issue::new(&codes::CAMERA_INSIDE, "", message));
        }
        let model = Model { scene: self.scene, pose: &posed.pose, nodes: &posed.nodes, bounds: posed.bounds };
        let rig = Rig::new(shot.lights, of_camera, model, &view);
        self.draw(shot, &posed, view, &rig, &lines, &mut picture, &mut issues);
        Ok(Taken { picture, issues })
    }

    /// Cameras that look at the middle of the model from all around, at the same distance, `count` of them.
    pub fn turntable(&self, shot: &Shot, count: usize) -> Result<Vec<View>, Issue> {
        let start = match shot.camera {
            CameraChoice::Framing(side) => side,
            _ => Side::THREE_QUARTER,
        };
        let posed = self.pose(shot, &mut Issues::default())?;
        let aspect = Size { width: shot.width.max(1), height: shot.height.max(1) }.aspect();
        let bounds = posed.bounds.unwrap_or(Bounds { min: Vec3::ZERO, max: Vec3::ZERO });
        let target = (bounds.min + bounds.max) * 0.5;
        let reaches: Vec<Reach> = (0..count)
            .filter_map(|i| {
                let azimuth = start.azimuth + 360.0 * i as f32 / count as f32;
                let orientation = Side { azimuth, ..start }.orientation(shot.front);
                let points = drawable::points(&posed.drawables);
                let reach = Reach::of(points, orientation, aspect);
                reach.or_else(|| Reach::of([target].into_iter(), orientation, aspect))
            })
            .collect();
        let distance = reaches.iter().map(|reach| reach.distance(target)).fold(0.0, f32::max);
        let frame = Frame { aspect, parallel: shot.parallel };
        Ok(reaches.iter().map(|reach| reach.at(target, distance, frame)).collect())
    }

    /// A camera that shows the model in all of these shots, so that it can be the same for all of them.
    pub fn common_view(&self, shots: &[Shot]) -> Result<Option<View>, Issue> {
        let Some(first) = shots.first() else { return Ok(None) };
        let CameraChoice::Framing(side) = first.camera else { return Ok(None) };
        let mut points = Vec::new();
        for shot in shots {
            let posed = self.pose(shot, &mut Issues::default())?;
            // The corners of the box are enough for a camera that fits many poses.
            if let Some(Bounds { min, max }) = posed.bounds {
                let pick = |i: usize, axis: usize| if i >> axis & 1 == 1 { max[axis] } else { min[axis] };
                points.extend((0..8).map(|i| Vec3::new(pick(i, 0), pick(i, 1), pick(i, 2))));
            }
        }
        let aspect = Size { width: first.width.max(1), height: first.height.max(1) }.aspect();
        let reach = Reach::of(points.into_iter(), side.orientation(first.front), aspect);
        Ok(reach.map(|reach| reach.view(Frame { aspect, parallel: first.parallel })))
    }

    fn pose(&self, shot: &Shot, issues: &mut Issues) -> Result<Posed<'a>, Issue> {
        let pose = match shot.moment {
            None => Pose::rest(self.scene),
            Some((index, seconds)) => match self.scene.animations.get(index) {
                Some(animation) => Pose::at(self.scene, animation, seconds),
                None => {
                    let message = format!("there is no animation {index} of {}", self.scene.animations.len());
                    return Err(Issue::new(&codes::NO_SUCH_ANIMATION, "animations", message));
                }
            },
        };
        let (vertices, triangles) = menagerie::ops::drawn(self.scene);
        self.limits.affords(
            vertices.saturating_mul(DRAWN_VERTEX).saturating_add(triangles.saturating_mul(DRAWN_TRIANGLE)),
        )?;
        let nodes = drawable::shown_nodes(self.scene, shot.level, shot.hidden);
        let mut drawables = drawable::collect(self.scene, &pose, &nodes, &self.materials, issues);
        if shot.double_sided {
            drawables.iter_mut().for_each(|drawable| drawable.double_sided = true);
        }
        let triangles: usize = drawables.iter().map(|drawable| drawable.triangles.len()).sum();
        if triangles >= MAX_TRIANGLES {
            return Err(Issue::new(&codes::TOO_LARGE, "", format!("{triangles} triangles are too many")));
        }
        let bounds = drawable::bounds(&drawables);
        Ok(Posed { pose, nodes, drawables, bounds })
    }

    fn view(&self, shot: &Shot, posed: &Posed<'_>, size: Size, issues: &mut Issues) -> Result<View, Issue> {
        let side = match &shot.camera {
            CameraChoice::View(view) => return Ok(*view),
            CameraChoice::Framing(side) => *side,
            CameraChoice::Model(id) => {
                let node = self.scene.nodes.iter().find(|(_, node)| node.camera == Some(*id));
                let (Some((node, _)), Some(camera)) = (node, self.scene.cameras.get(*id)) else {
                    let known: Vec<String> = cameras(self.scene).into_iter().map(|(_, name)| name).collect();
                    let message = format!("there is no such camera; there are: {}", known.join(", "));
                    return Err(Issue::new(&codes::NO_SUCH_CAMERA, "cameras", message));
                };
                let world = posed.pose.worlds.get(node.index()).copied().unwrap_or_default();
                if let Some(view) = View::of_camera(&camera.projection, world, size.aspect()) {
                    return Ok(view);
                }
                let message = format!("the camera {:?} shows nothing; the whole model is shown", camera.name);
                let path = format!("cameras[{}]", id.index());
                issues.push(Issue::new(&codes::CAMERA_UNUSABLE, path, message));
                Side::THREE_QUARTER
            }
        };
        let orientation = side.orientation(shot.front);
        let joints = if shot.bones { overlay::joints(self.scene, &posed.pose) } else { Vec::new() };
        let joints = joints.into_iter().filter(|joint| drawable::is_drawable(*joint));
        let origin = shot.axes.then_some(Vec3::ZERO);
        let points = drawable::points(&posed.drawables).chain(joints).chain(origin);
        let reach = Reach::of(points, orientation, size.aspect());
        let reach = reach.or_else(|| Reach::of([Vec3::ZERO].into_iter(), orientation, size.aspect()));
        let frame = Frame { aspect: size.aspect(), parallel: shot.parallel };
        reach.map(|reach| reach.view(frame)).ok_or_else(|| {
            Issue::new(&codes::TOO_LARGE, "", "the model is too large or too far away to be looked at")
        })
    }

    fn lines(&self, shot: &Shot, posed: &Posed<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        overlay::own(&posed.drawables, &self.materials, &mut lines);
        if shot.wireframe != Wireframe::None {
            overlay::wires(&posed.drawables, &mut lines);
        }
        if let Some(bounds) = posed.bounds {
            if shot.bounds {
                overlay::bounding_box(bounds, &mut lines);
            }
            if shot.axes {
                overlay::axes(bounds, &mut lines);
            }
        }
        if shot.bones {
            overlay::bones(self.scene, &posed.pose, &mut lines);
        }
        lines.retain(|line| drawable::is_drawable(line.from) && drawable::is_drawable(line.to));
        lines
    }

    #[expect(clippy::too_many_arguments, reason = "each is a thing of its own")]
    fn draw(
        &self,
        shot: &Shot,
        posed: &Posed<'_>,
        view: View,
        rig: &Rig,
        lines: &[Line],
        picture: &mut Picture,
        issues: &mut Issues,
    ) {
        let size = Size { width: shot.width, height: shot.height };
        let projector = Projector::new(view, size);
        let surfaces = shot.wireframe != Wireframe::Only;
        let drawables = if surfaces { posed.drawables.as_slice() } else { &[] };
        let projected: Vec<Projected> = drawables
            .iter()
            .map(|drawable| Projected { corners: projector.corners(&drawable.positions) })
            .collect();
        let chunks = project::chunks(&projector, drawables, &projected);
        let left_out: usize = chunks.iter().map(|chunk| chunk.left_out).sum();
        if left_out > 0 {
            issues.push(Issue::new(&codes::OVERDRAW, "", format!("{left_out} triangles were left out")));
        }
        let stands = shot.shadow && surfaces && posed.bounds.is_some_and(|bounds| view.eye.y > bounds.min.y);
        let shadow = posed
            .bounds
            .filter(|_| stands)
            .and_then(|bounds| GroundShadow::new(drawables, &self.materials, bounds));
        let reach = posed.bounds.map_or(1.0, |bounds| bounds.diagonal());
        let strips = Strips::new(lines, &projector, reach);
        let drawing = Drawing {
            view,
            size,
            drawables,
            projected: &projected,
            chunks: &chunks,
            materials: &self.materials,
            shader: Shader { materials: &self.materials, rig },
            strips: &strips,
            shadow: shadow.as_ref(),
            background: color::premultiplied(shot.background),
            surfaces,
            crowded: AtomicUsize::new(0),
        };
        draw_tiles(&drawing, picture);
        let crowded = drawing.crowded.into_inner();
        if crowded > 0 {
            let message = format!("{crowded} pixels lack layers that are behind others or have holes");
            issues.push(Issue::new(&codes::OVERDRAW, "", message));
        }
    }
}

/// Draws all tiles on all cores. Rows of tiles are rows of the picture, so that each has its own part of it.
fn draw_tiles(drawing: &Drawing<'_>, picture: &mut Picture) {
    let (columns, _) = drawing.size.tiles();
    let width = drawing.size.width as usize;
    let rows = picture.pixels_mut().par_chunks_mut(width * TILE as usize);
    rows.enumerate().for_each(|(row, pixels)| {
        let tiles: Vec<Vec<[u8; 4]>> =
            (0..columns).into_par_iter().map(|column| drawing.tile(row * columns + column)).collect();
        for (column, tile) in tiles.iter().enumerate() {
            let left = column * TILE as usize;
            let tile_width = (TILE as usize).min(width - left);
            for (to, from) in pixels.chunks_mut(width).zip(tile.chunks(tile_width)) {
                if let Some(to) = to.get_mut(left..left + tile_width) {
                    to.copy_from_slice(from);
                }
            }
        }
    });
}

/// Whether a place is well inside a box.
fn inside(bounds: Option<Bounds>, place: Vec3) -> bool {
    bounds.is_some_and(|b| place.cmpgt(b.min).all() && place.cmplt(b.max).all())
}
