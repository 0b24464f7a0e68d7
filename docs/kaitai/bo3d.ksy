meta:
  id: bo3d
  title: BO3D, models of the bOGL engine
  file-extension: bo3d
  endian: le
  license: MIT OR Apache-2.0
doc: |
  A flat list of entities, each a mesh or a pivot. docs/formats/bo3d.md says what everything means.
doc-ref: ../formats/bo3d.md
seq:
  - id: magic
    contents: BO3D
  - id: version
    type: s4
    doc: 100
  - id: entity_count
    type: s4
  - id: entity_list_bytes
    type: s4
    doc: the file without these 20 bytes
  - id: vfloat_bits
    type: s4
    valid:
      any-of: [16, 32]
    doc: how wide the floats of vertices are
  - id: entities
    type: entity
    repeat: expr
    repeat-expr: entity_count
  - id: trailing
    size-eos: true
types:
  entity:
    seq:
      - id: size
        type: s4
        doc: of the whole entity, header and padding included
      - id: body
        type: body
        size: size - 4
      - id: to_alignment
        size: (4 - size) & 3
        if: not _io.eof
  body:
    seq:
      - id: parent
        type: s4
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: w x y z
      - id: anim_length
        type: s4
      - id: keyframe_count
        type: s4
      - id: name_length
        type: s4
      - id: vertex_count
        type: s4
        doc: zero for a pivot
      - id: mesh_header
        type: mesh_header
        if: vertex_count != 0
      - id: keys
        type: key
        repeat: expr
        repeat-expr: keyframe_count
      - id: name
        size: name_length
      - id: name_padding
        size: (4 - name_length) & 3
        if: not _io.eof
      - id: mesh
        type: mesh
        if: vertex_count != 0
      - id: surplus
        size-eos: true
        doc: readers skip it
  mesh_header:
    seq:
      - id: colour_count
        type: s4
      - id: triangle_count
        type: s4
      - id: texture_length
        type: s4
      - id: colour
        type: u1
        repeat: expr
        repeat-expr: 4
        doc: blue, green, red, and a byte that alpha overrules
      - id: alpha
        type: f4
      - id: fx
        type: u4
      - id: bone_count
        type: s4
  key:
    seq:
      - id: frame
        type: s4
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: w x y z
  mesh:
    seq:
      - id: vertices
        type: vertex
        repeat: expr
        repeat-expr: _parent.vertex_count
      - id: colours
        type: u1
        repeat: expr
        repeat-expr: header.colour_count * 3
        doc: red, green, blue of each vertex
      - id: colour_padding
        size: (4 - header.colour_count * 3) & 3
        if: not _io.eof
      - id: triangles
        type: u2
        repeat: expr
        repeat-expr: header.triangle_count * 3
      - id: triangle_padding
        size: (4 - header.triangle_count * 6) & 3
        if: not _io.eof
      - id: texture
        size: header.texture_length
      - id: texture_padding
        size: (4 - header.texture_length) & 3
        if: not _io.eof
      - id: bones
        type: bone
        repeat: expr
        repeat-expr: header.bone_count
    instances:
      header:
        value: _parent.mesh_header
  vertex:
    seq:
      - id: floats
        type: f4
        repeat: expr
        repeat-expr: 8
        if: _root.vfloat_bits == 32
        doc: u, v, normal, position
      - id: halves
        type: u2
        repeat: expr
        repeat-expr: 8
        if: _root.vfloat_bits == 16
        doc: the same as IEEE halves
  bone:
    seq:
      - id: entity
        type: s4
      - id: first
        type: s4
      - id: last
        type: s4
        doc: included; first above last holds none
