meta:
  id: bogle
  title: BOGLE, scenes exported from Blender
  file-extension: bgl
  endian: le
  license: MIT OR Apache-2.0
doc: |
  Lists of records, then the scene tree as text. docs/formats/bogle.md says what everything means.
doc-ref: ../formats/bogle.md
seq:
  - id: magic
    contents: BOGLE
  - id: version
    type: u1
    valid: 0
  - id: camera_count
    type: u4
  - id: geometry_count
    type: u4
  - id: material_count
    type: u4
  - id: light_count
    type: u4
  - id: animation_collection_count
    type: u4
  - id: instance_count
    type: u4
  - id: ambient
    type: f4
    repeat: expr
    repeat-expr: 4
  - id: cameras
    type: camera
    repeat: expr
    repeat-expr: camera_count
  - id: geometries
    type: geometry
    repeat: expr
    repeat-expr: geometry_count
  - id: materials
    type: material
    repeat: expr
    repeat-expr: material_count
  - id: lights
    type: light
    repeat: expr
    repeat-expr: light_count
  - id: animation_collections
    type: animation_collection
    repeat: expr
    repeat-expr: animation_collection_count
  - id: instances_of_parts
    type: object_instance
    repeat: expr
    repeat-expr: instance_count
  - id: tree
    type: strz
    encoding: ASCII
    doc: numbers of instances and braces, ended by a zero
  - id: trailing
    size-eos: true
types:
  text:
    seq:
      - id: length
        type: u4
      - id: bytes
        size: length
  camera:
    seq:
      - id: kind
        type: u1
      - id: name
        type: text
      - id: width
        type: u4
      - id: height
        type: u4
      - id: near
        type: f4
      - id: far
        type: f4
      - id: fov
        type: f4
      - id: main
        type: u1
  geometry:
    seq:
      - id: kind
        type: u1
      - id: name
        type: text
      - id: vertex_count
        type: u4
      - id: index_count
        type: u4
      - id: vertices
        type: vertex
        repeat: expr
        repeat-expr: vertex_count
      - id: indices
        type: u4
        repeat: expr
        repeat-expr: index_count
  vertex:
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: uv
        type: f4
        repeat: expr
        repeat-expr: 2
      - id: normal
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: tangent
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: binormal
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: bones
        type: u4
        repeat: expr
        repeat-expr: 3
        doc: floats in all files of the exporter, integers in the document; words from 0x3F800000 on can only be floats
      - id: weights
        type: f4
        repeat: expr
        repeat-expr: 3
  material:
    seq:
      - id: kind
        type: u1
      - id: shader
        type: u1
      - id: name
        type: text
      - id: colours
        type: f4
        repeat: expr
        repeat-expr: 16
        doc: ambient, emissive, diffuse, specular
      - id: opacity
        type: f4
      - id: specular_power
        type: f4
      - id: reflectance
        type: f4
      - id: refraction
        type: f4
      - id: index_of_refraction
        type: f4
      - id: bump_intensity
        type: f4
      - id: specular_scale
        type: f4
      - id: alpha_threshold
        type: f4
      - id: alpha_blend
        type: u1
      - id: textures
        type: text
        repeat: expr
        repeat-expr: 8
        doc: ambient, emissive, diffuse, specular, specular power, normal, bump, opacity
  light:
    seq:
      - id: kind
        type: u1
        doc: 0 spot, 1 directional, 2 point
      - id: name
        type: text
      - id: color
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: constant
        type: f4
      - id: linear
        type: f4
      - id: quadratic
        type: f4
      - id: intensity
        type: f4
      - id: angle
        type: f4
  animation_collection:
    seq:
      - id: kind
        type: u1
      - id: name
        type: text
      - id: animation_count
        type: u4
      - id: transform
        type: f4
        repeat: expr
        repeat-expr: 16
        doc: column by column
      - id: bone_count
        type: u4
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: bone_count
      - id: animations
        type: animation
        repeat: expr
        repeat-expr: animation_count
  bone:
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: parent
        type: u4
        doc: from one on; zero for none
  animation:
    seq:
      - id: name
        type: text
      - id: key_count
        type: u4
      - id: keys
        type: key
        repeat: expr
        repeat-expr: key_count
  key:
    seq:
      - id: time
        type: f4
      - id: root_offset
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: rotations
        type: f4
        repeat: expr
        repeat-expr: _parent._parent.as<animation_collection>.bone_count * 4
  object_instance:
    seq:
      - id: name
        type: text
      - id: camera
        type: u4
        doc: from one on, as the following; zero for none
      - id: geometry
        type: u4
      - id: material
        type: u4
      - id: light
        type: u4
      - id: animation_collection
        type: u4
      - id: matrix
        type: f4
        repeat: expr
        repeat-expr: 16
        doc: column by column
