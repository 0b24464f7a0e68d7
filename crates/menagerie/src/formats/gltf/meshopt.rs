//! EXT_meshopt_compression: the three ways in which its buffer views are packed, and the filters on top of them.
//!
//! Everything is bounded by the count that the view states, which is checked against a limit first, and every read of
//! the packed bytes can fail.

use serde::Deserialize;

use super::json::BufferView;
use super::model::Model;
use crate::bytes::Limits;

/// The names under which the extension is known.
pub(super) const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// How a buffer view is packed.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compression {
    buffer: u32,
    #[serde(default)]
    byte_offset: u64,
    byte_length: u64,
    #[serde(rename = "byteStride")]
    pub(super) stride: usize,
    count: u64,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

impl Compression {
    /// How `view` is packed, if it is.
    pub(super) fn of(view: &BufferView) -> Option<Result<Self, String>> {
        let value = NAMES.iter().find_map(|name| view.extensions.get(*name))?;
        Some(Self::deserialize(value).map_err(|error| format!("the compression is not understood: {error}")))
    }

    /// The unpacked bytes of the view, as far as the limits go.
    pub(super) fn decode(&self, model: &Model, limits: &Limits) -> Result<Vec<u8>, String> {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let packed = || {
            let start = usize::try_from(self.byte_offset).ok()?;
            let end = start.checked_add(usize::try_from(self.byte_length).ok()?)?;
            model.buffer(self.buffer)?.get(start..end)
        };
        let packed = packed().ok_or("the compressed bytes reach past their buffer")?;
        limits.take_many(count, self.stride).map_err(|over| over.to_string())?;
        let short = || "the compressed bytes end too early or are damaged".to_owned();
        let mut bytes = match self.mode.as_str() {
            "ATTRIBUTES" => attributes(packed, count, self.stride).ok_or_else(short)?,
            "TRIANGLES" => indices_to_bytes(triangles(packed, count).ok_or_else(short)?, self.stride)?,
            "INDICES" => indices_to_bytes(indices(packed, count).ok_or_else(short)?, self.stride)?,
            mode => return Err(format!("the compression mode {mode:?} is not known")),
        };
        match (self.filter.as_deref().unwrap_or("NONE"), self.stride) {
            ("NONE", _) => {}
            ("OCTAHEDRAL", 4) => octahedral_bytes(&mut bytes),
            ("OCTAHEDRAL", 8) => octahedral_words(&mut bytes),
            ("QUATERNION", 8) => quaternion(&mut bytes),
            ("EXPONENTIAL", stride) if stride % 4 == 0 => exponential(&mut bytes),
            (filter, stride) => return Err(format!("no filter {filter:?} for elements of {stride} bytes")),
        }
        Ok(bytes)
    }
}

/// Takes bytes from the front of packed data.
struct Packed<'a>(&'a [u8]);

impl<'a> Packed<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number in groups of seven bits, the lowest first.
    fn number(&mut self) -> Option<u32> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        Some(value)
    }

    /// `last` and a difference, whose sign is its lowest bit.
    fn index(&mut self, last: u32) -> Option<u32> {
        Some(last.wrapping_add(unzigzag(self.number()?)))
    }
}

fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// Vertices: each byte of a vertex is packed as differences to the vertex before, in groups of 16 vertices.
fn attributes(packed: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    if stride == 0 || !stride.is_multiple_of(4) || stride > 256 {
        return None;
    }
    let (body, tail) = packed.split_at_checked(packed.len().checked_sub(stride.max(32))?)?;
    let mut packed = Packed(body);
    if packed.byte()? != 0xA0 {
        return None;
    }
    let mut last: Vec<u8> = tail.get(tail.len().checked_sub(stride)?..)?.to_vec();
    let block = ((8192 / stride) & !15).min(256);
    let mut bytes = vec![0u8; count.checked_mul(stride)?];
    for vertices in bytes.chunks_mut(block * stride) {
        let in_block = vertices.len() / stride;
        for (k, last) in last.iter_mut().enumerate() {
            let mut lane = vertices.iter_mut().skip(k).step_by(stride);
            let groups = in_block.div_ceil(16);
            let header = packed.take(groups.div_ceil(4))?;
            for group in 0..groups {
                let mode = (header.get(group / 4)? >> ((group % 4) * 2)) & 3;
                for delta in deltas(&mut packed, mode)? {
                    // The last group is padded to 16.
                    let Some(place) = lane.next() else { break };
                    *last = last.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg());
                    *place = *last;
                }
            }
        }
    }
    Some(bytes)
}

/// The 16 differences of a group: none, two or four bits each with longer ones behind, or whole bytes.
fn deltas(packed: &mut Packed<'_>, mode: u8) -> Option<[u8; 16]> {
    let mut deltas = [0u8; 16];
    match mode {
        0 => {}
        3 => deltas.copy_from_slice(packed.take(16)?),
        _ => {
            let bits = usize::from(mode) * 2;
            let long = (1u8 << bits) - 1;
            let short = packed.take(16 * bits / 8)?;
            for (i, delta) in deltas.iter_mut().enumerate() {
                let per_byte = 8 / bits;
                let shift = 8 - bits * (i % per_byte + 1);
                *delta = (short.get(i / per_byte)? >> shift) & long;
                if *delta == long {
                    *delta = packed.byte()?;
                }
            }
        }
    }
    Some(deltas)
}

/// The 16 things that were seen last; the newest has the number 0.
struct Recent<T> {
    ring: [T; 16],
    at: u32,
}

impl<T: Copy + Default> Recent<T> {
    fn new() -> Self {
        Self { ring: [T::default(); 16], at: 0 }
    }

    fn get(&self, back: u8) -> T {
        let place = self.at.wrapping_sub(1).wrapping_sub(back.into()) & 15;
        self.ring.get(place as usize).copied().unwrap_or_default()
    }

    fn push(&mut self, element: T) {
        if let Some(place) = self.ring.get_mut((self.at & 15) as usize) {
            *place = element;
        }
        self.at = self.at.wrapping_add(1);
    }
}

/// A triangle list: mostly one byte a triangle, which names an edge and a vertex that were seen lately.
fn triangles(packed: &[u8], count: usize) -> Option<Vec<u32>> {
    if !count.is_multiple_of(3) {
        return None;
    }
    let (body, table) = packed.split_at_checked(packed.len().checked_sub(16)?)?;
    let mut data = Packed(body);
    if data.byte()? != 0xE1 {
        return None;
    }
    let codes = data.take(count / 3)?;
    let mut state = Triangles { edges: Recent::new(), vertices: Recent::new(), next: 0, last: 0, data };
    let mut indices = Vec::with_capacity(count);
    for &code in codes {
        let triangle = if code < 0xF0 { state.at_edge(code)? } else { state.free(code, table)? };
        indices.extend(triangle);
    }
    Some(indices)
}

struct Triangles<'a> {
    edges: Recent<(u32, u32)>,
    vertices: Recent<u32>,
    next: u32,
    last: u32,
    data: Packed<'a>,
}

impl Triangles<'_> {
    fn new_vertex(&mut self) -> u32 {
        let vertex = self.next;
        self.next = self.next.wrapping_add(1);
        vertex
    }

    /// A triangle at an edge that was seen lately.
    fn at_edge(&mut self, code: u8) -> Option<[u32; 3]> {
        let (a, b) = self.edges.get(code >> 4);
        let c = match code & 15 {
            0 => self.new_vertex(),
            back @ 1..=12 => self.vertices.get(back),
            near => {
                self.last = match near {
                    13 => self.last.wrapping_sub(1),
                    14 => self.last.wrapping_add(1),
                    _ => self.data.index(self.last)?,
                };
                self.last
            }
        };
        if !(1..=12).contains(&(code & 15)) {
            self.vertices.push(c);
        }
        self.edges.push((c, b));
        self.edges.push((a, c));
        Some([a, b, c])
    }

    /// A triangle that shares no edge with the last ones.
    fn free(&mut self, code: u8, table: &[u8]) -> Option<[u32; 3]> {
        let (first, rest) = match code {
            0xFE => (0, self.data.byte()?),
            0xFF => (15, self.data.byte()?),
            _ => (0, *table.get(usize::from(code & 15))?),
        };
        if code >= 0xFE && rest == 0 {
            self.next = 0;
        }
        let kinds = [first, rest >> 4, rest & 15];
        // All vertices are looked up before the first is pushed; explicit ones are only in the long form.
        let mut triangle = [0u32; 3];
        for (corner, &kind) in triangle.iter_mut().zip(&kinds) {
            *corner = match kind {
                0 => self.new_vertex(),
                15 if code >= 0xFE => 0,
                back => self.vertices.get(back - 1),
            };
        }
        for (corner, &kind) in triangle.iter_mut().zip(&kinds) {
            if kind == 15 && code >= 0xFE {
                self.last = self.data.index(self.last)?;
                *corner = self.last;
            }
        }
        for (i, (&corner, &kind)) in triangle.iter().zip(&kinds).enumerate() {
            if i == 0 || kind == 0 || (kind == 15 && code >= 0xFE) {
                self.vertices.push(corner);
            }
        }
        let [a, b, c] = triangle;
        self.edges.push((b, a));
        self.edges.push((c, b));
        self.edges.push((a, c));
        Some(triangle)
    }
}

/// A list of any indices: differences to one of the two last baselines.
fn indices(packed: &[u8], count: usize) -> Option<Vec<u32>> {
    let (body, _) = packed.split_at_checked(packed.len().checked_sub(4)?)?;
    let mut packed = Packed(body);
    if packed.byte()? != 0xD1 {
        return None;
    }
    // Every index takes a byte at least.
    if count > packed.0.len() {
        return None;
    }
    let mut last = [0u32; 2];
    let mut indices = Vec::with_capacity(count);
    for _ in 0..count {
        let value = packed.number()?;
        let baseline = last.get_mut((value & 1) as usize)?;
        *baseline = baseline.wrapping_add(unzigzag(value >> 1));
        indices.push(*baseline);
    }
    Some(indices)
}

fn indices_to_bytes(indices: Vec<u32>, stride: usize) -> Result<Vec<u8>, String> {
    match stride {
        2 => Ok(indices.into_iter().flat_map(|index| (index as u16).to_le_bytes()).collect()),
        4 => Ok(indices.into_iter().flat_map(u32::to_le_bytes).collect()),
        _ => Err(format!("indices of {stride} bytes do not exist")),
    }
}

/// The unit vector at (x, y) on an unfolded octahedron of the size `one`, times `largest`.
fn octahedron(x: f32, y: f32, one: f32, largest: f32) -> [f32; 3] {
    let z = one - x.abs() - y.abs();
    let fold = z.min(0.0);
    let x = x + if x >= 0.0 { fold } else { -fold };
    let y = y + if y >= 0.0 { fold } else { -fold };
    let length = (x * x + y * y + z * z).sqrt();
    let scale = if length > 0.0 { largest / length } else { 0.0 };
    [x, y, z].map(|v| (v * scale).round())
}

fn octahedral_bytes(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let [x, y, one, _] = element.map(|b| f32::from(b as i8));
        let [x, y, z] = octahedron(x, y, one, 127.0).map(|v| v as i8 as u8);
        let [to_x, to_y, to_z, _] = element;
        (*to_x, *to_y, *to_z) = (x, y, z);
    }
}

/// Four 16-bit numbers.
fn words(element: &[u8; 8]) -> [i16; 4] {
    let [a, b, c, d, e, f, g, h] = *element;
    [[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes)
}

fn put_words(element: &mut [u8; 8], words: [i16; 4]) {
    for (place, word) in element.as_chunks_mut::<2>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
}

fn octahedral_words(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [x, y, one, w] = words(element);
        let [x, y, z] = octahedron(x.into(), y.into(), one.into(), 32767.0).map(|v| v as i16);
        put_words(element, [x, y, z, w]);
    }
}

/// Three components of a unit quaternion; the fourth, the largest, follows from them.
fn quaternion(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [x, y, z, info] = words(element);
        let scale = std::f32::consts::FRAC_1_SQRT_2 / f32::from(info | 3);
        let [x, y, z] = [x, y, z].map(|v| f32::from(v) * scale);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        let mut parts = [w, x, y, z].map(|v| (v * 32767.0).round() as i16);
        parts.rotate_right(usize::from(info as u16 & 3));
        put_words(element, parts);
    }
}

/// Eight bits of exponent and 24 of mantissa.
fn exponential(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let word = i32::from_le_bytes(*element);
        let value = f64::from((word << 8) >> 8) * f64::from(word >> 24).exp2();
        *element = (value as f32).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Worked out by hand from the description of the format.
    #[test]
    fn triangles_share_edges() {
        // Two triangles: (0 1 2) by the table's first entry, then (2 1 3) at the newest edge but one.
        let mut packed = vec![0xE1, 0xF0, 0x10];
        packed.extend([0x00; 16]);
        assert_eq!(triangles(&packed, 6), Some(vec![0, 1, 2, 2, 1, 3]));
        assert_eq!(triangles(&packed, 7), None);
        assert_eq!(triangles(&packed[..10], 6), None);
    }

    #[test]
    fn indices_have_two_baselines() {
        // 5 from the first, 5 + 1, and 100 from the second.
        let packed = [0xD1, 5 << 2, 1 << 2, 0x91, 0x03, 0, 0, 0, 0];
        assert_eq!(indices(&packed, 3), Some(vec![5, 6, 100]));
        assert_eq!(indices(&packed, 1 << 40), None);
    }

    #[test]
    fn vertices_are_differences() {
        // Two vertices of four bytes: the first byte is 7 then 7 + 1, the others stay as the tail has them.
        let mut packed = vec![0xA0];
        packed.push(0b01);
        packed.extend([0b0010_0000, 0, 0, 0]);
        packed.extend([0, 0, 0]);
        packed.extend([0; 28]);
        packed.extend([7, 1, 2, 3]);
        assert_eq!(attributes(&packed, 2, 4), Some(vec![7, 1, 2, 3, 8, 1, 2, 3]));
    }

    #[test]
    fn filters_give_unit_vectors() {
        let mut bytes = [0i8, 0, 127, 5].map(|b| b as u8);
        octahedral_bytes(&mut bytes);
        assert_eq!(bytes.map(|b| b as i8), [0, 0, 127, 5]);
        let mut bytes = Vec::new();
        bytes.extend([0i16, 0, 0, 0x7FFC].into_iter().flat_map(i16::to_le_bytes));
        quaternion(&mut bytes);
        assert_eq!(words(bytes.first_chunk().unwrap()), [32767, 0, 0, 0]);
        let mut bytes = ((-1i32 << 24) | 3).to_le_bytes();
        exponential(&mut bytes);
        assert_eq!(f32::from_le_bytes(bytes), 1.5);
    }
}
