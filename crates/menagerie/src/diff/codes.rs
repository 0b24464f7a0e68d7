//! The codes of differences, one for each aspect.

use crate::diag::{Aspect, Code};

/// The code of a difference in an aspect.
pub(super) fn of(aspect: Aspect) -> &'static Code {
    match aspect {
        Aspect::Scenes => &SCENES,
        Aspect::Hierarchy => &HIERARCHY,
        Aspect::Names => &NAMES,
        Aspect::Transforms => &TRANSFORMS,
        Aspect::Visibility => &VISIBILITY,
        Aspect::Positions => &POSITIONS,
        Aspect::Topology => &TOPOLOGY,
        Aspect::Normals => &NORMALS,
        Aspect::Tangents => &TANGENTS,
        Aspect::Uvs => &UVS,
        Aspect::Colors => &COLORS,
        Aspect::Skins => &SKINS,
        Aspect::Morphs => &MORPHS,
        Aspect::Lods => &LODS,
        Aspect::Materials => &MATERIALS,
        Aspect::Textures => &TEXTURES,
        Aspect::Cameras => &CAMERAS,
        Aspect::Lights => &LIGHTS,
        Aspect::Animations => &ANIMATIONS,
        Aspect::CustomAttributes => &CUSTOM_ATTRIBUTES,
        Aspect::Extras => &EXTRAS,
    }
}

crate::diag::code! {
    SCENES = Info "diff/scenes": "the models have other scenes",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Which nodes are shown together, or first, differs.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    HIERARCHY = Info "diff/hierarchy": "nodes are missing, added, or hang elsewhere",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Programs that look for a node in its place do not find it.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    NAMES = Info "diff/names": "something has another name",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Programs that look things up by name do not find them.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    TRANSFORMS = Info "diff/transforms": "a node is somewhere else",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Everything below it moved with it; the error says how far.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    VISIBILITY = Info "diff/visibility": "a node is hidden in one of the models only",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Something shows up that should not, or the other way round.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    POSITIONS = Info "diff/positions": "vertices are somewhere else",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "The shape changed; the error says how far the vertices moved.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    TOPOLOGY = Info "diff/topology": "triangles, lines or points are missing, added or flipped",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Holes, doubled surfaces, or surfaces that face the wrong way.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    NORMALS = Info "diff/normals": "normals differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Shading changes; the error says by how many degrees.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    TANGENTS = Info "diff/tangents": "tangents differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Normal maps look different.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    UVS = Info "diff/uvs": "texture coordinates differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Textures are shifted or missing.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    COLORS = Info "diff/colors": "vertex colours differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Painted surfaces look different.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    SKINS = Info "diff/skins": "vertices hang on other joints or with other weights",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "The model bends differently.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    MORPHS = Info "diff/morphs": "morph targets or their weights differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Shapes that blend in differ.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    LODS = Info "diff/lods": "levels of detail differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "From afar the model looks or costs different.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    MATERIALS = Info "diff/materials": "a material looks different",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Surfaces have another colour or answer to light differently.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    TEXTURES = Info "diff/textures": "a texture is another one, or sampled differently",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Surfaces show another picture.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    CAMERAS = Info "diff/cameras": "cameras differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "A view that the author set up differs.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    LIGHTS = Info "diff/lights": "lights differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "The scene is lit differently.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    ANIMATIONS = Info "diff/animations": "animations are missing, added, or move differently",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "The error says how far nodes are from where they should be at the worst time.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    CUSTOM_ATTRIBUTES = Info "diff/custom-attributes": "vertex attributes of an application's own differ",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "The program that made them finds other values.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
    EXTRAS = Info "diff/extras": "data that only one format knows differs",
        document: "A difference is no fault of a file: the two models say different things.",
        why: "Converting back to that format gives another file.",
        fix: "If the models should be the same, the loss report of the conversion between them says why they are not.";
}
