//! Whether the bounds that accessors state are those of their numbers.

use std::collections::BTreeMap;

use super::accessor::List;
use super::codes;
use super::model::Model;
use super::views::Views;
use crate::diag::Issues;

/// How far stated bounds may be from the real ones, relative to their size: exporters round them.
const TOLERANCE: f64 = 1e-6;

/// Checks the bounds of all accessors that must have them, or have some.
pub(super) fn check(model: &Model, views: &Views<'_>, issues: &mut Issues) {
    for (accessor, must_have) in uses(model) {
        if let Ok(list) = List::of(views, accessor) {
            bounds(model, accessor, &list, must_have, issues);
        }
    }
}

/// The accessors that the model uses, and whether they must have bounds: those of positions and times.
fn uses(model: &Model) -> BTreeMap<u32, bool> {
    let d = &model.document;
    let mut uses = BTreeMap::new();
    let mut add = |accessor: u32, must_have: bool| *uses.entry(accessor).or_default() |= must_have;
    for primitive in d.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let of_targets = primitive.targets.iter().flat_map(|target| &target.0);
        for (semantic, accessor) in primitive.attributes.0.iter().chain(of_targets) {
            add(*accessor, semantic == "POSITION");
        }
        primitive.indices.into_iter().for_each(|accessor| add(accessor, false));
    }
    for sampler in d.animations.iter().flat_map(|animation| &animation.samplers) {
        add(sampler.input, true);
        add(sampler.output, false);
    }
    uses
}

fn bounds(model: &Model, index: u32, list: &List<'_>, must_have: bool, issues: &mut Issues) {
    let Some(accessor) = model.document.accessors.get(index as usize) else { return };
    let stated = [("min", &accessor.min), ("max", &accessor.max)];
    if list.count == 0 || (!must_have && stated.iter().all(|(_, bounds)| bounds.is_none())) {
        return;
    }
    let (min, max) = list.bounds();
    for ((field, stated), real) in stated.into_iter().zip([min, max]) {
        let pointer = || format!("/accessors/{index}/{field}");
        match stated {
            None if must_have => {
                model.report(issues, &codes::ACCESSOR_BOUNDS, pointer, || format!("{field} is missing"));
            }
            None => {}
            Some(stated) => {
                // What is not finite is named elsewhere, and has no bounds.
                let near = |stated: f64, real: f64| {
                    !real.is_finite() || (stated - real).abs() <= TOLERANCE * real.abs().max(1.0)
                };
                let same = stated.len() == real.len()
                    && stated.iter().zip(&real).all(|(stated, real)| near(stated.value(), *real));
                if !same {
                    let numbers: Vec<f64> = stated.iter().map(|number| number.value()).collect();
                    let message = || format!("it says {numbers:?}, and the numbers say {real:?}");
                    model.report(issues, &codes::ACCESSOR_BOUNDS, pointer, message);
                }
            }
        }
    }
}
