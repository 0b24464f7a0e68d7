//! Vertices of 64, 96 and 128 bits: what their bits say, and packing them.

use half::f16;

use crate::bytes::{Se32, f8a_to_f32};

/// How many bits a vertex has; its eighth byte says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VertexKind {
    /// Position, bone, and texture coordinates or (with a `#` material) a normal.
    Bits64,
    /// Position, texture coordinates, normal, and a shade or a bone.
    Bits96,
    /// Position as half floats, texture coordinates, normal, shade and bone.
    Bits128,
}

impl VertexKind {
    /// The kind of vertices with this tag (the eighth byte).
    pub fn of_tag(tag: u8) -> Self {
        match tag {
            0..=0xEF => Self::Bits64,
            0xF0..=0xFB => Self::Bits96,
            0xFC..=0xFF => Self::Bits128,
        }
    }

    /// Bytes of one vertex.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bits64 => 8,
            Self::Bits96 => 12,
            Self::Bits128 => 16,
        }
    }
}

/// How the texture coordinates of 128-bit vertices are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StReading {
    /// Offset binary with a power of two, as the document says.
    #[default]
    Spec,
    /// Two signed 16-bit values of 1/4096, as the oldest exporters wrote.
    Legacy,
}

/// One vertex, as its words are in the file. Words that its kind does not have are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vertex {
    /// The four words of 128 bits, the first two or three of shorter kinds.
    pub words: [u32; 4],
}

impl Vertex {
    /// The vertex at the beginning of some bytes, if they are long enough.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let kind = VertexKind::of_tag(*bytes.get(7)?);
        let own = bytes.get(..kind.bytes())?;
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(own.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Some(Self { words })
    }

    /// The eighth byte: a bone for 64-bit vertices, else what kind of vertex it is.
    pub fn tag(&self) -> u8 {
        let [_, second, _, _] = self.words;
        (second >> 24) as u8
    }

    /// How many bits it has.
    pub fn kind(&self) -> VertexKind {
        VertexKind::of_tag(self.tag())
    }

    /// The position word of 64-bit and 96-bit vertices.
    pub fn packed_position(&self) -> Option<Se32> {
        let [first, ..] = self.words;
        (self.kind() != VertexKind::Bits128).then_some(Se32(first))
    }

    /// The position in the space of its bone.
    pub fn position(&self) -> [f32; 3] {
        let [first, second, _, _] = self.words;
        match self.packed_position() {
            Some(packed) => packed.values(),
            None => [first, first >> 16, second].map(|bits| f16::from_bits(bits as u16).to_f32()),
        }
    }

    /// Texture coordinates; `None` for 64-bit vertices of a flat colour.
    pub fn st(&self, flat_colour: bool, reading: StReading) -> Option<[f32; 2]> {
        let [_, second, third, _] = self.words;
        Some(match (self.kind(), self.tag()) {
            (VertexKind::Bits64, _) if flat_colour => return None,
            (VertexKind::Bits64, _) => st_11(second),
            (VertexKind::Bits96, tag) if tag & 1 == 1 => st_11(second),
            (VertexKind::Bits96, _) => {
                [second, second >> 12].map(|code| (code & 0xFFF) as f32 / 2048.0 - 0.5)
            }
            (VertexKind::Bits128, _) if reading == StReading::Legacy => {
                [third, third >> 16].map(|code| f32::from(code as u16 as i16) / 4096.0)
            }
            (VertexKind::Bits128, _) => {
                let scale = (1u32 << (third >> 28)) as f32;
                [third, third >> 14].map(|code| ((code & 0x3FFF) as f32 / 4096.0 - 2.0) * scale)
            }
        })
    }

    /// The codes of the normal; `None` for 64-bit vertices with texture coordinates.
    pub fn normal_codes(&self, flat_colour: bool) -> Option<[u8; 3]> {
        let [_, second, third, fourth] = self.words;
        let word = match self.kind() {
            VertexKind::Bits64 if flat_colour => second,
            VertexKind::Bits64 => return None,
            VertexKind::Bits96 => third,
            VertexKind::Bits128 => fourth,
        };
        let [x, y, z, _] = word.to_le_bytes();
        Some([x, y, z])
    }

    /// The normal in the space of its bone, of any length.
    pub fn normal(&self, flat_colour: bool) -> Option<[f32; 3]> {
        self.normal_codes(flat_colour).map(|codes| codes.map(f8a_to_f32))
    }

    /// The shade byte, where the vertex has one.
    pub fn shade(&self) -> Option<u8> {
        let [_, second, third, _] = self.words;
        match self.kind() {
            VertexKind::Bits64 => None,
            VertexKind::Bits96 => (self.tag() & 2 == 0).then_some((third >> 24) as u8),
            VertexKind::Bits128 => Some((second >> 16) as u8),
        }
    }

    /// The bone that it hangs on.
    pub fn bone(&self) -> u8 {
        let [_, _, third, fourth] = self.words;
        match self.kind() {
            VertexKind::Bits64 => self.tag(),
            VertexKind::Bits96 => {
                if self.tag() & 2 == 0 {
                    0
                } else {
                    (third >> 24) as u8
                }
            }
            VertexKind::Bits128 => (fourth >> 24) as u8,
        }
    }

    /// The bytes of the vertex.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + use<> {
        let length = self.kind().bytes();
        self.words.into_iter().flat_map(u32::to_le_bytes).take(length)
    }
}

/// 11-bit texture coordinates with a power of four, in the low 24 bits of a word.
fn st_11(word: u32) -> [f32; 2] {
    let scale = (1u32 << (2 * (word >> 22 & 3))) as f32;
    [word, word >> 11].map(|code| ((code & 0x7FF) as f32 / 1024.0 - 0.5) * scale)
}

/// What a vertex is packed from, in the space of its bone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unpacked {
    /// Where it is.
    pub position: [f32; 3],
    /// Where on the picture.
    pub st: [f32; 2],
    /// Codes of the normal.
    pub normal: [u8; 3],
    /// The shade byte.
    pub shade: u8,
    /// The bone.
    pub bone: u8,
}

/// The form that a vertex is packed into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// 64 bits with texture coordinates.
    Textured64,
    /// 64 bits with a normal, for `#` materials.
    Flat64,
    /// 96 bits with this tag: 0xF8 to 0xFB.
    Bits96(u8),
    /// 128 bits, with the texture coordinates of the document.
    Bits128,
    /// 128 bits, with the texture coordinates of the oldest exporters.
    Legacy128,
}

impl Form {
    /// The form of a vertex that is there already.
    pub fn of(tag: u8, flat_colour: bool, reading: StReading) -> Self {
        match (VertexKind::of_tag(tag), flat_colour, reading) {
            (VertexKind::Bits64, true, _) => Self::Flat64,
            (VertexKind::Bits64, false, _) => Self::Textured64,
            (VertexKind::Bits96, ..) => Self::Bits96(0xF8 | tag & 3),
            (VertexKind::Bits128, _, StReading::Spec) => Self::Bits128,
            (VertexKind::Bits128, _, StReading::Legacy) => Self::Legacy128,
        }
    }

    /// Packs a vertex: every value becomes the nearest that the form can hold.
    pub fn pack(self, v: &Unpacked) -> Vertex {
        let [nx, ny, nz] = v.normal;
        let with_normal = |top: u8| u32::from_le_bytes([nx, ny, nz, top]);
        let top = |byte: u8| u32::from(byte) << 24;
        let packed = Se32::nearest(v.position).0;
        let words = match self {
            Self::Textured64 => [packed, pack_st_11(v.st) | top(v.bone.min(0xEF)), 0, 0],
            Self::Flat64 => [packed, with_normal(v.bone.min(0xEF)), 0, 0],
            Self::Bits96(tag) => {
                let st = if tag & 1 == 1 { pack_st_11(v.st) } else { pack_st_12(v.st) };
                [packed, st | top(tag), with_normal(if tag & 2 == 0 { v.shade } else { v.bone }), 0]
            }
            Self::Bits128 | Self::Legacy128 => {
                let [x, y, z] = v.position.map(|x| u32::from(half_bits(x)));
                let st = if self == Self::Bits128 { pack_st_14(v.st) } else { pack_st_legacy(v.st) };
                [y << 16 | x, top(0xFD) | u32::from(v.shade) << 16 | z, st, with_normal(v.bone)]
            }
        };
        Vertex { words }
    }
}

/// The nearest half float; what is too large becomes the largest.
fn half_bits(value: f32) -> u16 {
    let half = f16::from_f32(value);
    let half = if half.is_infinite() { if value > 0.0 { f16::MAX } else { f16::MIN } } else { half };
    half.to_bits()
}

/// The smallest exponent below `exponents` for which both codes fit below `codes`, and the codes.
fn nearest_codes(
    st: [f32; 2],
    exponents: u32,
    codes: f32,
    encode: impl Fn(f32, u32) -> f32,
) -> (u32, [u32; 2]) {
    let fits = |e: &u32| st.iter().all(|x| (0.0..=codes - 1.0).contains(&encode(*x, *e).round()));
    let exponent = (0..exponents).find(fits).unwrap_or(exponents - 1);
    (exponent, st.map(|x| encode(x, exponent).round().clamp(0.0, codes - 1.0) as u32))
}

fn pack_st_11(st: [f32; 2]) -> u32 {
    let (e, [s, t]) = nearest_codes(st, 4, 2048.0, |x, e| (x / (1u32 << (2 * e)) as f32 + 0.5) * 1024.0);
    e << 22 | t << 11 | s
}

fn pack_st_12(st: [f32; 2]) -> u32 {
    let (_, [s, t]) = nearest_codes(st, 1, 4096.0, |x, _| (x + 0.5) * 2048.0);
    t << 12 | s
}

fn pack_st_14(st: [f32; 2]) -> u32 {
    let (e, [s, t]) = nearest_codes(st, 16, 16384.0, |x, e| (x / (1u32 << e) as f32 + 2.0) * 4096.0);
    e << 28 | t << 14 | s
}

fn pack_st_legacy(st: [f32; 2]) -> u32 {
    let [s, t] = st.map(|x| u32::from((x * 4096.0).round().clamp(-32768.0, 32767.0) as i16 as u16));
    t << 16 | s
}

/// Hues of the high nibble of a shade byte, as the engine's pair of exporter and loader has them.
const HUES: [u32; 16] = [
    0xFFFFFF, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0x55AAFF, 0xFFAA55, 0xFFAAAA,
    0xAAFFAA, 0xFFFFAA, 0xAAAAFF, 0xFFAAFF, 0xAAFFFF, 0xAA55FF,
];

/// The shade byte of plain white.
pub(super) const WHITE: u8 = 0x0F;

/// The colour of a shade byte, as sRGB bytes: the hue of the high nibble, darkened by the low one.
pub fn shade_colour(shade: u8) -> [u8; 3] {
    let hue = HUES.get(usize::from(shade >> 4)).copied().unwrap_or(0xFFFFFF);
    let level = u32::from(shade & 15) + 1;
    [hue >> 16, hue >> 8, hue].map(|channel| ((channel & 0xFF) * level / 16) as u8)
}

/// The shade byte whose colour is nearest; of equal ones the first from white on.
pub fn nearest_shade(colour: [u8; 3]) -> u8 {
    let off = |shade: u8| -> i32 {
        let parts = shade_colour(shade).into_iter().zip(colour);
        parts.map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum()
    };
    let whites_first = (0..=255u8).map(|n| (n & 0xF0) | (15 - (n & 15)));
    whites_first.min_by_key(|shade| off(*shade)).unwrap_or(WHITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_form_holds_comes_back() {
        let v = Unpacked {
            position: [1.0, -2.5, 3.0],
            st: [0.25, 1.0],
            normal: [0x70, 0, 0xF0],
            shade: 0x47,
            bone: 7,
        };
        let forms = [
            Form::Textured64,
            Form::Bits96(0xF8),
            Form::Bits96(0xF9),
            Form::Bits96(0xFA),
            Form::Bits96(0xFB),
        ];
        for form in forms.into_iter().chain([Form::Bits128, Form::Flat64, Form::Legacy128]) {
            let packed = form.pack(&v);
            let (flat, reading) = (form == Form::Flat64, StReading::default());
            let reading = if form == Form::Legacy128 { StReading::Legacy } else { reading };
            assert_eq!(packed.position(), v.position, "{form:?}");
            assert!(packed.st(flat, reading).is_none_or(|st| st == v.st), "{form:?}");
            assert!(packed.normal_codes(flat).is_none_or(|normal| normal == v.normal), "{form:?}");
            assert!(packed.shade().is_none_or(|shade| shade == v.shade), "{form:?}");
            let shaded = matches!(form, Form::Bits96(0xF8 | 0xF9));
            assert_eq!(packed.bone(), if shaded { 0 } else { 7 }, "{form:?}");
            let bytes: Vec<u8> = packed.bytes().collect();
            assert_eq!(Vertex::read(&bytes), Some(packed));
            assert_eq!(Form::of(packed.tag(), flat, reading), form);
        }
    }

    #[test]
    fn shades_are_found_by_their_colours() {
        assert_eq!(nearest_shade([255; 3]), WHITE);
        for shade in 0..=255 {
            assert_eq!(shade_colour(nearest_shade(shade_colour(shade))), shade_colour(shade));
        }
    }
}
