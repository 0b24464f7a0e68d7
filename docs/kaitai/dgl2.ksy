meta:
  id: dgl2
  title: DGL2, models and levels of the DGL engine
  file-extension: dgl2
  encoding: UTF-8
  endian: le
  license: MIT OR Apache-2.0
doc: |
  A list of chunks up to END; there is no magic number. docs/formats/dgl2.md says what everything means.
doc-ref: ../formats/dgl2.md
seq:
  - id: chunks
    type: chunk
    repeat: until
    repeat-until: _.kind == kinds::end or _io.eof
  - id: trailing
    size-eos: true
enums:
  kinds:
    0: header
    1: end
    2: trimesh
    3: material
    4: entity
types:
  chunk:
    seq:
      - id: kind
        type: u2
        enum: kinds
      - id: id
        type: s4
      - id: name_size
        type: u2
      - id: data_size
        type: u4
      - id: name
        size: name_size
      - id: data
        size: data_size
        type:
          switch-on: kind
          cases:
            kinds::trimesh: trimesh
            kinds::material: material
            kinds::entity: entity
            _: opaque
  opaque:
    seq:
      - id: bytes
        size-eos: true
  trimesh:
    seq:
      - id: triangles
        type: triangle
        repeat: expr
        repeat-expr: _io.size / 124
      - id: rest
        size-eos: true
  triangle:
    seq:
      - id: material_id
        type: s4
        doc: -1 for none
      - id: vertices
        type: f4
        repeat: expr
        repeat-expr: 9
      - id: normals
        type: f4
        repeat: expr
        repeat-expr: 9
      - id: uv1
        type: f4
        repeat: expr
        repeat-expr: 6
      - id: uv2
        type: f4
        repeat: expr
        repeat-expr: 6
  material:
    doc: A size and as much text; or, as the document has it, just the text.
    seq:
      - id: dml_size
        type: u4
        if: is_sized
      - id: dml
        size: "is_sized ? dml_size : _io.size"
      - id: after
        size-eos: true
    instances:
      first_word:
        pos: 0
        type: u4
        if: _io.size >= 4
      is_sized:
        value: "_io.size >= 4 ? first_word <= _io.size - 4 : false"
  entity:
    seq:
      - id: entity_type
        type: u4
        doc: 0 normal, 1 light, others the game's
      - id: material_id
        type: s4
      - id: mesh_id
        type: s4
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: x y z w
      - id: scaling
        type: f4
        repeat: expr
        repeat-expr: 3
      - id: dml_size
        type: u4
      - id: dml
        size: dml_size
      - id: after
        size-eos: true
