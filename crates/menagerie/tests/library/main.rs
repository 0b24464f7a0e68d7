//! The tests of the library, in one program, so that it is linked once: a module for each format and each promise.

mod another;
mod architecture;
mod bmd;
mod bo3d;
mod bogle;
mod conversions;
mod corpus;
mod das2;
mod dgl2;
mod diff;
mod engines;
mod frugal;
mod gltf;
mod gltf_bad;
mod gltf_scenes;
mod hostile;
mod loss;
mod meshes;
mod obj;
mod ops;
mod prefixes;
mod provenance;
mod reference;
mod regressions;
mod support;
mod truth;
