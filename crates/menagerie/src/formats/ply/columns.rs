//! What the properties of vertices mean, and the lists that they go to.

use super::header::{Element, Form, PropertyKind, Scalar};
use crate::bytes::extend_tight;
use crate::scene::{srgb_byte_to_linear, srgb_to_linear};

/// Where a property of vertices goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Position(usize),
    Normal(usize),
    Uv(usize),
    Color(usize),
    Custom(usize),
    Nowhere,
}

/// The attributes of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Vertices {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) colors: Vec<[f32; 4]>,
    /// Lists that only their writer understands, by name.
    pub(super) custom: Vec<(String, Vec<f32>)>,
}

const POSITION: &[&[&str]] = &[&["x"], &["y"], &["z"]];
const NORMAL: &[&[&str]] = &[&["nx", "normal_x"], &["ny", "normal_y"], &["nz", "normal_z"]];
const UV: &[&[&str]] =
    &[&["s", "u", "texture_u", "texture_s", "s0", "u0"], &["t", "v", "texture_v", "texture_t", "t0", "v0"]];
const COLOR: &[&[&str]] = &[
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a", "diffuse_alpha"],
];

/// What the properties of the element `vertex` mean. A group of properties counts when all of it is there; alpha may be
/// missing.
pub(super) fn plan(element: &Element) -> (Vec<Column>, Vec<String>) {
    let place = |names: &[&str]| {
        element.properties.iter().position(|property| {
            matches!(property.kind, PropertyKind::Scalar(_)) && names.contains(&property.name.as_str())
        })
    };
    let mut columns = vec![Column::Nowhere; element.properties.len()];
    let mut group = |names: &[&[&str]], needed: usize, column: fn(usize) -> Column| {
        let places: Vec<Option<usize>> = names.iter().map(|names| place(names)).collect();
        if places.iter().take(needed).all(Option::is_some) {
            for (component, at) in places.iter().enumerate() {
                if let Some(found) = at.and_then(|at| columns.get_mut(at)) {
                    *found = column(component);
                }
            }
        }
    };
    group(POSITION, 3, Column::Position);
    group(NORMAL, 3, Column::Normal);
    group(UV, 2, Column::Uv);
    group(COLOR, 3, Column::Color);
    let mut custom: Vec<String> = Vec::new();
    for (property, column) in element.properties.iter().zip(&mut columns) {
        let name = custom_name(&property.name);
        if *column == Column::Nowhere
            && matches!(property.kind, PropertyKind::Scalar(_))
            && !custom.contains(&name)
        {
            *column = Column::Custom(custom.len());
            custom.push(name);
        }
    }
    (columns, custom)
}

/// The name of the custom attribute for a property.
fn custom_name(property: &str) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("_PLY_{}", property.chars().map(clean).collect::<String>())
}

impl Vertices {
    /// Makes room for rows more, all of them defaults; the lists that columns need are there then.
    pub(super) fn grow(&mut self, columns: &[Column], rows: usize, reserve: usize) {
        fn more<T: Copy>(list: &mut Vec<T>, rows: usize, reserve: usize, default: T) {
            if list.is_empty() {
                list.reserve_exact(reserve);
            }
            const PIECE: usize = 4096;
            let piece = [default; PIECE];
            let mut left = rows;
            while left > 0 {
                let now = left.min(PIECE);
                extend_tight(list, piece.get(..now).unwrap_or_default());
                left -= now;
            }
        }
        let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
        more(&mut self.positions, rows, reserve, [0.0; 3]);
        if has(|column| matches!(column, Column::Normal(_))) {
            more(&mut self.normals, rows, reserve, [0.0; 3]);
        }
        if has(|column| matches!(column, Column::Uv(_))) {
            more(&mut self.uvs, rows, reserve, [0.0; 2]);
        }
        if has(|column| matches!(column, Column::Color(_))) {
            more(&mut self.colors, rows, reserve, [1.0; 4]);
        }
        for (_, values) in &mut self.custom {
            more(values, rows, reserve, 0.0);
        }
    }

    /// Sets one value.
    pub(super) fn set(&mut self, row: usize, column: Column, scalar: Scalar, value: f64) {
        let place = match column {
            Column::Position(i) => self.positions.get_mut(row).and_then(|row| row.get_mut(i)),
            Column::Normal(i) => self.normals.get_mut(row).and_then(|row| row.get_mut(i)),
            Column::Uv(i) => self.uvs.get_mut(row).and_then(|row| row.get_mut(i)),
            Column::Color(i) => self.colors.get_mut(row).and_then(|row| row.get_mut(i)),
            Column::Custom(i) => self.custom.get_mut(i).and_then(|(_, values)| values.get_mut(row)),
            Column::Nowhere => None,
        };
        if let Some(place) = place {
            *place = match column {
                Column::Color(i) => color(value, scalar, i),
                _ => value as f32,
            };
        }
    }

    /// Leaves out the rows from this one on.
    pub(super) fn truncate(&mut self, rows: usize) {
        let Self { positions, normals, uvs, colors, custom } = self;
        positions.truncate(rows);
        normals.truncate(rows);
        uvs.truncate(rows);
        colors.truncate(rows);
        custom.iter_mut().for_each(|(_, values)| values.truncate(rows));
    }

    /// Sets one column of the rows from `first` on, from records of `stride` bytes that hold it at `offset`.
    pub(super) fn set_column(
        &mut self,
        first: usize,
        column: Column,
        scalar: Scalar,
        records: &[u8],
        (stride, offset): (usize, usize),
        form: Form,
    ) {
        // The common case without a look at the type for every number.
        if let (Column::Position(i) | Column::Normal(i), Scalar::F32, Form::LittleEndian) =
            (column, scalar, form)
        {
            let list =
                if matches!(column, Column::Position(_)) { &mut self.positions } else { &mut self.normals };
            let rows = list.get_mut(first..).unwrap_or_default();
            for (row, record) in rows.iter_mut().zip(records.chunks_exact(stride)) {
                if let (Some(place), Some(bytes)) =
                    (row.get_mut(i), record.get(offset..).and_then(|b| b.first_chunk()))
                {
                    *place = f32::from_le_bytes(*bytes);
                }
            }
            return;
        }
        for (i, record) in records.chunks_exact(stride).enumerate() {
            if let Some(value) = record.get(offset..).and_then(|bytes| scalar.read(bytes, form)) {
                self.set(first + i, column, scalar, value);
            }
        }
    }
}

/// A channel of a colour, made linear; whole numbers go up to the largest of their type.
fn color(value: f64, scalar: Scalar, channel: usize) -> f32 {
    if scalar == Scalar::U8 && channel < 3 {
        return srgb_byte_to_linear(value as u8);
    }
    let largest = match scalar {
        Scalar::I8 => 127.0,
        Scalar::U8 => 255.0,
        Scalar::I16 => 32_767.0,
        Scalar::U16 => 65_535.0,
        Scalar::I32 => 2_147_483_647.0,
        Scalar::U32 => 4_294_967_295.0,
        Scalar::F32 | Scalar::F64 => 1.0,
    };
    let part = (value / largest) as f32;
    if channel == 3 { part } else { srgb_to_linear(part) }
}
