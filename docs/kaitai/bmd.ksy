meta:
  id: bmd
  title: BMD, models of the BGBTech3 engine
  file-extension: bmd
  encoding: UTF-8
  endian: le
  license: MIT OR Apache-2.0
doc: |
  A header with four tables whose records name lists and texts by offset. docs/formats/bmd.md says what everything means.
doc-ref: ../formats/bmd.md
seq:
  - id: magic
    contents: BMD1
  - id: reserved
    type: u4
    repeat: expr
    repeat-expr: 3
  - id: ofs_meshes
    type: u4
  - id: sz_meshes
    type: u4
  - id: ofs_lods
    type: u4
  - id: sz_lods
    type: u4
  - id: ofs_bones
    type: u4
  - id: sz_bones
    type: u4
  - id: ofs_anims
    type: u4
  - id: sz_anims
    type: u4
instances:
  meshes:
    pos: ofs_meshes
    type: mesh
    repeat: expr
    repeat-expr: sz_meshes / 32
  lods:
    pos: ofs_lods
    type: lod
    repeat: expr
    repeat-expr: sz_lods / 4
  bones:
    pos: ofs_bones
    type: bone
    repeat: expr
    repeat-expr: sz_bones / 16
  animations:
    pos: ofs_anims
    type: animation
    repeat: expr
    repeat-expr: sz_anims / 16
types:
  f8a:
    doc: A number in a byte, sign, 3 bits of exponent, 4 of fraction.
    seq:
      - id: code
        type: u1
    instances:
      magnitude:
        value: "(code & 127) == 0 ? 0.0 : (16 + (code & 15)) * (1 << ((code >> 4) & 7)) / 2048.0"
      value:
        value: "code >= 128 ? 0.0 - magnitude : magnitude"
  se32:
    doc: Three signed 9-bit fractions under a 5-bit exponent.
    seq:
      - id: word
        type: u4
    instances:
      exponent:
        value: (word >> 27) & 31
      step:
        value: "exponent >= 22 ? (1 << (exponent - 22)) * 1.0 : 1.0 / (1 << (22 - exponent))"
      x:
        value: "((word & 511) >= 256 ? (word & 511) - 512 : (word & 511)) * step"
      y:
        value: "(((word >> 9) & 511) >= 256 ? ((word >> 9) & 511) - 512 : ((word >> 9) & 511)) * step"
      z:
        value: "(((word >> 18) & 511) >= 256 ? ((word >> 18) & 511) - 512 : ((word >> 18) & 511)) * step"
  quaternion:
    seq:
      - id: xyzw
        type: f8a
        repeat: expr
        repeat-expr: 4
        doc: to be made unit
  mesh:
    seq:
      - id: ofs_vtx
        type: u4
      - id: ofs_tris
        type: u4
      - id: ofs_mat
        type: u4
        doc: zero for a mesh that is not drawn
      - id: n_vtx
        type: u2
      - id: n_tris
        type: u2
      - id: sz_vtx
        type: u4
      - id: sz_tris
        type: u4
      - id: flags
        type: u4
      - id: reserved
        type: u4
    instances:
      material:
        pos: ofs_mat
        type: strz
        if: ofs_mat != 0
      vertices:
        pos: ofs_vtx
        type: vertex
        repeat: expr
        repeat-expr: n_vtx
      elements:
        pos: ofs_tris
        size: sz_tris
        type: elements
        if: sz_tris != 0
  vertex:
    seq:
      - id: body
        type:
          switch-on: kind
          cases:
            0: vertex_64
            1: vertex_96
            2: vertex_128
    instances:
      tag:
        pos: _io.pos + 7
        type: u1
      kind:
        value: "tag >= 252 ? 2 : tag >= 240 ? 1 : 0"
  vertex_64:
    seq:
      - id: position
        type: se32
      - id: st_or_normal
        type: u1
        repeat: expr
        repeat-expr: 3
        doc: S and T of 11 bits and 2 bits of exponent; where the material begins with #, the normal as three F8A
      - id: bone
        type: u1
  vertex_96:
    seq:
      - id: position
        type: se32
      - id: st
        type: u1
        repeat: expr
        repeat-expr: 3
      - id: tag
        type: u1
        doc: bit 0 S and T with an exponent, bit 1 the last byte is a bone
      - id: normal
        type: f8a
        repeat: expr
        repeat-expr: 3
      - id: shade_or_bone
        type: u1
  vertex_128:
    seq:
      - id: position
        type: u2
        repeat: expr
        repeat-expr: 3
        doc: IEEE halves
      - id: shade
        type: u1
      - id: tag
        type: u1
      - id: st
        type: u4
        doc: S and T of 14 bits and 4 bits of exponent
      - id: normal
        type: f8a
        repeat: expr
        repeat-expr: 3
      - id: bone
        type: u1
  elements:
    seq:
      - id: list
        type: element
        repeat: eos
  element:
    doc: A triangle or a quad; the two lowest bits say which, and how long it is.
    seq:
      - id: low
        type: u4
      - id: high
        type: u4
        if: (low & 2) != 0
    instances:
      is_quad:
        value: (low & 1) != 0
      v0:
        value: "(low & 3) == 0 ? (low >> 2) & 1023 : (low & 3) == 1 ? (low >> 2) & 127 : (low & 3) == 2 ? (low >> 2) & 0xfffff : (low >> 2) & 0x7fff"
      v1:
        value: "(low & 3) == 0 ? (low >> 12) & 1023 : (low & 3) == 1 ? (low >> 9) & 127 : (low & 3) == 2 ? ((low >> 22) & 1023) | ((high & 1023) << 10) : (low >> 17) & 0x7fff"
      v2:
        value: "(low & 3) == 0 ? (low >> 22) & 1023 : (low & 3) == 1 ? (low >> 16) & 127 : (low & 3) == 2 ? (high >> 10) & 0xfffff : high & 0x7fff"
      v3:
        value: "(low & 3) == 1 ? (low >> 23) & 127 : (high >> 15) & 0x7fff"
        if: is_quad
  lod:
    seq:
      - id: id_mesh
        type: u1
      - id: n_mesh
        type: u1
      - id: ld_sc
        type: f8a
      - id: reserved
        type: u1
  bone:
    seq:
      - id: translation
        type: se32
        doc: of a pseudo-bone four bone ids, the first in the lowest byte
      - id: rotation
        type: quaternion
        doc: of a pseudo-bone four weights
      - id: ofs_name
        type: u4
      - id: id_parent
        type: u1
        doc: 255 for a pseudo-bone
      - id: id_solid
        type: u1
      - id: reserved
        type: u2
    instances:
      name:
        pos: ofs_name
        type: strz
        if: ofs_name != 0
  animation:
    seq:
      - id: ofs_name
        type: u4
      - id: n_frames
        type: u1
      - id: fl_hz
        type: u1
        doc: bit 7 does not loop; the rest in quarters of a hertz
      - id: reserved
        type: u2
      - id: ofs_frames
        type: u4
      - id: sz_frames
        type: u4
    instances:
      name:
        pos: ofs_name
        type: strz
        if: ofs_name != 0
      tracks:
        pos: ofs_frames
        size: sz_frames
        type: tracks
        if: sz_frames != 0
  tracks:
    seq:
      - id: bones
        type: track
        repeat: eos
        doc: from bone 0 to the last that is no pseudo-bone
  track:
    seq:
      - id: entries
        type: entry
        repeat: until
        repeat-until: _.tag == 0
  entry:
    seq:
      - id: tag
        type: u1
        doc: zero ends the bone; bits 4:0 frames passed over before this one
      - id: rotation
        type: quaternion
        if: (tag & 0x80) != 0
      - id: translation
        type: se32
        if: (tag & 0x40) != 0
      - id: scale
        type: se32
        if: (tag & 0x20) != 0
