meta:
  id: das2
  title: das2, assets of the DENG engine
  file-extension: das2
  endian: le
  license: MIT OR Apache-2.0
doc: |
  A header and records up to the end, in one of two layouts: that of the format's document (spec), whose body may be a zlib stream, and that of the
  format's own library (libdas2), whose body may be zstd frames, which are left as bytes here. Records are numbered as in the document's headings.
  docs/formats/das2.md says what everything means, and how to tell the layouts apart for sure; here it is by the level that spec would have.
doc-ref: ../formats/das2.md
seq:
  - id: magic
    contents: [0x64, 0x61, 0x73, 0x32, 0, 0, 0, 0]
  - id: author
    type: text
  - id: comment
    type: text
  - id: vertices_count
    type: u4
  - id: mesh_count
    type: u4
  - id: animation_count
    type: u4
  - id: default_scene
    type: u4
  - id: level
    type: u1
  - id: body_zlib
    type: records
    size-eos: true
    process: zlib
    if: is_zlib
  - id: body_packed
    size-eos: true
    if: is_zstd
  - id: body_raw
    type: records
    size-eos: true
    if: not is_zlib and not is_zstd
instances:
  author_length:
    pos: 8
    type: u2
  comment_at:
    value: 10 + author_length
  comment_length:
    pos: comment_at
    type: u2
    if: comment_at + 2 <= _io.size
  level_at:
    value: "comment_at + 2 <= _io.size ? comment_at + 2 + comment_length + 16 : _io.size"
  level_of_spec:
    pos: level_at
    type: u1
    if: level_at < _io.size
  first_of_spec:
    pos: level_at + 1
    type: u1
    if: level_at + 1 < _io.size
  is_spec:
    value: "level_at >= _io.size ? false : level_at + 1 == _io.size ? true : level_of_spec > 9 ? false : level_of_spec == 0 ? (first_of_spec == 0x78 or (first_of_spec >= 1 and first_of_spec <= 12)) : first_of_spec == 0x78"
  is_zlib:
    value: is_spec and level_at + 1 < _io.size and first_of_spec == 0x78
  is_zstd:
    value: not is_spec and (level == 1 or level == 9 or level == 255)
types:
  text:
    seq:
      - id: length
        type: u2
      - id: hash
        type: u8
        if: not _root.is_spec
      - id: bytes
        size: length
  place:
    seq:
      - id: buffer
        type: u4
        if: _root.is_spec
        doc: 0xFFFFFFFF for none
      - id: offset
        type: u4
  eight_places:
    seq:
      - id: buffers
        type: u4
        repeat: expr
        repeat-expr: 8
        if: _root.is_spec
      - id: offsets
        type: u4
        repeat: expr
        repeat-expr: 8
  ids:
    seq:
      - id: count
        type: u4
      - id: list
        type: u4
        repeat: expr
        repeat-expr: count
  records:
    seq:
      - id: list
        type: record
        repeat: eos
  record:
    seq:
      - id: identifier
        type: u1
      - id: body
        type:
          switch-on: identifier
          cases:
            1: buffer
            2: mesh
            4: mesh_group
            5: node
            6: scene
            7: joint
            8: skeleton
            9: animation
            10: channel
            11: phong
            12: pbr
  buffer:
    seq:
      - id: length
        type: u4
      - id: data
        size: length
  mesh:
    seq:
      - id: indices
        type: place
      - id: draw_count
        type: u4
      - id: positions
        type: place
      - id: normals
        type: place
      - id: uvs
        type: eight_places
      - id: colours
        type: place
      - id: joint_indices
        type: eight_places
      - id: joint_weights
        type: eight_places
      - id: material_type
        type: u1
      - id: material
        type: u4
      - id: morph_count
        type: u4
      - id: morphs
        type: morph
        repeat: expr
        repeat-expr: morph_count
      - id: lod_count
        type: u4
      - id: lods
        type: record
        repeat: expr
        repeat-expr: lod_count
  morph:
    seq:
      - id: identifier
        contents: [3]
      - id: indices
        type: place
      - id: positions
        type: place
      - id: normals
        type: place
      - id: uvs
        type: eight_places
      - id: colours
        type: place
  mesh_group:
    seq:
      - id: name
        type: text
      - id: meshes
        type: ids
  placement:
    seq:
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: translation
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: scale
        type: f4
  node:
    seq:
      - id: name
        type: text
      - id: children
        type: ids
      - id: mesh_group
        type: u4
      - id: skeleton
        type: u4
      - id: custom
        type: f4
        repeat: expr
        repeat-expr: 16
        doc: row by row
      - id: placement
        type: placement
  scene:
    seq:
      - id: name
        type: text
      - id: roots
        type: ids
  joint:
    seq:
      - id: name
        type: text
      - id: children
        type: ids
      - id: inverse_bind
        type: f4
        repeat: expr
        repeat-expr: 16
      - id: placement
        type: placement
  skeleton:
    seq:
      - id: name
        type: text
      - id: parent
        type: u4
      - id: joints
        type: ids
  animation:
    seq:
      - id: name
        type: text
        if: not _root.is_spec
      - id: channels
        type: ids
  channel:
    seq:
      - id: node
        type: u4
      - id: joint
        type: u4
      - id: target
        type: u1
        doc: 0 unknown, 1 weights, 2 translation, 3 rotation, 4 scale
      - id: interpolation
        type: u1
        doc: 0 unknown, 1 linear, 2 step, 3 cubic
      - id: counts
        type: u4
        repeat: expr
        repeat-expr: 2
        doc: keys and weights; in libdas2 weights and keys
      - id: times
        type: f4
        repeat: expr
        repeat-expr: keys
      - id: tangents
        type: f4
        repeat: expr
        repeat-expr: keys * width * 2
        if: interpolation == 3
      - id: values
        type: f4
        repeat: expr
        repeat-expr: keys * width
    instances:
      keys:
        value: "_root.is_spec ? counts[0] : counts[1]"
      weights:
        value: "_root.is_spec ? counts[1] : counts[0]"
      width:
        value: "target == 1 ? weights : target == 2 ? 3 : target == 3 ? 4 : target == 4 ? 1 : 0"
  phong:
    seq:
      - id: name
        type: text
      - id: diffuse
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: specular
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: emission
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: maps
        type: text
        repeat: expr
        repeat-expr: 3
        doc: diffuse, specular, emission
  pbr:
    seq:
      - id: name
        type: text
      - id: albedo
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: emissive
        type: f4
        repeat: expr
        repeat-expr: 4
      - id: roughness
        type: f4
      - id: metallic
        type: f4
      - id: ambient_occlusion
        type: f4
      - id: maps
        type: text
        repeat: expr
        repeat-expr: "_root.is_spec ? 5 : 4"
        doc: albedo, emission, roughness (not in libdas2), metallic, ambient occlusion
