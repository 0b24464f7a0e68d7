//! What only one format knows of an element.

use serde_json::{Map, Value};

/// What only one format knows about an element: a JSON object with one key per format id.
///
/// Most elements have none, and a file can have millions of elements: so it is one word, and `None` when it is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras(Option<Box<Map<String, Value>>>);

impl Extras {
    /// The field `name` of what `format` kept.
    pub fn get(&self, format: &str, name: &str) -> Option<&Value> {
        self.of(format)?.get(name)
    }

    /// Keeps `value` as the field `name` of `format`.
    pub fn set(&mut self, format: &str, name: &str, value: impl Into<Value>) {
        let entry = self.0.get_or_insert_default().entry(format).or_insert_with(|| Value::Object(Map::new()));
        if !entry.is_object() {
            *entry = Value::Object(Map::new());
        }
        if let Some(fields) = entry.as_object_mut() {
            fields.insert(name.to_owned(), value.into());
        }
    }

    /// All that `format` kept.
    pub fn of(&self, format: &str) -> Option<&Value> {
        self.0.as_ref()?.get(format)
    }

    /// Replaces all that `format` kept.
    pub fn set_all(&mut self, format: &str, value: Value) {
        self.0.get_or_insert_default().insert(format.to_owned(), value);
    }

    /// Forgets all that `format` kept.
    pub fn remove(&mut self, format: &str) -> Option<Value> {
        let all = self.0.as_mut()?;
        let removed = all.shift_remove(format);
        if all.is_empty() {
            self.0 = None;
        }
        removed
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The formats that kept something, with what they kept.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().flat_map(|all| all.iter()).map(|(key, value)| (key.as_str(), value))
    }
}

/// A float as JSON, exactly, including those that JSON has no number for: these become their bits as text.
pub fn float_to_json(value: f32) -> Value {
    match serde_json::Number::from_f64(f64::from(value)) {
        // JSON readers may drop the sign of a zero.
        Some(number) if value != 0.0 || value.is_sign_positive() => number.into(),
        _ => format!("0x{:08x}", value.to_bits()).into(),
    }
}

/// The float that [`float_to_json`] made this of.
pub fn float_from_json(value: &Value) -> Option<f32> {
    match value {
        Value::Number(number) => number.as_f64().map(|f| f as f32),
        Value::String(bits) => u32::from_str_radix(bits.strip_prefix("0x")?, 16).ok().map(f32::from_bits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_that_were_taken_out_are_as_if_they_never_were() {
        let mut extras = Extras::default();
        extras.set("bmd", "solid", 3);
        assert!(!extras.is_empty() && extras.get("bmd", "solid").is_some());
        assert_eq!(extras.remove("bogle"), None);
        assert!(extras.remove("bmd").is_some() && extras.is_empty());
        assert_eq!(extras, Extras::default());
        assert_eq!(extras.iter().count(), 0);
        assert_eq!(size_of::<Extras>(), size_of::<usize>());
    }

    #[test]
    fn floats_come_back_bit_for_bit() {
        for bits in [0u32, 0x8000_0000, 0x3DCC_CCCD, 0x7F80_0000, 0x7FC0_0001, 1, 0xFF7F_FFFF] {
            let json = float_to_json(f32::from_bits(bits));
            let text = json.to_string();
            let back: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(float_from_json(&back).map(f32::to_bits), Some(bits), "{text}");
        }
    }
}
