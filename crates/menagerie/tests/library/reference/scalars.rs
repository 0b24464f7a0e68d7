//! The tables of `vectors/scalars` are what the library reads and writes.

use super::text;
use half::f16;
use menagerie::bytes::{Se32, f8a_from_f32, f8a_to_f32};
use menagerie::formats::bmd::{StReading, Vertex};
use menagerie::formats::das2::Text;
use serde_json::Value;

/// The rows of a table.
fn rows(name: &str) -> Vec<(Value, Value)> {
    let table: Value = serde_json::from_str(&text(&format!("vectors/scalars/{name}.json"))).expect(name);
    let rows = table["rows"].as_array().expect(name).iter();
    let rows: Vec<_> = rows.map(|row| (row[0].clone(), row[1].clone())).collect();
    assert!(rows.len() >= 10, "{name} has {} rows", rows.len());
    rows
}

fn word(value: &Value) -> u32 {
    u32::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

#[test]
fn packed_numbers_are_those_of_the_tables() {
    let codes = rows("f8a");
    assert_eq!(codes.len(), 256);
    for (code, value) in codes {
        let (code, value) = (code.as_u64().unwrap() as u8, value.as_f64().unwrap() as f32);
        assert_eq!(f8a_to_f32(code), value, "F8A {code:02x}");
        assert_eq!(f8a_to_f32(f8a_from_f32(value)), value, "F8A of {value}");
    }
    for (packed, values) in rows("se32") {
        assert_eq!(Se32(word(&packed)).values().to_vec(), numbers(&values), "SE32 {packed}");
    }
    for (bits, value) in rows("half") {
        let found = f16::from_bits(word(&bits) as u16).to_f32();
        match value.as_str() {
            Some("NaN") => assert!(found.is_nan(), "{bits}"),
            Some(infinity) => {
                assert_eq!(found, if infinity.starts_with('-') { f32::NEG_INFINITY } else { f32::INFINITY })
            }
            None => assert_eq!(found, value.as_f64().unwrap() as f32, "{bits}"),
        }
    }
}

#[test]
fn texture_coordinates_are_those_of_the_tables() {
    // The name of the table, the tag of the vertex, whether the word is the second of a 128-bit vertex.
    for (name, tag, reading) in [
        ("st11", 0x00, StReading::Spec),
        ("st11", 0xF9, StReading::Spec),
        ("st12", 0xF8, StReading::Spec),
        ("st12", 0xFA, StReading::Spec),
        ("st14", 0xFD, StReading::Spec),
        ("st-legacy", 0xFD, StReading::Legacy),
    ] {
        for (bits, st) in rows(name) {
            let word = word(&bits).to_le_bytes();
            let mut bytes = [0; 16];
            if tag == 0xFD {
                bytes[8..12].copy_from_slice(&word);
            } else {
                bytes[4..7].copy_from_slice(&word[..3]);
            }
            bytes[7] = tag;
            let vertex = Vertex::read(&bytes).expect("a vertex");
            assert_eq!(vertex.st(false, reading).unwrap().to_vec(), numbers(&st), "{name} {bits}");
        }
    }
}

#[test]
fn hashes_are_those_of_the_table() {
    for (bytes, hash) in rows("das2-hash") {
        let hex = bytes.as_str().unwrap().as_bytes();
        let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
        let bytes: Vec<u8> = hex.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect();
        let hash = u64::from_str_radix(hash.as_str().unwrap(), 16).unwrap();
        assert_eq!(Text::new(bytes).hash, hash);
    }
}
