//! What is written is right in the original engines too: every model of the corpus in each of the five formats, checked
//! by the engines' own rules, and posed by their formulas.

mod support;

use std::collections::BTreeMap;

use menagerie::convert::{Conversion, ConvertOptions, convert};
use menagerie::formats::engine::pose_errors;
use menagerie::formats::{ALL, Format, Purpose, ReadOptions};
use menagerie::open::Folders;
use menagerie::scene::{Hidden, Pose, Scene};
use support::{TestFile, own, real};

const ENGINES: [&str; 5] = ["bogle", "bmd", "dgl2", "bo3d", "das2"];

/// Rules that some models cannot keep in a format, and why.
const UNAVOIDABLE: &[(&str, &str)] = &[];

fn models() -> Vec<(&'static Format, TestFile)> {
    let files = |format: &&'static Format| {
        let format = *format;
        real(format)
            .into_iter()
            .chain(own("made", format))
            .map(move |file| (format, file))
            .collect::<Vec<_>>()
    };
    ALL.iter().flat_map(files).collect()
}

fn written(
    file: &TestFile,
    from: &'static Format,
    to: &'static Format,
    purpose: Purpose,
) -> Option<Conversion> {
    let folders = Folders::new(file.path.parent(), &[], &[]);
    let mut options = ConvertOptions::default();
    options.read.files = &folders;
    options.from = Some(from);
    options.write.purpose = purpose;
    options.write.stem = file.stem();
    if to.id == "das2" {
        options.write.settings.set("das2-profile", "libdas2");
    }
    convert(&file.bytes, Some(&file.name()), to, &options).ok()
}

/// Files of other formats break no rule of an engine, or one that cannot be kept.
#[test]
fn no_rule_of_an_engine_is_broken() {
    let mut broken: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    let mut kept: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for to in ENGINES.map(|id| Format::by_id(id).expect("a format")) {
        for (from, file) in models().into_iter().filter(|(from, _)| *from != to) {
            let Some(done) = written(&file, from, to, Purpose::Both) else { continue };
            let issues: Vec<_> = done
                .engine
                .iter()
                .filter(|issue| issue.severity != menagerie::diag::Severity::Info)
                .collect();
            let count = kept.entry(to.id).or_default();
            count.1 += 1;
            count.0 += usize::from(issues.is_empty());
            for issue in issues {
                let avoidable = UNAVOIDABLE.iter().all(|(code, _)| *code != issue.code.id);
                if avoidable {
                    let what = format!("{}: {issue}", file.name());
                    broken.entry((to.id, issue.code.id)).or_default().push(what);
                }
            }
        }
    }
    for (format, (good, all)) in &kept {
        println!("{format}: {good} of {all} files break no rule of the engine");
    }
    let rows = broken.iter().map(|((_, code), list)| {
        let shown: Vec<&str> = list.iter().map(String::as_str).take(8).collect();
        format!("{code} × {}\n    {}", list.len(), shown.join("\n    "))
    });
    let rows: Vec<String> = rows.collect();
    assert!(rows.is_empty(), "{}", rows.join("\n"));
}

fn lifted(done: &Conversion, as_engine: bool) -> Option<Scene> {
    let options = ReadOptions::default();
    let model = done.to.open(&done.output.bytes, &options).model?;
    match as_engine {
        true => Some(model.lift_as_engine(&options).ok()??.scene),
        false => Some(model.lift(&options).ok()?.scene),
    }
}

/// The engine's pose of what was written against the document's, for every animated model: the largest error.
#[test]
fn the_engines_pose_as_the_documents_do() {
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for to in ENGINES.map(|id| Format::by_id(id).expect("a format")) {
        for (from, file) in models().into_iter().filter(|(from, _)| *from != to) {
            let Some(done) = written(&file, from, to, Purpose::Both) else { continue };
            let (Some(document), Some(engine)) = (lifted(&done, false), lifted(&done, true)) else {
                continue;
            };
            if document.animations.is_empty() {
                continue;
            }
            let errors = pose_errors(&document, &engine);
            let worst = errors.iter().map(|error| error.error).fold(0.0, f32::max);
            rows.push(format!("{:6} {:40} {worst:.6}", to.id, file.name()));
            if worst > 0.02 {
                wrong.push(format!("{} in {}: {worst}", file.name(), to.name));
            }
        }
    }
    println!("{}", rows.join("\n"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The shape at rest is where the source has it, by the engine's own reading.
#[test]
fn the_engines_show_the_same_size() {
    let mut wrong = Vec::new();
    for to in ENGINES.map(|id| Format::by_id(id).expect("a format")) {
        for (from, file) in models().into_iter().filter(|(from, _)| *from != to) {
            let Some(done) = written(&file, from, to, Purpose::Both) else { continue };
            let (Some(before), Some(engine)) = (&done.scene, lifted(&done, true)) else { continue };
            let bounds = |scene: &Scene| Pose::rest(scene).bounds_with(scene, Hidden::LeftOut);
            let (Some(was), Some(is)) = (bounds(before), bounds(&engine)) else { continue };
            let off = (was.min - is.min).abs().max_element().max((was.max - is.max).abs().max_element());
            if off > 0.02 * was.diagonal() {
                wrong.push(format!("{} in {}: {was:?} and {is:?}", file.name(), to.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
