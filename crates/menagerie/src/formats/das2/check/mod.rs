//! What is wrong in a model that could be read.

mod records;

use super::codes;
use super::model::{Framing, Kind, Lists, Model, Numbering, Profile, Text};
use crate::bytes::Span;
use crate::diag::{Code, Issue, Issues};

/// Finds what is wrong in a model.
pub fn check(model: &Model, issues: &mut Issues) {
    check_file(model, issues);
    if model.framing == Framing::Raw {
        return check_records(model, issues);
    }
    // Issues in a compressed body point at the compressed bytes, which are what the file has, and say where in the
    // inflated ones they are.
    let mut found = Issues::default();
    check_records(model, &mut found);
    if found.is_empty() {
        return;
    }
    let map = model.byte_map();
    let body = map.find("body");
    let mut moved = Issues::default();
    for issue in found.into_sorted() {
        if issue.path.is_empty() || issue.path.starts_with("header") {
            moved.push(issue);
            continue;
        }
        let path = format!("body.{}", issue.path);
        let place = map.find(&path).map(|span: Span| format!(" (byte {span} of the inflated body)"));
        let message = issue.message + &place.unwrap_or_default();
        moved.push(Issue { path, message, span: body, ..issue });
    }
    issues.append(moved);
}

/// How many ids name records that do not exist, and what else speaks against the numbering of a model.
pub(super) fn broken_references(model: &Model) -> usize {
    let mut issues = Issues::new(usize::MAX);
    check(model, &mut issues);
    let unlikely = |issue: &&Issue| issue.code != &codes::TABLE_NUMBERING;
    issues.iter().filter(unlikely).count()
}

/// The file as a whole: its header, and how the body is packed.
fn check_file(model: &Model, issues: &mut Issues) {
    let header = &model.header;
    if !model.trailing.is_empty() {
        issues.report(&codes::TRAILING_BYTES, || {
            ("trailing".to_owned(), format!("{} bytes follow the body", model.trailing.len()))
        });
    }
    if model.framing == Framing::Raw && header.level != 0 {
        issues.report(&codes::LEVEL_RAW, || {
            (
                "header.level".to_owned(),
                format!("the level is {}, but the body is not compressed", header.level),
            )
        });
    }
    if let (Numbering::Tables, Some(record)) =
        (model.numbering, model.records.iter().find(|r| !matches!(r.kind(), Kind::Buffer | Kind::Mesh)))
    {
        issues.report(&codes::TABLE_NUMBERING, || {
            let place = if model.framing == Framing::Raw { "" } else { "body." };
            let path = format!("{place}{}[0].identifier", record.kind().list());
            (path, format!("the identifier of {} is that of the document's tables", record.kind().list()))
        });
    }
    check_header(&Checker { model, lists: model.lists() }, issues);
}

/// What the header says of the records.
fn check_header(checker: &Checker<'_>, issues: &mut Issues) {
    let (model, header) = (checker.model, &checker.model.header);
    checker.text("header.author", &header.author, issues);
    checker.text("header.comment", &header.comment, issues);
    let animations = checker.lists.animations.len();
    for (field, what, stated, found) in [
        ("header.mesh_count", "meshes", header.mesh_count, checker.lists.meshes.len()),
        ("header.animation_count", "animations", header.animation_count, animations),
    ] {
        if stated as usize != found {
            issues.report(&codes::HEADER_COUNT, || {
                (field.to_owned(), format!("the header counts {stated} {what}, and there are {found}"))
            });
        }
    }
    let vertices = model.summary().vertices;
    if header.vertices_count as usize != vertices {
        issues.report(&codes::HEADER_VERTICES, || {
            let stated = header.vertices_count;
            (
                "header.vertices_count".to_owned(),
                format!("the header counts {stated} vertices, the meshes have {vertices}"),
            )
        });
    }
    let scenes = checker.lists.scenes.len();
    if scenes == 0 {
        issues.report(&codes::NO_SCENE, || {
            ("header.default_scene".to_owned(), "there is no scene to show".to_owned())
        });
    } else if header.default_scene as usize >= scenes {
        issues.report(&codes::DEFAULT_SCENE, || {
            let message =
                format!("scene {} is the default one, and there are {scenes}", header.default_scene);
            ("header.default_scene".to_owned(), message)
        });
    }
}

fn check_records(model: &Model, issues: &mut Issues) {
    let checker = Checker { model, lists: model.lists() };
    checker.buffers(issues);
    checker.meshes(issues);
    checker.mesh_groups(issues);
    checker.nodes(issues);
    checker.scenes(issues);
    checker.joints(issues);
    checker.skeletons(issues);
    checker.animations(issues);
    checker.channels(issues);
    checker.materials(issues);
}

struct Checker<'a> {
    model: &'a Model,
    lists: Lists<'a>,
}

impl Checker<'_> {
    fn text(&self, path: &str, text: &Text, issues: &mut Issues) {
        let (decoded, utf8) = text.decoded();
        if !utf8 {
            issues.report(&codes::NOT_UTF8, || (path.to_owned(), format!("it is read as {decoded:?}")));
        }
        if self.model.profile == Profile::Libdas2 && !text.has_good_hash() {
            issues.report(&codes::STRING_HASH, || {
                let right = Text::new(text.bytes.clone()).hash;
                (
                    format!("{path}_hash"),
                    format!("the hash is {:016x}, that of {decoded:?} is {right:016x}", text.hash),
                )
            });
        }
    }

    /// An id that names a record of `kind`, or nothing where that is allowed.
    fn reference(&self, path: impl FnOnce() -> String, id: u32, kind: Kind, issues: &mut Issues) {
        let count = self.lists.count(kind);
        if id as usize >= count {
            issues.report(&codes::REFERENCE, || {
                (path(), format!("there is no {} of {}, which has {count}", id, kind.list()))
            });
        }
    }

    /// Like [`Checker::reference`] for an id that may be -1.
    fn optional(&self, path: impl FnOnce() -> String, id: u32, kind: Kind, issues: &mut Issues) {
        if id != super::NONE {
            self.reference(path, id, kind, issues);
        }
    }
}

/// Reports numbers that are infinite or none.
fn finite<'a>(path: impl Fn() -> String, values: impl IntoIterator<Item = &'a f32>, issues: &mut Issues) {
    if let Some(value) = values.into_iter().find(|value| !value.is_finite()) {
        report(issues, &crate::diag::NOT_FINITE, &path(), format!("it holds {value}"));
    }
}

fn report(issues: &mut Issues, code: &'static Code, path: &str, message: String) {
    issues.report(code, || (path.to_owned(), message));
}
