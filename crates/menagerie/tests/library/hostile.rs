//! Files that somebody changed: nothing panics, and what is written is valid whenever something is written.
//!
//! A sample of what fuzzing does, small enough for every run. `HOSTILE=100 cargo test --release -p menagerie --test library
//! hostile:: -- --nocapture` does a hundred times as much.

use menagerie::convert::{ConvertOptions, convert, missing_pictures, resolve_textures_within};
use menagerie::diag::{Issue, Severity};
use menagerie::formats::{ALL, Format, ReadOptions};
use serde_json::{Value, json};

use crate::support::damage::damage;
use crate::support::promises::survive;
use crate::support::scenes::Random;
use crate::support::{TestFile, own};

/// How many changes are tried of each file.
fn changes() -> usize {
    let more: usize = std::env::var("HOSTILE").ok().and_then(|more| more.parse().ok()).unwrap_or(1);
    6 * more
}

/// What became of the tries.
#[derive(Debug, Default)]
struct Tally {
    written: usize,
    refused: usize,
    /// Conversions whose result was invalid, and was not written for that.
    withheld: Vec<String>,
    broken: Vec<String>,
}

impl Tally {
    /// Converts a file; what is written has no errors, and no Scene breaks the rules.
    fn convert(&mut self, what: &str, bytes: &[u8], from: &'static Format, to: &'static Format) {
        let mut options = ConvertOptions::default();
        options.from = Some(from);
        options.rebuild = true;
        // Small files need little, and the refused ones are refused soon.
        options.read.limits.memory_bytes = 64 << 20;
        options.read.limits.drawn = 100_000;
        options.read.limits.keys = 20_000;
        let way = format!("{what}, {} to {}", from.id, to.id);
        match convert(bytes, None, to, &options) {
            Ok(done) => {
                self.written += 1;
                let reading = to.open(&done.output.bytes, &ReadOptions::default());
                let error = reading.issues.iter().find(|issue| issue.severity == Severity::Error);
                let beside = done.output.beside.is_empty();
                self.broken.extend(error.filter(|_| beside).map(|error| format!("{way}: {error}")));
            }
            Err(failed) => {
                self.refused += 1;
                for issue in failed.issues.iter() {
                    match issue.code.id {
                        "convert/scene-rule" => self.broken.push(format!("{way}: {issue}")),
                        "convert/invalid-result" => self.withheld.push(format!("{way}: {issue}")),
                        _ => {}
                    }
                }
            }
        }
    }

    #[track_caller]
    fn is_good(&self) {
        println!("{} written, {} refused, {} withheld", self.written, self.refused, self.withheld.len());
        let first = |list: &[String]| list.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.broken.is_empty(), "{} broken:\n{}", self.broken.len(), first(&self.broken));
        assert!(self.withheld.is_empty(), "{} withheld:\n{}", self.withheld.len(), first(&self.withheld));
        assert!(self.written > 0 && self.refused > 0, "{self:?}");
    }
}

fn small_files(format: &'static Format) -> Vec<TestFile> {
    let files = own("made", format).into_iter().chain(own("bad", format));
    files.filter(|file| file.bytes.len() <= 16 << 10).collect()
}

#[test]
fn changed_files_are_read_and_converted_or_refused() {
    let mut tally = Tally::default();
    let mut random = Random::new(16);
    for format in ALL {
        for (number, file) in small_files(format).iter().enumerate() {
            for change in 0..changes() {
                let mut bytes = file.bytes.clone();
                for _ in 0..=change % 3 {
                    damage(&mut bytes, std::array::from_fn(|_| random.below(256) as u8));
                }
                let what = format!("{} change {change}", file.name());
                if let Err(broken) = survive(format, &bytes) {
                    tally.broken.push(format!("{what}: {broken}"));
                }
                tally.convert(&what, &bytes, format, ALL[(number + change) % ALL.len()]);
            }
        }
    }
    tally.is_good();
}

#[test]
fn hostile_extras_make_no_invalid_file() {
    let glb = Format::by_id("gltf").expect("glTF");
    let mut tally = Tally::default();
    let mut random = Random::new(61);
    for format in ALL {
        for file in small_files(format) {
            let mut options = ConvertOptions::default();
            options.from = Some(format);
            options.rebuild = true;
            let Ok(done) = convert(&file.bytes, None, glb, &options) else { continue };
            let Some((mut document, bin)) = parts(&done.output.bytes) else { continue };
            let mut places = Vec::new();
            find_extras(&document, String::new(), false, &mut places);
            if places.is_empty() {
                continue;
            }
            for change in 0..changes() {
                let place = &places[random.below(places.len())];
                let Some(value) = document.pointer_mut(place) else { continue };
                let before = std::mem::replace(value, hostile(value, &mut random));
                let bytes = crate::support::bombs::glb(&document, &bin);
                tally.convert(&format!("{} {place} change {change}", file.name()), &bytes, glb, format);
                if let Some(value) = document.pointer_mut(place) {
                    *value = before;
                }
            }
        }
    }
    println!("{} written, {} refused, {} withheld", tally.written, tally.refused, tally.withheld.len());
    assert!(tally.broken.is_empty(), "{}", tally.broken.join("\n"));
    assert!(tally.withheld.is_empty(), "{}", tally.withheld.join("\n"));
}

/// The document of a GLB, and its bytes.
fn parts(bytes: &[u8]) -> Option<(Value, Vec<u8>)> {
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let length = word(12)?;
    let document = serde_json::from_slice(bytes.get(20..20 + length)?).ok()?;
    Some((document, bytes.get(20 + length + 8..).unwrap_or_default().to_vec()))
}

/// The pointers of all values inside of extras.
fn find_extras(value: &Value, pointer: String, inside: bool, places: &mut Vec<String>) {
    if inside {
        places.push(pointer.clone());
    }
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                find_extras(member, format!("{pointer}/{key}"), inside || key == "extras", places);
            }
        }
        Value::Array(elements) => {
            for (i, element) in elements.iter().enumerate() {
                find_extras(element, format!("{pointer}/{i}"), inside, places);
            }
        }
        _ => {}
    }
}

/// Something else in the place of a value: of another kind, too large, too small, too long, or not there.
fn hostile(value: &Value, random: &mut Random) -> Value {
    let of_another_kind = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(255),
        json!(65536),
        json!(4_294_967_295u64),
        json!(1e300),
        json!("0x7fc00000"),
        json!("\u{0}\u{202e}../../x"),
        json!("n".repeat(70_000)),
        json!([]),
        json!({}),
        json!([1, 2, 3, 4]),
    ];
    match (value, random.below(3)) {
        (Value::Array(elements), 0) => elements.iter().rev().cloned().collect(),
        (Value::Array(elements), 1) => elements.iter().chain(elements).cloned().collect(),
        (Value::Number(number), 0) => json!(number.as_f64().unwrap_or(0.0) + 1.0),
        (Value::Number(number), 1) => json!(-number.as_f64().unwrap_or(0.0) * 1e9),
        (Value::String(text), 0) => json!(text.chars().rev().collect::<String>()),
        _ => of_another_kind[random.below(of_another_kind.len())].clone(),
    }
}

/// What `validate` says of the pictures that a file lacks.
fn missing_pictures_of(bytes: &[u8]) -> Vec<Issue> {
    let options = ReadOptions::default();
    let format = Format::by_extension("gltf").unwrap();
    let mut reading = format.open(bytes, &options);
    let mut scene = reading.examine(&options).unwrap();
    let textures = resolve_textures_within(&mut scene, options.files, &options.limits);
    missing_pictures(reading.model.as_deref().unwrap(), bytes, &textures, &options.limits)
}

/// Names that begin like the whole rest of the file: looking for each from every byte took minutes.
#[test]
fn names_like_the_whole_file_are_looked_for_in_proportion() {
    let long = "a".repeat(20_000);
    let images: Vec<Value> = (0..20).map(|i| json!({ "uri": format!("{long}b{i}") })).collect();
    let model =
        json!({ "asset": { "version": "2.0" }, "images": images, "extras": { "x": "a".repeat(8 << 20) } });
    // Written so that the file does not have the names' bytes.
    let bytes = model.to_string().replace("ab", "a\\u0062").into_bytes();
    let issues = missing_pictures_of(&bytes);
    assert_eq!(issues.len(), 20);
    assert!(issues.iter().all(|issue| issue.code.id == "file/picture-missing"), "{issues:?}");
}

/// Pictures that only a note has: the note was read anew for each, which took 25 seconds.
#[test]
fn notes_of_many_pictures_are_read_once() {
    let images: Vec<Value> = (0..12_000).map(|i| json!([i, { "uri": format!("p{i}.png") }])).collect();
    let notes =
        json!({ "menagerie": { "missing_pictures": { "images": images, "sources": [], "slots": [] } } });
    let model = json!({ "asset": { "version": "2.0" }, "extras": notes });
    let issues = missing_pictures_of(model.to_string().as_bytes());
    assert_eq!(issues.len(), 12_000);
    assert!(issues.iter().all(|issue| issue.code.id == "file/picture-noted"), "{:?}", issues.first());
}
