//! What a Scene has no place for; other problems are found in reading.

use super::codes;
use super::columns::{Column, plan};
use super::header::{Header, Line, PropertyKind};
use crate::bytes::Span;
use crate::diag::{Aspect, Code, Issue, Issues};

/// What a header declares that a Scene has no place for.
pub(super) fn header(header: &Header, issues: &mut Issues) {
    let mut report = |code: &'static Code, line: Line, message: String| {
        let (aspect, left) = if *code == codes::FACE_COLOURS {
            (Aspect::Colors, "colours of faces have no place in a Scene")
        } else {
            (Aspect::Extras, "elements and properties that nobody agrees on have no place in a Scene")
        };
        issues.leave_out(aspect, left, line.path(), 1);
        issues.push(Issue::new(code, line.path(), message).at(line.span));
    };
    let vertex = header.elements.iter().rfind(|element| element.name == "vertex");
    let mut face_colour = None;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => {
                let (columns, _) = plan(element);
                let nowhere =
                    element.properties.iter().zip(&columns).filter(|(_, column)| **column == Column::Nowhere);
                for (property, _) in nowhere {
                    let message =
                        format!("the property {} of vertices has no place in a Scene", property.name);
                    report(&codes::IGNORED, property.line, message);
                }
            }
            "face" | "tristrips" => {
                for property in &element.properties {
                    let list = matches!(property.kind, PropertyKind::List { .. });
                    match (property.name.as_str(), list) {
                        ("vertex_indices" | "vertex_index" | "texcoord", true) => {}
                        ("red" | "green" | "blue" | "alpha", false) => {
                            face_colour.get_or_insert(property.line);
                        }
                        (name, _) => {
                            let message =
                                format!("the property {name} of {} has no place in a Scene", element.name);
                            report(&codes::IGNORED, property.line, message);
                        }
                    }
                }
            }
            "edge" => {}
            name => {
                report(&codes::IGNORED, element.line, format!("the element {name} has no place in a Scene"))
            }
        }
    }
    if let Some(line) = face_colour {
        let message = "faces have colours; a Scene has those of vertices";
        report(&codes::FACE_COLOURS, line, message.to_owned());
    }
    if !vertex.is_some_and(|vertex| plan(vertex).0.contains(&Column::Position(0))) {
        let message = "no element vertex has the properties x, y and z";
        let (path, span) = match vertex {
            Some(vertex) => (vertex.line.path(), vertex.line.span),
            None => ("header".to_owned(), Span::new(0, header.bytes)),
        };
        issues.push(Issue::new(&codes::NO_POSITIONS, path, message).at(span));
    }
}
