use super::codes;
use super::columns::{Column, plan};
use super::header::{Header, PropertyKind};
use crate::bytes::Span;
use crate::diag::{Issue, Issues};

/// What a header declares that a Scene has no place for.
pub(super) fn header(header: &Header, issues: &mut Issues) {
    let span = Span::new(0, header.bytes);
    let mut ignored = |message: String| issues.push(Issue::new(&codes::IGNORED, "header", message).at(span));
    let mut has_positions = false;
    let mut face_colours = false;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => {
                let (columns, _) = plan(element);
                has_positions = columns.contains(&Column::Position(0));
                for (property, column) in element.properties.iter().zip(&columns) {
                    if *column == Column::Nowhere {
                        let message =
                            format!("the property {} of vertices has no place in a Scene", property.name);
                        ignored(message);
                    }
                }
            }
            "face" | "tristrips" => {
                for property in &element.properties {
                    let list = matches!(property.kind, PropertyKind::List { .. });
                    match (property.name.as_str(), list) {
                        ("vertex_indices" | "vertex_index" | "texcoord", true) => {}
                        ("red" | "green" | "blue" | "alpha", false) => face_colours = true,
                        (name, _) => {
                            let message =
                                format!("the property {name} of {} has no place in a Scene", element.name);
                            ignored(message);
                        }
                    }
                }
            }
            "edge" => {}
            name => ignored(format!("the element {name} has no place in a Scene")),
        }
    }
    if face_colours {
        let message = "faces have colours; a Scene has those of vertices";
        issues.push(Issue::new(&codes::FACE_COLOURS, "header", message).at(span));
    }
    if !has_positions {
        let message = "no element vertex has the properties x, y and z";
        issues.push(Issue::new(&codes::NO_POSITIONS, "header", message).at(span));
    }
}
