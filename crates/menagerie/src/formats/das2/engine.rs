//! What libdas2, the only library that is known, makes of a file, from what was found by running it (engines.md, das2 E1
//! to E7).

use super::codes;
use super::geometry::Geometry;
use super::lift::lift;
use super::model::{Framing, Kind, Level, Model, Profile, Record, Ref};
use crate::diag::Issues;
use crate::formats::{Lifted, ReadOptions};

/// Finds what the library does with a file that the document does not say.
pub fn check_engine(model: &Model, issues: &mut Issues) {
    if model.profile == Profile::Spec {
        issues.report(&codes::ENGINE_PROFILE, || {
            let message = "libdas2, the only library that is known, reads what --das2-profile libdas2 writes";
            ("header.magic".to_owned(), message.to_owned())
        });
        return;
    }
    let body = if model.framing == Framing::Raw { "" } else { "body." };
    if model.framing == Framing::Raw && model.header.level != 0 {
        issues.report(&codes::ENGINE_LEVEL, || {
            let message = format!("the level is {}, and the body is raw", model.header.level);
            ("header.level".to_owned(), message)
        });
    }
    let lists = model.lists();
    if lists.buffers.len() > 1 {
        issues.report(&codes::ENGINE_BUFFERS, || {
            (format!("{body}buffers[1]"), format!("there are {} buffers", lists.buffers.len()))
        });
    }
    let geometry = Geometry::new(model.profile, &lists);
    for (index, mesh) in lists.meshes.iter().enumerate() {
        let lost = |level: &&Level| geometry.is_set(level.index) || geometry.is_set(level.color);
        if let Some(level) = mesh.levels.iter().find(lost) {
            let what = if geometry.is_set(level.index) { "indices" } else { "colours" };
            issues.report(&codes::ENGINE_INDEXED, || {
                (format!("{body}meshes[{index}]"), format!("the mesh has {what}, which the library loses"))
            });
        }
    }
    channels(model, body, issues);
}

fn channels(model: &Model, body: &str, issues: &mut Issues) {
    let Some(first) = model.records.iter().position(|record| record.kind() == Kind::Channel) else { return };
    let after = model.records.iter().skip(first).filter(|record| record.kind() != Kind::Channel).count();
    if after > 0 {
        issues.report(&codes::ENGINE_CHANNELS_LAST, || {
            (format!("{body}channels[0]"), format!("{after} records of other kinds come after this channel"))
        });
    }
    issues.report(&codes::ENGINE_CHANNELS, || {
        let message = "the library reads no channel right: the animations do not play there";
        (format!("{body}channels[0]"), message.to_owned())
    });
}

/// The Scene that the library arrives at: colours for indices (E4), nothing after the first channel (E5), no movement
/// (E6). `None` for files of the document's layout, which it refuses (E1).
pub fn lift_as_engine(model: &Model, options: &ReadOptions<'_>) -> Option<Lifted> {
    if model.profile == Profile::Spec {
        return None;
    }
    let mut seen = model.clone();
    let before_channels = seen.records.iter().take_while(|record| record.kind() != Kind::Channel).count();
    seen.records.truncate(before_channels);
    for record in &mut seen.records {
        match record {
            Record::Mesh(mesh) => {
                for level in &mut mesh.levels {
                    level.index = std::mem::replace(&mut level.color, Ref { buffer: 0, offset: 0 });
                }
            }
            Record::Animation(animation) => animation.channels.clear(),
            _ => {}
        }
    }
    Some(lift(&seen, options))
}
