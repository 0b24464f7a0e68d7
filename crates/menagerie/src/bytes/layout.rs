//! The fields of a record, listed once: reading, writing, the byte map and the places of issues follow from the list.

use super::{Field, FieldType, ReadError, Reader, Record, Writer};

/// Shows the fields of a `T` that hold floats, with their names.
type Floats<T> = fn(&T, &mut dyn FnMut(&'static str, &[f32]));

/// The fixed fields of a record of a file and where a model keeps them, made by `layout!`.
///
/// ```
/// use menagerie::bytes::{Layout, Reader, Span, Writer, layout};
///
/// #[derive(Default)]
/// struct Camera {
///     size: [u16; 2],
///     fov: f32,
/// }
///
/// static CAMERA: Layout<Camera> = layout!(camera: Camera {
///     "width" => camera.size[0],
///     "height" => camera.size[1],
///     "fov" => camera.fov,
/// });
///
/// let bytes = [64, 1, 200, 0, 0, 0, 128, 63];
/// let camera = CAMERA.read(&mut Reader::new(&bytes)).unwrap();
/// assert_eq!((camera.size, camera.fov), ([320, 200], 1.0));
/// let mut writer = Writer::new();
/// CAMERA.write(&camera, &mut writer);
/// assert_eq!(writer.finish().0, bytes);
/// assert_eq!(CAMERA.record.span(100, "fov"), Span::new(104, 108));
/// ```
#[derive(Debug)]
pub struct Layout<T> {
    /// The names, places and types of the fields.
    pub record: Record,
    read: fn(&mut T, &mut Reader<'_>) -> Result<(), ReadError>,
    write: fn(&T, &mut Writer),
    floats: Floats<T>,
}

impl<T> Layout<T> {
    #[doc(hidden)]
    pub const fn new(
        fields: &'static [Field],
        read: fn(&mut T, &mut Reader<'_>) -> Result<(), ReadError>,
        write: fn(&T, &mut Writer),
        floats: Floats<T>,
    ) -> Self {
        Self { record: Record::of(fields), read, write, floats }
    }

    /// Reads the fields into a default `T`.
    pub fn read(&self, r: &mut Reader<'_>) -> Result<T, ReadError>
    where
        T: Default,
    {
        let mut read = T::default();
        self.read_into(&mut read, r)?;
        Ok(read)
    }

    /// Reads the fields; what else `T` holds is left as it is.
    pub fn read_into(&self, into: &mut T, r: &mut Reader<'_>) -> Result<(), ReadError> {
        (self.read)(into, r)
    }

    /// Writes the fields.
    pub fn write(&self, from: &T, w: &mut Writer) {
        (self.write)(from, w);
    }

    /// Bytes of the record.
    pub const fn size(&self) -> usize {
        self.record.size
    }

    /// Shows the fields that hold floats, in their order, with their names.
    pub fn floats(&self, of: &T, mut show: impl FnMut(&'static str, &[f32])) {
        (self.floats)(of, &mut show);
    }
}

/// What a field of a [`Layout`] can be: a number, floats, or bytes that mean something.
pub trait Stored: Sized {
    /// What the byte map shows it as.
    const KIND: FieldType;
    /// Elements of that type.
    const COUNT: usize = 1;

    /// Reads it.
    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self, ReadError>;

    /// Adds its bytes.
    fn put(&self, bytes: &mut Vec<u8>);

    /// Its floats, if it is floats.
    fn floats(&self) -> Option<&[f32]> {
        None
    }

    #[doc(hidden)]
    fn kind(&self) -> FieldType {
        Self::KIND
    }
}

macro_rules! stored {
    ($($type:ident: $kind:ident $(, $floats:expr)?);*) => {
        $(impl Stored for $type {
            const KIND: FieldType = FieldType::$kind;
            fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self, ReadError> {
                r.$type(name)
            }
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            $(fn floats(&self) -> Option<&[f32]> {
                Some($floats(self))
            })?
        })*
    };
}

stored!(u8: U8; u16: U16; u32: U32; u64: U64; i8: I8; i16: I16; i32: I32; f32: F32, std::slice::from_ref);

impl<const N: usize> Stored for [f32; N] {
    const KIND: FieldType = FieldType::F32;
    const COUNT: usize = N;
    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self, ReadError> {
        r.floats(name)
    }
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.iter().flat_map(|value| value.to_le_bytes()));
    }
    fn floats(&self) -> Option<&[f32]> {
        Some(self)
    }
}

impl<const N: usize> Stored for [u8; N] {
    const KIND: FieldType = FieldType::Bytes;
    const COUNT: usize = N;
    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self, ReadError> {
        r.array(name)
    }
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self);
    }
}

/// The list of fields of a [`Layout`]: `layout!(mesh: Mesh { "ofs_vtx" => mesh.vertices_at, … })`.
///
/// The type of a place says how the field is stored ([`Stored`]). Where the byte map should show the same bytes as
/// another type, that stands after the name: `"rotation": Bytes => bone.rotation`.
#[doc(hidden)]
#[macro_export]
macro_rules! __layout {
    (@kind $place:expr) => {
        $crate::bytes::Stored::kind(&$place)
    };
    (@kind $place:expr, $kind:ident) => {
        $crate::bytes::FieldType::$kind
    };
    ($of:ident: $type:ty { $($name:literal $(: $kind:ident)? => $place:expr),* $(,)? }) => {{
        use $crate::bytes::{Field, Layout, Stored, layout};
        const FIELDS: &[Field] = &Field::in_order([
            $(Field::stored($name, |$of: &$type| &$place, &[$($crate::bytes::FieldType::$kind)?])),*
        ]);
        Layout::new(
            FIELDS,
            |$of: &mut $type, r| {
                $($place = Stored::read(r, $name)?;)*
                Ok(())
            },
            |$of, w| {
                $(w.stored($name, layout!(@kind $place $(, $kind)?), &$place);)*
            },
            |$of, show| {
                $(if let Some(values) = Stored::floats(&$place) {
                    show($name, values);
                })*
            },
        )
    }};
}

/// A [`Record`] from the names and types of its fields, which follow each other: `record!("uv": F32 * 2, "bone": U8)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __record {
    ($($name:literal: $kind:ident $(* $count:literal)?),* $(,)?) => {{
        use $crate::bytes::{Field, FieldType, Record};
        Record::of(const { &Field::in_order([$(Field::new($name, FieldType::$kind, 1 $(* $count)?)),*]) })
    }};
}

#[doc(inline)]
pub use {__layout as layout, __record as record};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Span;

    #[derive(Debug, Default, PartialEq)]
    struct Bone {
        flags: u16,
        rotation: u32,
        place: [f32; 3],
        length: f32,
        reserved: [u8; 2],
    }

    static BONE: Layout<Bone> = layout!(bone: Bone {
        "flags" => bone.flags,
        "rotation": Bytes => bone.rotation,
        "place" => bone.place,
        "length" => bone.length,
        "reserved" => bone.reserved,
    });

    #[test]
    fn one_list_reads_writes_and_draws_the_map() {
        let bytes: Vec<u8> = (0..BONE.size() as u8).collect();
        let bone = BONE.read(&mut Reader::new(&bytes)).unwrap();
        assert_eq!((bone.flags, bone.rotation, bone.reserved), (0x0100, 0x0504_0302, [22, 23]));
        let mut w = Writer::with_map();
        BONE.write(&bone, &mut w);
        let (written, map) = w.finish();
        assert_eq!(written, bytes);
        let leaves = map.unwrap().leaves();
        assert_eq!(leaves.len(), BONE.record.fields.len());
        for ((path, span, kind), field) in leaves.into_iter().zip(BONE.record.fields) {
            assert_eq!((path.as_str(), kind), (field.name, field.kind));
            assert_eq!(span, BONE.record.span(0, field.name), "{path}");
        }
    }

    #[test]
    fn places_and_errors_have_the_names_of_the_list() {
        let error = BONE.read(&mut Reader::new(&[0; 20])).unwrap_err();
        assert_eq!(error.to_string(), "length: 4 bytes are needed and 2 are left, at byte 18..20");
        assert_eq!(BONE.record.spans(100, "rotation", "place"), Span::new(102, 118));
        assert_eq!(BONE.record.span(100, "something else"), Span::new(100, 124));
        let mut floats = Vec::new();
        BONE.floats(&Bone::default(), |name, values| floats.push((name, values.len())));
        assert_eq!(floats, [("place", 3), ("length", 1)]);
    }

    #[test]
    fn fields_of_a_record_follow_each_other() {
        static VERTEX: Record = record!("position": F16 * 3, "shade": U8, "tag": U8, "st": U32);
        let places: Vec<_> = VERTEX.fields.iter().map(|f| (f.name, f.offset, f.bytes())).collect();
        assert_eq!(places, [("position", 0, 6), ("shade", 6, 1), ("tag", 7, 1), ("st", 8, 4)]);
        assert_eq!(VERTEX.size, 12);
    }
}
