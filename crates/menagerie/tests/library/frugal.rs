//! What takes less memory finds and writes the same.

use crate::support::{TestFile, own, real};
use menagerie::bytes::SharedBytes;
use menagerie::convert::{ConvertOptions, convert, convert_shared};
use menagerie::formats::{ALL, Format, Lifted, ReadOptions};
use menagerie::ops::{drawn, measure};
use menagerie::scene::Pose;

fn files(format: &Format) -> Vec<TestFile> {
    let mut files = own("made", format);
    files.extend(own("bad", format));
    files.extend(real(format));
    files
}

#[test]
fn the_shape_alone_has_the_same_bounds_triangles_and_issues() {
    for format in ALL {
        let seen = |lifted: Lifted| {
            let bounds = Pose::rest(&lifted.scene).bounds_with(&lifted.scene, format.hidden);
            let (_, triangles) = drawn(&lifted.scene);
            let issues: Vec<String> =
                lifted.issues.into_sorted().iter().map(|issue| format!("{issue:?}")).collect();
            (format!("{bounds:?}"), triangles, format!("{:?}", measure(&lifted.scene)), issues)
        };
        for file in files(format) {
            let Some(model) = file.read(format).model else { continue };
            let (whole, mut shape) = (ReadOptions::default(), ReadOptions::default());
            shape.shape_only = true;
            let [whole, shape] = [whole, shape].map(|options| model.lift(&options).ok().map(seen));
            assert_eq!(whole, shape, "{}", file.name());
        }
    }
}

#[test]
fn what_is_let_go_of_on_the_way_is_not_missed() {
    for from in ALL {
        for file in own("made", from) {
            let mut options = ConvertOptions::default();
            options.rebuild = true;
            let mut frugal = options.clone();
            frugal.forget_scene = true;
            for to in ALL {
                let kept = convert(&file.bytes, None, to, &options);
                let gone = convert_shared(SharedBytes::from(file.bytes.clone()), None, to, &frugal);
                let (Ok(kept), Ok(gone)) = (kept, gone) else { continue };
                let what = format!("{} to {}", file.name(), to.id);
                assert!(kept.output == gone.output, "{what}");
                assert_eq!(kept.losses, gone.losses, "{what}");
                assert!(kept.scene.is_some() && gone.scene.is_none(), "{what}");
                assert_eq!(kept.drawn, gone.drawn, "{what}");
            }
        }
    }
}
