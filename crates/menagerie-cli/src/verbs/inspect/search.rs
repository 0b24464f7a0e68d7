//! Finding parts of a file: by the bytes that they are at, and by what is in them.

use std::collections::BTreeSet;

use menagerie::bytes::{FieldType, Span};

use super::select::{Kind, Part};

/// A range of bytes: `200`, `0xc8`, or `0xc8..0xe0` without its end.
pub(super) fn range(text: &str) -> Result<Span, String> {
    let number = |text: &str| {
        let digits = text.trim().to_ascii_lowercase();
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        number.map_err(|_| format!("{text} is no byte such as 200 or 0xc8, nor a range such as 0xc8..0xe0"))
    };
    let (start, end) = match text.split_once("..") {
        Some((start, end)) => (number(start)?, number(end)?),
        None => (number(text)?, number(text)?.saturating_add(1)),
    };
    if start < end {
        Ok(Span { start, end })
    } else {
        Err(format!("{text} is empty: the end comes after the last byte"))
    }
}

fn overlaps(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// The fields that bytes belong to, at most so many. What is compressed counts as one.
pub(super) fn at(parts: Vec<Part<'_>>, wanted: Span, most: usize) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<Part<'_>> = parts.into_iter().rev().collect();
    while let Some(part) = open.pop().filter(|_| found.len() < most) {
        if !overlaps(part.span, wanted) {
            continue;
        }
        match part.kind {
            Kind::Leaf(_) | Kind::Encoded(..) => found.push(part),
            Kind::Table(..) | Kind::List(_) => {
                let count = part.records().unwrap_or(0);
                let index = |byte: u64| part.record_at(byte).unwrap_or(count);
                let (first, last) = (index(wanted.start), index(wanted.end - 1).min(count.saturating_sub(1)));
                let last = last.min(first.saturating_add(most));
                open.extend((first..=last).rev().filter_map(|index| part.record(index)));
            }
            Kind::Group(_) | Kind::Record(_) | Kind::Fields(_) => open.extend(part.parts().into_iter().rev()),
        }
    }
    found
}

/// What to look for.
pub(super) struct Needle {
    text: String,
    bytes: Vec<u8>,
    exact: bool,
}

impl Needle {
    /// Text, whatever its capitals, or bytes such as `hex:42 4d 44 31`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let Some(hex) = text.strip_prefix("hex:") else {
            let text = text.to_lowercase();
            return match text.is_empty() {
                true => Err("there is nothing to find".to_owned()),
                false => Ok(Self { bytes: text.clone().into_bytes(), text, exact: false }),
            };
        };
        let digits: String = hex.chars().filter(|c| !c.is_whitespace()).collect();
        let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
        match bytes.filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => Ok(Self { text: String::new(), bytes, exact: true }),
            None => Err(format!("{hex} is no list of bytes such as 42 4d 44 31")),
        }
    }

    /// Where it begins in bytes.
    fn places<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
        let same = |window: &[u8]| match self.exact {
            true => window == self.bytes,
            false => window.eq_ignore_ascii_case(&self.bytes),
        };
        bytes.windows(self.bytes.len()).enumerate().filter(move |(_, window)| same(window)).map(|(at, _)| at)
    }

    fn names(&self, part: &Part<'_>) -> bool {
        !self.exact && part.name.to_lowercase().contains(&self.text)
    }
}

/// The parts whose names or bytes have what is looked for, at most so many; in compressed parts those inside.
pub(super) fn find<'a>(parts: Vec<Part<'a>>, bytes: &'a [u8], needle: &Needle, most: usize) -> Vec<Part<'a>> {
    let mut found = Vec::new();
    let mut paths = BTreeSet::new();
    let mut open = vec![(parts, bytes)];
    while let Some((parts, bytes)) = open.pop() {
        let mut inside: Vec<Part<'a>> = parts.clone().into_iter().rev().collect();
        while let Some(part) = inside.pop().filter(|_| found.len() < most) {
            if needle.names(&part) && paths.insert(part.path.clone()) {
                found.push(part.clone());
            }
            match part.kind {
                Kind::Group(_) => inside.extend(part.parts().into_iter().rev()),
                Kind::Encoded(decoded, _) => open.push((part.parts(), decoded)),
                Kind::Leaf(_) | Kind::Table(..) | Kind::Record(_) | Kind::List(_) | Kind::Fields(_) => {}
            }
        }
        for at_byte in needle.places(bytes) {
            if found.len() >= most {
                break;
            }
            let start = at_byte as u64;
            let span = Span { start, end: start + needle.bytes.len() as u64 };
            for part in at(parts.clone(), span, 1) {
                if !matches!(part.kind, Kind::Encoded(..)) && paths.insert(part.path.clone()) {
                    found.push(part);
                }
            }
        }
    }
    found
}

/// Bytes of no known meaning, cut where they look like something else: text, floats, numbers, zeros.
pub(super) fn guess(bytes: &[u8]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut at, mut unknown_from) = (0, 0);
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        match likeness(rest) {
            Some((name, kind, length)) => {
                parts.extend(part(bytes, unknown_from, at, "unknown", FieldType::Bytes));
                parts.extend(part(bytes, at, at + length, name, kind));
                at += length;
                unknown_from = at;
            }
            None => at += 1,
        }
    }
    parts.extend(part(bytes, unknown_from, bytes.len(), "unknown", FieldType::Bytes));
    parts
}

fn part<'a>(
    bytes: &'a [u8],
    start: usize,
    end: usize,
    name: &'static str,
    kind: FieldType,
) -> Option<Part<'a>> {
    let span = Span::new(start, end);
    (start < end).then(|| Part {
        name: name.into(),
        path: name.to_owned(),
        span,
        kind: Kind::Leaf(kind),
        bytes,
    })
}

/// So many elements in a row make a guess.
const ZEROS: usize = 8;
const LETTERS: usize = 5;
const FLOATS: usize = 6;
const INDICES: usize = 12;
const NUMBERS: usize = 6;

/// What bytes look like from their beginning on, and how many of them do.
fn likeness(bytes: &[u8]) -> Option<(&'static str, FieldType, usize)> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    if zeros >= ZEROS {
        // The last ones may be the beginning of a number.
        let whole = if zeros < bytes.len() { zeros & !3 } else { zeros };
        return Some(("zeros", FieldType::Padding, whole));
    }
    let printable =
        |byte: &&u8| byte.is_ascii_graphic() || **byte == b' ' || matches!(**byte, b'\n' | b'\r' | b'\t');
    let letters = bytes.iter().take_while(printable).count();
    if letters >= LETTERS {
        return Some(("text", FieldType::Text, letters));
    }
    let words = bytes.as_chunks::<4>().0;
    let floats = words.iter().take_while(|word| is_coordinate(f32::from_le_bytes(**word))).count();
    let set = words.iter().take(FLOATS).filter(|word| **word != [0; 4]).count();
    if floats >= FLOATS && set > FLOATS / 2 {
        return Some(("floats", FieldType::F32, floats * 4));
    }
    let numbers = words.iter().take_while(|word| u32::from_le_bytes(**word) < 1 << 20).count();
    let set = words.iter().take(NUMBERS).filter(|word| **word != [0; 4]).count();
    if numbers >= NUMBERS && set > NUMBERS / 2 {
        return Some(("numbers", FieldType::U32, numbers * 4));
    }
    let halves = bytes.as_chunks::<2>().0;
    let small = halves.iter().take_while(|half| u16::from_le_bytes(**half) < 1 << 12).count();
    let set = halves.iter().take(INDICES).filter(|half| **half != [0; 2]).count();
    (small >= INDICES && set > INDICES / 2).then_some(("indices", FieldType::U16, small * 2))
}

/// Whether a float is of a size that coordinates, normals and colours have.
fn is_coordinate(value: f32) -> bool {
    value == 0.0 || (1e-4..=1e5).contains(&value.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_bytes_are_understood() {
        assert_eq!(range("200"), Ok(Span { start: 200, end: 201 }));
        assert_eq!(range("0xC8..0xe0"), Ok(Span { start: 200, end: 224 }));
        for wrong in ["", "x", "5..5", "9..3", "..", "-1"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Needle::parse("hex:42 4d").unwrap().bytes, [0x42, 0x4d]);
        for wrong in ["", "hex:", "hex:4", "hex:zz"] {
            assert!(Needle::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_bytes_are_cut_into_what_they_look_like() {
        let mut bytes = vec![0xff, 0xfe, 0xfd];
        bytes.extend(b"some name");
        bytes.extend([0; 16]);
        bytes.extend([1.5f32, -2.0, 0.25, 3.0, 100.0, 0.5].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend((1000..1020u16).flat_map(u16::to_le_bytes));
        let guesses: Vec<(String, u64, u64)> =
            guess(&bytes).iter().map(|part| (part.path.clone(), part.span.start, part.span.end)).collect();
        let expected =
            [("unknown", 0, 3), ("text", 3, 12), ("zeros", 12, 28), ("floats", 28, 52), ("indices", 52, 92)];
        assert_eq!(guesses, expected.map(|(name, start, end)| (name.to_owned(), start, end)));
        // What is shown covers the file.
        let noise: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut at = 0;
        for part in guess(&noise) {
            assert_eq!(part.span.start, at);
            at = part.span.end;
        }
        assert_eq!(at, 5000);
    }
}
