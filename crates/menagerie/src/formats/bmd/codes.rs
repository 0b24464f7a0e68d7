//! The issue codes of BMD.

crate::diag::code! {
    MAGIC = Error "bmd/magic": "the file does not begin with BMD1",
        document: "The first word of the header is BMD1: the bytes 42 4D 44 31.",
        why: "It is another kind of file, its beginning is damaged, or its words are in the wrong byte order.",
        fix: "Check that the file is what its extension says.";
    TABLE_OUTSIDE = Error "bmd/table-outside": "a table reaches past the end of the file",
        document: "The header gives offset and size of each table in the image.",
        why: "The file was cut off, or the header is wrong. Records that are whole are used.",
        fix: "Get the file again from where it came.";
    TABLE_SIZE = Warning "bmd/table-size": "the size of a table is no multiple of its records",
        document: "Tables are lists of records: 32 bytes for meshes, 4 for LODs, 16 for bones and animations.",
        why: "The rest is ignored, by the engine as well. It is kept when the file is rewritten.",
        fix: "Correct the size in the header.";
    RESERVED = Warning "bmd/reserved": "a field that must be zero is not",
        document: "Reserved fields must be zero, and so must the places of bones and animations of a static model (Header).",
        why: "A later version of the format may mean something by it. It is kept when the file is rewritten.",
        fix: "Write the file again with --rebuild.";
    LIST_OUTSIDE = Error "bmd/list-outside": "a list reaches past the end of the file",
        document: "Offset and size of vertices, triangles and frames are positions in the image.",
        why: "The file was cut off, or the record is wrong. What is whole is used.",
        fix: "Get the file again from where it came.";
    VERTEX_LIST_SHORT = Error "bmd/vertex-list-short": "the vertex list is shorter than its vertices",
        document: "A mesh record gives the number of vertices and the bytes that they have; each vertex tells its own size.",
        why: "The last vertices are missing, and triangles that use them are left out.",
        fix: "Compare n_vtx and sz_vtx; one of them is wrong.";
    LIST_SURPLUS = Warning "bmd/list-surplus": "a list has bytes after its last element",
        document: "The size of a list is that of its elements.",
        why: "Nothing reads them. They are kept when the file is rewritten.",
        fix: "Write the file again with --rebuild.";
    FACE_CUT = Error "bmd/face-cut": "the last triangle or quad is cut off",
        document: "The two lowest bits of a triangle or quad say whether it has 32 or 64 bits.",
        why: "A 64-bit element begins in the last four bytes of the list, or the list's size is odd. It is left out.",
        fix: "Correct sz_tris, or the tag of the element.";
    TRIANGLE_COUNT = Error "bmd/triangle-count": "the number of triangles is not that of the list",
        document: "With fewer than 1024 vertices a quad is counted as two triangles, with more as one (Mesh Quad); 1024 itself is not mentioned.",
        why: "Loaders that go by the count read too little or too much. menagerie goes by the bytes of the list.",
        fix: "Correct n_tris.";
    INDEX_RANGE = Error "bmd/index-out-of-range": "a triangle or quad names a vertex that does not exist",
        document: "Indices count the vertices of the same mesh from zero.",
        why: "The engine reads past the vertices. Conversions leave the element out.",
        fix: "Correct the index, or remove the element.";
    SPARE_BITS = Warning "bmd/spare-bits": "unused bits of a triangle or quad are set",
        document: "The second tag of quads and of 64-bit elements is zero.",
        why: "A later version of the format may mean something by it. They are ignored.",
        fix: "Write the file again with --rebuild.";
    VERTEX_TAG_ALIAS = Warning "bmd/vertex-tag-alias": "a vertex has a tag that means nothing of its own",
        document: "96-bit vertices have the tags F0 to FB, of which only F8 to FB are defined.",
        why: "The engine takes F0 to F7 for F8 to FB by their lowest bits, and so does menagerie.",
        fix: "Write the file again with --rebuild.";
    VERTEX_TAG = Error "bmd/vertex-tag": "a vertex has a tag that does not exist",
        document: "The only tag of 128-bit vertices is FD.",
        why: "The engine takes FC, FE and FF for FD, and so does menagerie; other readers cannot go on.",
        fix: "Correct the tag, or find out which field of the list is wrong.";
    NOT_FINITE = Error "bmd/not-finite": "a position is not a number or infinite",
        document: "Positions of 128-bit vertices are half floats.",
        why: "The vertex is nowhere. Conversions put it at zero.",
        fix: "Correct the vertex.";
    BONE_RANGE = Error "bmd/bone-range": "a vertex hangs on a bone that does not exist",
        document: "Vertices name a bone of the bone table; 0 is the model itself.",
        why: "The engine uses a matrix that it never set. Conversions hang the vertex on the model itself.",
        fix: "Correct the bone, or add it to the table.";
    FLAGS = Warning "bmd/flags": "the mesh holds elements that its flags exclude",
        document: "Where the flags say that all vertices have one size, or that there are only triangles, no others are allowed.",
        why: "Loaders that trust the flags fail. menagerie goes by the elements.",
        fix: "Write the file again with --rebuild.";
    MATERIAL_COLOUR = Warning "bmd/material-colour": "a material begins with # and is no colour",
        document: "A flat colour is # and six hexadecimal digits.",
        why: "It is drawn white; its 64-bit vertices are read as those of a flat colour.",
        fix: "Write six digits, or another name.";
    STRING = Error "bmd/string": "a name does not end in the file",
        document: "Names are offsets of strings, zero for none; how a string ends is not said. The original tools end them with a zero byte.",
        why: "The text is outside the file or was cut off; it is read as no name.",
        fix: "Correct the offset.";
    STRING_LONG = Warning "bmd/string-long": "a name is longer than 255 bytes",
        document: "Nothing is said about the length of names.",
        why: "The engine's loader copies names into 256 bytes.",
        fix: "Shorten the name.";
    NAME_NOT_UTF8 = Info "bmd/name-not-utf8": "a name is not UTF-8",
        document: "The encoding of names is not stated.",
        why: "It is read as Windows-1252; the bytes are kept.",
        fix: "Nothing has to be done if the name looks right.";
    LOD_RANGE = Error "bmd/lod-range": "a level of detail covers meshes that do not exist",
        document: "A level is a range of the mesh list.",
        why: "The engine draws past its list. The meshes that exist are used.",
        fix: "Correct the range.";
    LOD_UNDRAWN = Warning "bmd/lod-undrawn": "a level of detail covers a mesh that is not drawn",
        document: "Only drawable meshes, those with a material, are in levels of detail.",
        why: "The mesh is not drawn anyway.",
        fix: "Put meshes without material behind the others.";
    LOD_SCALE = Warning "bmd/lod-scale": "a level of detail has a scale that is no distance",
        document: "The scale is 1 / (distance + 1).",
        why: "A scale below zero or above one would be nearer than the viewer.",
        fix: "Write a scale from 0.0083 to 1.";
    ROOT_BONE = Warning "bmd/root-bone": "bone 0 has a transform or a parent",
        document: "Transform and parent of bone 0 must be zero: it is the model itself.",
        why: "They are ignored, by the engine as well.",
        fix: "Put the transform into a bone of its own.";
    PARENT = Error "bmd/parent": "the parent is not an earlier bone",
        document: "A bone is relative to its parent, FF marks a pseudo-bone.",
        why: "A bone that is its own ancestor has no place. Conversions hang it on the model itself.",
        fix: "Order the bones so that parents come first.";
    BONE_COUNT = Error "bmd/bone-count": "there are more bones than ids",
        document: "Bones are named by one byte.",
        why: "Nothing can name the bones from 256 on.",
        fix: "Remove bones.";
    PSEUDO_BONE = Error "bmd/pseudo-bone": "a pseudo-bone blends what is no bone",
        document: "The transform of a pseudo-bone is four bone ids and four weights.",
        why: "It blends a bone that does not exist or another pseudo-bone. Conversions leave that part out.",
        fix: "Blend ordinary bones only; leave unused weights at zero.";
    PSEUDO_WEIGHTS = Warning "bmd/pseudo-weights": "the weights of a pseudo-bone are zero or below",
        document: "Pseudo-bones have four weights.",
        why: "A blend without weight is nowhere; such a bone is taken for the model itself. Parts below zero are left out.",
        fix: "Give it weights above zero.";
    PSEUDO_ORDER = Warning "bmd/pseudo-order": "an ordinary bone follows a pseudo-bone",
        document: "Pseudo-bones follow after all ordinary bones.",
        why: "Animations then hold entries for the pseudo-bone too, which mean nothing.",
        fix: "Move pseudo-bones to the end of the table.";
    SOLID_RANGE = Error "bmd/solid-range": "the solid of a bone is a mesh that does not exist",
        document: "id_solid is the mesh to use as the bone's solid.",
        why: "The bone has no solid then.",
        fix: "Correct the index; zero means none.";
    SOLID_OPEN = Warning "bmd/solid-open": "the solid of a bone is not closed",
        document: "Meshes used for bone solids are in BREP form: a fully enclosed volume.",
        why: "What is inside cannot be told from what is outside.",
        fix: "Close the mesh: every edge belongs to two triangles that go along it in opposite directions.";
    SOLID_CROSSING = Warning "bmd/solid-crossing": "the solid of a bone crosses itself",
        document: "Meshes used for bone solids may be non-convex, and may not intersect themselves.",
        why: "Some places are inside twice, so the volume is not that of the shape that is seen.",
        fix: "Move the vertices apart, or join the parts that overlap. Triangles that only touch are no fault.";
    SOLID_VERTICES = Warning "bmd/solid-vertices": "the solid of a bone has two vertices in one place",
        document: "If vertices are duplicated, even at the same place, the mesh is no longer in BREP form.",
        why: "Triangles that meet there are not joined, so the volume is not enclosed.",
        fix: "Weld the vertices; a solid needs no texture coordinates.";
    SOLID_BONES = Warning "bmd/solid-bones": "the vertices of a solid hang on other bones",
        document: "The entire mesh of a solid is mapped to the bone for which it is defined, or to bone 0.",
        why: "The solid is in the space of its bone, whatever its vertices say; other readers may move them.",
        fix: "Hang all vertices on the solid's own bone or on bone 0.";
    NO_BONES = Warning "bmd/no-bones": "there are animations and no bones",
        document: "Models without bones have no animations.",
        why: "Nothing can be animated; the animations are ignored.",
        fix: "Remove the animations, or add the bones.";
    FRAMES_OPEN = Error "bmd/frames-open": "the frames of an animation end too early",
        document: "Each bone that is no pseudo-bone has entries that end with a zero byte.",
        why: "The size of the frames is wrong or an entry was lost. The bones that are left do not move.",
        fix: "Correct sz_frames, or close every bone with a zero, also after a key on the last frame.";
    FRAMES_SURPLUS = Error "bmd/frames-surplus": "bytes follow the frames of the last bone",
        document: "The size of the frames is that of the entries of all bones.",
        why: "A bone is closed too early, or there are entries for bones that do not exist.",
        fix: "Correct sz_frames, or the entries.";
    FRAME_RANGE = Error "bmd/frame-range": "a key is past the last frame",
        document: "The record gives the number of frames; a key belongs to one of them.",
        why: "The engine stops there and takes what follows for the next bone. The key is left out.",
        fix: "Correct n_frames or the skips.";
    KEY_NONE = Warning "bmd/key-none": "a key has the word FFFFFFFF",
        document: "The word is a legal value, and no useful one.",
        why: "The engine takes it for no key, and its exporter writes it by mistake; it is read as none.",
        fix: "Write the animation again.";
    RATE = Info "bmd/rate": "an animation has no rate",
        document: "The rate is in quarters of a hertz.",
        why: "At no frames a second nothing moves; 10 are assumed, which the engine's exporter always writes.",
        fix: "Give the animation a rate.";
    WASTED_RANGE = Warning "bmd/wasted-range": "positions could be stored more finely",
        document: "Three 9-bit fractions share an exponent; small fractions with a large exponent waste bits.",
        why: "If the positions were rounded, a smaller exponent would have rounded them less.",
        fix: "Convert the source again with menagerie, which takes the smallest exponent that fits.";
    SATURATED = Warning "bmd/saturated": "a position is as large as it can be",
        document: "Nothing is said about the largest position. With 9-bit fractions, 5 bits of exponent and the bias of the original tools it is 131072.",
        why: "The vertex was probably farther out before it was packed.",
        fix: "Convert the source again at a smaller --scale.";
    ST_READING = Info "bmd/st-reading": "how texture coordinates of 128-bit vertices were read",
        document: "They are 14-bit values with a power of two; the oldest exporters wrote two signed 16-bit values instead, and nothing in the file tells.",
        why: "The wrong reading gives coordinates in the thousands.",
        fix: "If textures look wrong, say --bmd-st spec or --bmd-st legacy.";
    TOO_MUCH_SHARED = Error "bmd/too-much-shared": "the lists of a file share too many bytes",
        document: "Lists may overlap; nothing is said about how much.",
        why: "All lists together are more than eight times as long as the file, which no real file needs.",
        fix: "Write the model again with a sound exporter.";
    ENGINE_TRIANGLE_ROOM = Warning "bmd/engine-triangle-room": "the engine has no room for the triangles",
        document: "Nothing is said about how many triangles a mesh may have for its vertices.",
        why: "The engine makes arrays for as many triangles as there are vertices and fills them with all triangles: it writes over other memory, and triangles of other meshes move.",
        fix: "Repeat the last vertex until there are as many as triangles; --for engine does it.";
    ENGINE_STATIC_SHADING = Warning "bmd/engine-static-shading": "the engine shades vertices that do not exist",
        document: "Nothing is said about shading or the order of meshes.",
        why: "In a model without bones the engine shades every mesh with the number of vertices of the last one: it writes behind the vertices of smaller meshes.",
        fix: "Put the mesh with the fewest vertices last, or give the model one bone; --for engine does it.";
    ENGINE_PSEUDO_BONE = Warning "bmd/engine-pseudo-bone": "the engine does not blend pseudo-bones",
        document: "A pseudo-bone is where the weighted bones put it (Pseudo-Bones).",
        why: "The engine poses it like any other bone, with a parent outside its table: what hangs on it is anywhere.",
        fix: "Write ordinary bones with the blended motion as keys; --for engine does it.";
    ENGINE_BONES = Warning "bmd/engine-bones": "the engine has no room for the bones",
        document: "Bones are named by one byte.",
        why: "The engine has matrices for 64 bones and writes those of the others over other memory.",
        fix: "Remove bones, or let several joints share one; --for engine keeps 64.";
    ENGINE_NO_ANIMATION = Warning "bmd/engine-no-animation": "bones without an animation crash the engine",
        document: "A model may have bones and no animations.",
        why: "The engine poses a model with two or more bones by its first animation, and follows a null pointer where there is none.",
        fix: "Add an animation of one frame without keys; --for engine does it.";
    ENGINE_NO_FRAMES = Warning "bmd/engine-no-frames": "an animation without frames hangs the engine",
        document: "The number of frames is a byte; zero is not mentioned.",
        why: "The engine looks for a frame and never finds one.",
        fix: "Give the animation a frame.";
    ENGINE_LAST_FRAME = Warning "bmd/engine-last-frame": "a key on the last frame moves the wrong bones in the engine",
        document: "A zero byte ends the entries of each bone.",
        why: "The engine leaves a bone when its frames are used up, without reading the zero. The next bone takes that zero for its own entries, and all later bones get those of the bone before.",
        fix: "Make the animation one frame longer than its last key needs; --for engine does it.";
    ENGINE_MATERIAL = Warning "bmd/engine-material": "the engine cannot use the name of a material",
        document: "Meshes without a material are not drawn; nothing is said about the length of names.",
        why: "The engine follows a null pointer where a drawn mesh has no material, reads before names of less than 4 bytes and writes behind its buffer with more than 251.",
        fix: "Use #RRGGBB or names of 4 to 251 bytes; --for engine does it.";
    ENGINE_QUAD_COUNT = Warning "bmd/engine-quad-count": "the engine reads more triangles than there are",
        document: "Meshes of less than 1024 vertices count a quad as two triangles.",
        why: "The engine reads as many elements as the count says, a quad as one, and goes on behind the list.",
        fix: "Write triangles instead of quads.";
    ENGINE_QUAD_64 = Warning "bmd/engine-quad-64": "the engine mixes up 64-bit quads",
        document: "64-bit quads have four indices of 15 bits.",
        why: "The engine unpacks them with a mask that is too wide and crashes.",
        fix: "Write triangles instead; --for engine does it.";
    ENGINE_SCALE_KEYS = Warning "bmd/engine-scale-keys": "the engine does not scale bones",
        document: "A tag may announce a scale, from which a matrix is made.",
        why: "The engine reads scale keys and does nothing with them: the bone keeps its size.",
        fix: "Animate without scale. A rigid bone cannot stand for it.";
    ENGINE_POSE = Warning "bmd/engine-pose": "the engine poses the model differently",
        document: "Values between keys are interpolated and rotations made unit; whether a clip loops is in its rate byte.",
        why: "The engine knows whole frames only, always goes around the end, looks at no signs and packs what it mixed into 8 bits again.",
        fix: "Give every channel keys at the beginning and near the end, or on every frame; --for engine does it.";
    ENGINE_TABLES = Warning "bmd/engine-tables": "the engine has no room for the records of a table",
        document: "Meshes and bones are named by bytes in some places; tables have no stated limit.",
        why: "The engine has room for 256 meshes, bones and animations and 64 levels of detail, and writes the others over other memory.",
        fix: "Join meshes of one material.";
    ENGINE_ANIMATION_NAME = Warning "bmd/engine-animation-name": "an animation without a name crashes the engine",
        document: "Names are offsets; whether an animation may have none is not said.",
        why: "The game compares the names of all animations to find its sequences and follows a null pointer here.",
        fix: "Give every animation a name; --for engine does it.";
    ENGINE_SEQUENCES = Info "bmd/engine-sequences": "the game does not find its sequences",
        document: "Names of animations are free.",
        why: "The game plays the animations called walk, run and stand; a moving model that lacks one of them crashes when it is to be played.",
        fix: "Call the animations walk, run and stand if the model is for a creature of that game.";
}
