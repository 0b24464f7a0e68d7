//! One tile of the picture, from triangles to pixels.
//!
//! First every sample finds the triangle that is nearest; then each pixel is shaded once for every triangle that is
//! seen in it; then transparent triangles are laid over it from back to front, and lines at last.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use menagerie::scene::{AlphaMode, Blend};

use crate::attributes::Attributes;
use crate::camera::View;
use crate::color;
use crate::crowd::{Crowd, LAYERS};
use crate::drawable::Drawable;
use crate::lines::Strips;
use crate::material::Materials;
use crate::project::{Chunk, Corner, GRID, Projected, Size, TILE};
use crate::raster::{ALL_BLOCKS, Blocks, Covered, PIXELS, SAMPLE_PLACES, SAMPLES, Tile, Triangle};
use crate::shade::Shader;
use crate::shadow::GroundShadow;

/// The slot of a sample that no triangle covers.
const NONE: u32 = u32::MAX;

/// All that a picture is drawn from.
pub(crate) struct Drawing<'a> {
    pub(crate) view: View,
    pub(crate) size: Size,
    pub(crate) drawables: &'a [Drawable<'a>],
    pub(crate) projected: &'a [Projected],
    pub(crate) chunks: &'a [Chunk],
    pub(crate) materials: &'a Materials,
    pub(crate) shader: Shader<'a>,
    pub(crate) strips: &'a Strips,
    pub(crate) shadow: Option<&'a GroundShadow>,
    /// Linear, with its alpha multiplied in.
    pub(crate) background: [f32; 4],
    /// Whether triangles are drawn, and not only lines.
    pub(crate) surfaces: bool,
    /// How many pixels lack layers because they have too many.
    pub(crate) crowded: AtomicUsize,
}

/// So often a tile looks for each of its samples whether a triangle with holes is there.
const LOOKS_INTO_HOLES: usize = 256;

/// After so many triangles a tile looks how far away the farthest of its samples is by now.
const LOOK_EVERY: u32 = 256;

/// The samples of a tile.
struct Samples {
    depth: Vec<[f32; SAMPLES]>,
    slot: Vec<[u32; SAMPLES]>,
    /// No sample is farther away than this: triangles that are need not be looked at.
    farthest: f32,
    since_look: u32,
    /// How often it may still be asked whether a triangle with holes is at a sample.
    looks: usize,
}

/// A light with its alpha multiplied in.
type Light = [f32; 4];

impl Drawing<'_> {
    /// Draws a tile: its pixels, row by row.
    pub(crate) fn tile(&self, index: usize) -> Vec<[u8; 4]> {
        let (columns, _) = self.size.tiles();
        let (left, top) = ((index % columns) as i32 * TILE, (index / columns) as i32 * TILE);
        let tile = Tile {
            left,
            top,
            width: TILE.min(self.size.width as i32 - left),
            height: TILE.min(self.size.height as i32 - top),
        };
        let mut samples = Samples {
            depth: vec![[f32::NEG_INFINITY; SAMPLES]; PIXELS],
            slot: vec![[NONE; SAMPLES]; PIXELS],
            farthest: f32::NEG_INFINITY,
            since_look: 0,
            looks: LOOKS_INTO_HOLES * PIXELS * SAMPLES,
        };
        let mut transparent = Vec::new();
        if self.surfaces {
            transparent = self.find_nearest(index, &tile, &mut samples);
        }
        let mut strips = self.strips.in_tile(index).peekable();
        if transparent.is_empty() && strips.peek().is_none() {
            let lights = self.shade(&tile, &samples, |lights| mean(&lights));
            return lights.into_iter().map(encode).collect();
        }
        let mut lights = self.shade(&tile, &samples, |lights| lights);
        self.lay_all_over(&transparent, &tile, &samples, &mut lights);
        for strip in strips {
            for corners in strip.triangles() {
                lay_flat(&corners, strip.color, strip.on_top, &tile, &mut samples, &mut lights);
            }
        }
        lights.iter().map(|lights| encode(mean(lights))).collect()
    }

    /// Finds the nearest triangle of every sample; gives the transparent slots of the tile from back to front.
    fn find_nearest(&self, index: usize, tile: &Tile, samples: &mut Samples) -> Vec<u32> {
        let mut transparent = Vec::new();
        let mut with_holes = Vec::new();
        for chunk in self.chunks {
            let slots = chunk.in_tile(index);
            if slots.is_empty() {
                continue;
            }
            let surface = self.materials.at(self.drawables[chunk.drawable].surface);
            for &local in slots {
                let slot = chunk.first_slot + local;
                let Some(corners) = self.corners(chunk, local) else { continue };
                let depth = || corners[0].depth + corners[1].depth + corners[2].depth;
                match surface.alpha {
                    AlphaMode::Blend(_) => transparent.push((depth(), slot)),
                    AlphaMode::Mask { .. } => with_holes.push((depth(), slot)),
                    AlphaMode::Opaque => {
                        let Some(triangle) = Triangle::new(&corners, tile) else { continue };
                        if triangle.nearest > samples.farthest {
                            triangle.cover(|covered| samples.keep_nearest(&covered, slot));
                            samples.look_after(tile);
                        }
                    }
                }
            }
        }
        // From front to back: what is hidden needs no look.
        with_holes.sort_by(|a: &(f32, u32), b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, slot) in with_holes {
            self.cut_out(slot, tile, samples);
        }
        if samples.looks == 0 {
            self.crowded.fetch_add((tile.width * tile.height) as usize, Relaxed);
        }
        transparent.sort_by(|a: &(f32, u32), b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        transparent.into_iter().map(|(_, slot)| slot).collect()
    }

    /// The same for a triangle of which only the part counts that is opaque enough.
    fn cut_out(&self, slot: u32, tile: &Tile, samples: &mut Samples) {
        let Some((chunk, _)) = self.find(slot) else { return };
        let surface = self.materials.at(self.drawables[chunk.drawable].surface);
        let AlphaMode::Mask { cutoff } = surface.alpha else { return };
        let Some(triangle) = self.triangle(slot, tile) else { return };
        if triangle.nearest <= samples.farthest || samples.looks == 0 {
            return;
        }
        let Some(attributes) = self.attributes(slot) else { return };
        triangle.cover(|mut covered| {
            let (x, y) = place(covered.pixel, tile);
            for (s, (sample_x, sample_y)) in SAMPLE_PLACES.iter().enumerate() {
                if covered.inside[s] >= 0 && covered.depth[s] > samples.depth[covered.pixel][s] {
                    let Some(left) = samples.looks.checked_sub(1) else {
                        covered.inside[s] = -1;
                        continue;
                    };
                    samples.looks = left;
                    let (uvs, shares) = attributes.uvs((x + sample_x) as f32, (y + sample_y) as f32);
                    let opacity = self.shader.opacity(surface, attributes.alpha(shares), &uvs);
                    if opacity < cutoff {
                        covered.inside[s] = -1;
                    }
                }
            }
            samples.keep_nearest(&covered, slot);
        });
        samples.look_after(tile);
    }

    /// Shades every pixel once for every triangle in it. `finish` gets the light of the samples.
    fn shade<T>(&self, tile: &Tile, samples: &Samples, finish: impl Fn([Light; SAMPLES]) -> T) -> Vec<T> {
        let mut result = Vec::with_capacity((tile.width * tile.height) as usize);
        let mut known: Option<(u32, Attributes)> = None;
        for row in 0..tile.height {
            for column in 0..tile.width {
                let pixel = (row * TILE + column) as usize;
                let slots = samples.slot[pixel];
                let mut lights = [[0.0; 4]; SAMPLES];
                let mut background = None;
                for s in 0..SAMPLES {
                    let slot = slots[s];
                    if let Some(same) = slots[..s].iter().position(|other| *other == slot) {
                        lights[s] = lights[same];
                        continue;
                    }
                    if slot == NONE {
                        lights[s] = *background
                            .get_or_insert_with(|| self.behind(tile.left + column, tile.top + row));
                        continue;
                    }
                    if known.as_ref().is_none_or(|(of, _)| *of != slot) {
                        known = self.attributes(slot).map(|attributes| (slot, attributes));
                    }
                    let Some((_, attributes)) = &known else { continue };
                    let (x, y) = middle(&slots, slot, place(pixel, tile));
                    let [r, g, b, _] = self.light(slot, attributes, x, y);
                    lights[s] = [r, g, b, 1.0];
                }
                result.push(finish(lights));
            }
        }
        result
    }

    /// The light and opacity of a triangle at a place on the grid.
    fn light(&self, slot: u32, attributes: &Attributes, x: f32, y: f32) -> [f32; 4] {
        let (uvs, shares) = attributes.uvs(x, y);
        let place = attributes.place(shares, &uvs, |position| self.view.towards(position));
        let Some((chunk, _)) = self.find(slot) else { return [0.0; 4] };
        let surface = self.materials.at(self.drawables[chunk.drawable].surface);
        self.shader.shade(surface, &place)
    }

    /// Lays the transparent triangles over what is there. They come from back to front.
    fn lay_all_over(
        &self,
        transparent: &[u32],
        tile: &Tile,
        samples: &Samples,
        lights: &mut [[Light; SAMPLES]],
    ) {
        let crowd = (transparent.len() > LAYERS).then(|| self.crowd(transparent, tile, samples));
        for (layer, slot) in transparent.iter().enumerate() {
            match &crowd {
                None => self.lay_over(*slot, ALL_BLOCKS, tile, samples, lights, |_| true),
                Some(crowd) => {
                    let draws = |pixel| crowd.draws(layer, pixel);
                    self.lay_over(*slot, crowd.drawn_in(layer), tile, samples, lights, draws);
                }
            }
        }
    }

    /// Finds the nearest transparent layers of each pixel.
    fn crowd(&self, transparent: &[u32], tile: &Tile, samples: &Samples) -> Crowd {
        let mut crowd = Crowd::new(transparent.len(), tile);
        for (layer, slot) in transparent.iter().enumerate().rev() {
            if crowd.open() == 0 {
                break;
            }
            let Some(triangle) = self.triangle(*slot, tile) else { continue };
            triangle.cover_in(crowd.open(), |covered| {
                if samples.see(&covered).contains(&true) {
                    crowd.count(layer, covered.pixel);
                }
            });
        }
        self.crowded.fetch_add(crowd.crowded, Relaxed);
        crowd
    }

    /// Lays a transparent triangle over what is there, in some blocks of the tile and where it is to be drawn.
    fn lay_over(
        &self,
        slot: u32,
        blocks: Blocks,
        tile: &Tile,
        samples: &Samples,
        lights: &mut [[Light; SAMPLES]],
        draws: impl Fn(usize) -> bool,
    ) {
        if blocks == 0 {
            return;
        }
        let Some((chunk, _)) = self.find(slot) else { return };
        let AlphaMode::Blend(blend) = self.materials.at(self.drawables[chunk.drawable].surface).alpha else {
            return;
        };
        let Some(triangle) = self.triangle(slot, tile) else { return };
        let Some(attributes) = self.attributes(slot) else { return };
        triangle.cover_in(blocks, |covered| {
            let seen = samples.see(&covered);
            if !seen.contains(&true) || !draws(covered.pixel) {
                return;
            }
            let slots = seen.map(|seen| if seen { slot } else { NONE });
            let (x, y) = middle(&slots, slot, place(covered.pixel, tile));
            let [r, g, b, a] = self.light(slot, &attributes, x, y);
            let laid = Laid { color: [r, g, b], alpha: a.clamp(0.0, 1.0), blend };
            if let Some(lights) = lights.get_mut(compact(covered.pixel, tile)) {
                for (light, seen) in lights.iter_mut().zip(seen) {
                    if seen {
                        *light = laid.over(*light);
                    }
                }
            }
        });
    }

    /// The background at a pixel, with the shadow on the ground.
    fn behind(&self, x: i32, y: i32) -> Light {
        let Some(shadow) = self.shadow else { return self.background };
        let right = (x as f32 + 0.5) / self.size.width as f32 * 2.0 - 1.0;
        let up = 1.0 - (y as f32 + 0.5) / self.size.height as f32 * 2.0;
        let (from, along) = self.view.ray(right, up);
        let dark = shadow.seen_along(from, along);
        let [r, g, b, a] = self.background;
        let kept = 1.0 - dark;
        [r * kept, g * kept, b * kept, a + (1.0 - a) * dark]
    }

    /// The chunk of a slot and its number in it.
    fn find(&self, slot: u32) -> Option<(&Chunk, u32)> {
        let after = self.chunks.partition_point(|chunk| chunk.first_slot <= slot);
        let chunk = self.chunks.get(after.checked_sub(1)?)?;
        Some((chunk, slot - chunk.first_slot))
    }

    fn corners(&self, chunk: &Chunk, local: u32) -> Option<[Corner; 3]> {
        let local = local as usize;
        match local.checked_sub(chunk.count) {
            Some(part) => Some(chunk.parts.get(part)?.corners),
            None => {
                let triangle = self.drawables[chunk.drawable].triangles.get(chunk.first + local)?;
                self.projected[chunk.drawable].triangle(*triangle)
            }
        }
    }

    /// A triangle, if it touches the tile.
    fn triangle(&self, slot: u32, tile: &Tile) -> Option<Triangle> {
        let (chunk, local) = self.find(slot)?;
        Triangle::new(&self.corners(chunk, local)?, tile)
    }

    fn attributes(&self, slot: u32) -> Option<Attributes> {
        let (chunk, local) = self.find(slot)?;
        let drawable = &self.drawables[chunk.drawable];
        let corners = self.corners(chunk, local)?;
        let (triangle, weights) = match (local as usize).checked_sub(chunk.count) {
            Some(part) => {
                let part = chunk.parts.get(part)?;
                (part.of as usize, Some(part.weights))
            }
            None => (chunk.first + local as usize, None),
        };
        Some(Attributes::new(drawable, *drawable.triangles.get(triangle)?, corners, weights))
    }
}

impl Samples {
    /// The samples of a pixel at which something is nearer than what is there.
    fn see(&self, covered: &Covered) -> [bool; SAMPLES] {
        let depth = &self.depth[covered.pixel];
        std::array::from_fn(|s| covered.inside[s] >= 0 && covered.depth[s] > depth[s])
    }

    /// Looks now and then what the farthest sample is.
    fn look_after(&mut self, tile: &Tile) {
        self.since_look += 1;
        if self.since_look < LOOK_EVERY {
            return;
        }
        self.since_look = 0;
        let rows = self.depth.chunks(TILE as usize).take(tile.height as usize);
        let inside = rows.flat_map(|row| row.iter().take(tile.width as usize)).flatten();
        self.farthest = inside.fold(f32::INFINITY, |least, depth| least.min(*depth));
    }

    #[inline]
    fn keep_nearest(&mut self, covered: &Covered, slot: u32) {
        let (depth, slots) = (&mut self.depth[covered.pixel], &mut self.slot[covered.pixel]);
        for s in 0..SAMPLES {
            let nearer = covered.inside[s] >= 0 && covered.depth[s] > depth[s];
            depth[s] = if nearer { covered.depth[s] } else { depth[s] };
            slots[s] = if nearer { slot } else { slots[s] };
        }
    }
}

/// The place on the grid of the first corner of a pixel of the tile.
fn place(pixel: usize, tile: &Tile) -> (i32, i32) {
    let (column, row) = (pixel as i32 % TILE, pixel as i32 / TILE);
    ((tile.left + column) * GRID, (tile.top + row) * GRID)
}

/// Where a pixel is in a list of the tile's pixels without those outside the picture.
fn compact(pixel: usize, tile: &Tile) -> usize {
    let (column, row) = (pixel % TILE as usize, pixel / TILE as usize);
    row * tile.width as usize + column
}

/// The middle of the samples that a triangle covers: it is never outside the triangle, as the pixel's middle can be.
fn middle(slots: &[u32; SAMPLES], slot: u32, (x, y): (i32, i32)) -> (f32, f32) {
    let (mut sum_x, mut sum_y, mut count) = (0, 0, 0);
    for (of, (sample_x, sample_y)) in slots.iter().zip(SAMPLE_PLACES) {
        if *of == slot {
            (sum_x, sum_y, count) = (sum_x + sample_x, sum_y + sample_y, count + 1);
        }
    }
    let count = count.max(1) as f32;
    (x as f32 + sum_x as f32 / count, y as f32 + sum_y as f32 / count)
}

/// Something that is laid over what is there.
struct Laid {
    color: [f32; 3],
    alpha: f32,
    blend: Blend,
}

impl Laid {
    fn over(&self, [r, g, b, a]: Light) -> Light {
        let [own_r, own_g, own_b] = self.color;
        let alpha = self.alpha;
        match self.blend {
            Blend::Alpha => {
                let kept = 1.0 - alpha;
                [
                    own_r * alpha + r * kept,
                    own_g * alpha + g * kept,
                    own_b * alpha + b * kept,
                    alpha + a * kept,
                ]
            }
            // What is added covers as much as it is bright.
            Blend::Additive => {
                let [own_r, own_g, own_b] = self.color.map(|light| light * alpha);
                let covers = own_r.max(own_g).max(own_b).min(1.0);
                [r + own_r, g + own_g, b + own_b, a + (1.0 - a) * covers]
            }
            Blend::Multiply => {
                let factor = |own: f32| 1.0 + (own - 1.0) * alpha;
                let darkest = factor(own_r).min(factor(own_g)).min(factor(own_b)).clamp(0.0, 1.0);
                let covers = a + (1.0 - a) * (1.0 - darkest);
                [r * factor(own_r), g * factor(own_g), b * factor(own_b), covers]
            }
        }
    }
}

/// Lays a triangle of one colour over what is there; unless it is on top, nearer surfaces hide it.
fn lay_flat(
    corners: &[Corner; 3],
    [r, g, b, alpha]: [f32; 4],
    on_top: bool,
    tile: &Tile,
    samples: &mut Samples,
    lights: &mut [[Light; SAMPLES]],
) {
    let Some(triangle) = Triangle::new(corners, tile) else { return };
    let laid = Laid { color: [r, g, b], alpha, blend: Blend::Alpha };
    triangle.cover(|covered| {
        let Some(lights) = lights.get_mut(compact(covered.pixel, tile)) else { return };
        let depth = &mut samples.depth[covered.pixel];
        for s in 0..SAMPLES {
            if covered.inside[s] >= 0 && (on_top || covered.depth[s] > depth[s]) {
                lights[s] = laid.over(lights[s]);
                if !on_top {
                    depth[s] = covered.depth[s];
                }
            }
        }
    });
}

fn mean(lights: &[Light; SAMPLES]) -> Light {
    std::array::from_fn(|i| {
        let parts = lights.map(|light| light[i].min(1.0));
        (parts[0] + parts[1] + parts[2] + parts[3]) * 0.25
    })
}

fn encode([r, g, b, alpha]: Light) -> [u8; 4] {
    let encoding = color::encoding();
    if alpha >= 1.0 {
        return [encoding.byte(r), encoding.byte(g), encoding.byte(b), 255];
    }
    let byte = (alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    if byte == 0 {
        return [0; 4];
    }
    let one_over = 1.0 / alpha;
    [encoding.byte(r * one_over), encoding.byte(g * one_over), encoding.byte(b * one_over), byte]
}
