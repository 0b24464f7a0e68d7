//! The issue codes of BO3D.

crate::diag::code! {
    MAGIC = Error "bo3d/magic": "the file does not begin with BO3D",
        document: "The header begins with a magic number, which the later revision gives as the bytes BO3D.",
        why: "It is another kind of file, or its beginning is damaged.",
        fix: "Check that the file is what its extension says.";
    VERSION_NEWER = Error "bo3d/version-newer": "the version is newer than 100",
        document: "The version of the format that the document describes is 100; what others mean is up to the implementation.",
        why: "Nobody knows the layout of a later version; the engine refuses it as well.",
        fix: "Get the file in version 100.";
    VERSION_OLDER = Warning "bo3d/version-older": "the version is older than 100",
        document: "The version of the format that the document describes is 100.",
        why: "The engine reads it as if it were 100, and so does menagerie; no older version is known.",
        fix: "Set the version to 100 if the model looks right.";
    VFLOAT_WIDTH = Error "bo3d/vfloat-width": "vertex floats are neither 16 nor 32 bits wide",
        document: "A reader must support 16-bit and 32-bit floats; no other width is defined.",
        why: "The size of a vertex is unknown, so nothing after the first mesh can be found.",
        fix: "Correct the field at byte 16 if the rest of the file is sound.";
    SIZE_TOO_SMALL = Error "bo3d/size-too-small": "an entity's size is smaller than its header",
        document: "The size of a definition includes its header. That of a pivot is said to end after 60 bytes, yet the number of vertices is at 60; the original tools have 64 bytes, 92 for a mesh.",
        why: "The place of the next entity cannot be known.",
        fix: "Write the model again with a sound exporter. A mesh node without vertices, written by the original converter, looks like this.";
    SIZE_PAST_END = Error "bo3d/size-past-end": "an entity reaches past the end of the file",
        document: "Each definition begins where the one before it ends, and all lie in the file.",
        why: "The file was cut off, or the size is wrong.",
        fix: "Get the file again from where it came.";
    LIST_PAST_DEFINITION = Error "bo3d/list-past-definition": "an entity's lists are longer than its size says",
        document: "If the lengths of the lists and the header exceed the size of the definition, the definition is corrupt.",
        why: "Data of the next entity would be read as vertices or keys of this one.",
        fix: "Compare the entity's counts with its size, by inspect; one of them is wrong.";
    ENTITY_LIST_LENGTH = Warning "bo3d/entity-list-length": "the length of the entity list is not what the header says",
        document: "The header gives the byte length of the entity list, without the header itself.",
        why: "The engine ignores the field; another reader may allocate by it and fail.",
        fix: "Write the file again with --rebuild.";
    TRAILING_BYTES = Warning "bo3d/trailing-bytes": "bytes follow the last entity",
        document: "From offset 20 on, the file is the list of entities.",
        why: "Nothing reads them. They are kept when the file is rewritten.",
        fix: "Write the file again with --rebuild to drop them.";
    SURPLUS_BYTES = Warning "bo3d/surplus-bytes": "an entity has bytes after its last list",
        document: "Only sizes that are too small are called corrupt; larger ones are not mentioned.",
        why: "Readers skip them by the size. They are kept when the file is rewritten.",
        fix: "Write the file again with --rebuild to drop them.";
    UNALIGNED_SIZE = Warning "bo3d/unaligned-size": "an entity's size is not a multiple of four",
        document: "Every list is padded to the word size, so a sound definition's size is a multiple of four.",
        why: "The engine rounds up to find the next entity; another reader may not.",
        fix: "Write the file again with --rebuild.";
    PADDING_NOT_ZERO = Info "bo3d/padding-not-zero": "padding holds something else than zeros",
        document: "Lists are padded; with what is not said.",
        why: "Nothing reads it. It is kept when the file is rewritten.",
        fix: "Nothing has to be done.";
    PARENT = Warning "bo3d/parent": "the parent is not an earlier entity",
        document: "The parent is the index of a definition, or -1.",
        why: "The engine hangs such an entity on the first one, and so does menagerie.",
        fix: "Order the entities so that parents come first, or write -1.";
    ROOT_PARENT = Warning "bo3d/root-parent": "the first entity has a parent",
        document: "The first entity is the root of the model.",
        why: "A root has no parent; the field is ignored.",
        fix: "Write -1.";
    BONE_ENTITY_RANGE = Error "bo3d/bone-entity-range": "a bone is an entity that does not exist",
        document: "A bone's first field is an index into the file's entity list.",
        why: "The engine reads past its list. Conversions leave the bone out; its vertices stay with the mesh.",
        fix: "Correct the index, or remove the bone.";
    BONE_VERTEX_RANGE = Error "bo3d/bone-vertex-range": "a bone holds vertices that do not exist",
        document: "A bone affects the vertices from the first to the last, both included.",
        why: "The engine moves memory that is not the mesh's. Conversions use the part of the range that exists.",
        fix: "Correct the range; a bone without vertices has a last that is one below its first.";
    BONE_OVERLAP = Warning "bo3d/bone-overlap": "two bones hold the same vertex",
        document: "Vertices are not shared between bones.",
        why: "The engine lets the later bone win, and so does menagerie.",
        fix: "Make the ranges disjoint.";
    TRIANGLE_INDEX = Error "bo3d/triangle-index": "a triangle names a vertex that does not exist",
        document: "A triangle has the indices of three of the mesh's vertices.",
        why: "The engine reads past the vertices. Conversions leave the triangle out.",
        fix: "Correct the index, or remove the triangle.";
    COLOUR_COUNT = Warning "bo3d/colour-count": "there are not as many colours as vertices",
        document: "The number of vertex colours should be that of the vertices, or zero.",
        why: "The engine ignores the list then, and so does menagerie.",
        fix: "Give every vertex a colour, or none.";
    NO_TRIANGLES = Info "bo3d/no-triangles": "a mesh has no triangles",
        document: "The number of triangles may be zero.",
        why: "There is nothing to draw.",
        fix: "Nothing has to be done, if it is meant so.";
    DUPLICATE_NAME = Warning "bo3d/duplicate-name": "two entities have the same name",
        document: "Nothing is said about names being unique.",
        why: "The engine finds the entities of an animation by name and takes the first.",
        fix: "Give the entities different names.";
    NAME_NOT_UTF8 = Info "bo3d/name-not-utf8": "a name is not UTF-8",
        document: "The format of character data is not specified.",
        why: "It is read as Windows-1252, which the original tools used; the bytes are kept.",
        fix: "Nothing has to be done if the name looks right.";
    KEY_ORDER = Warning "bo3d/key-order": "keyframes are not in the order of their frames",
        document: "Nothing is said about their order.",
        why: "The engine relies on rising frames. Conversions sort them, and the last of equal ones wins.",
        fix: "Write the file again with --rebuild.";
    ANIMATION_LENGTH = Warning "bo3d/animation-length": "the animation length is below zero",
        document: "The length of the animation is zero for none.",
        why: "It is read as none.",
        fix: "Write zero or the number of frames.";
    ROTATION = Warning "bo3d/rotation": "a rotation has no length",
        document: "Rotations are quaternions.",
        why: "It is no rotation; it is read as none.",
        fix: "Write (1, 0, 0, 0) for no rotation.";
    UNKNOWN_FX = Warning "bo3d/unknown-fx": "FX flags that the engine does not know are set",
        document: "The flags are not listed; the engine knows 1, 2, 4, 8, 16, 32, 128, 256 and 1024.",
        why: "They do nothing. They are kept when the file is rewritten and through glTF.",
        fix: "Clear them.";
    FRAME_RATE = Info "bo3d/frame-rate": "the frame rate was assumed",
        document: "The format stores frame numbers, not times.",
        why: "The speed of the animation is a guess: 12 frames a second, as in the engine's demo, unless --fps says otherwise.",
        fix: "Give the rate with --fps if you know it.";
    SHEAR = Warning "bo3d/shear": "an animated entity is below one that is stretched",
        document: "Nothing is said about how scales pass down the tree; the engine multiplies them without shear.",
        why: "Node trees elsewhere multiply matrices, which shears: the pose differs slightly during the animation.",
        fix: "Apply non-uniform scales in the source.";
    SINGULAR_BONE = Warning "bo3d/singular-bone": "a bone has a scale of zero",
        document: "Nothing is said about it.",
        why: "Vertices cannot be brought into its space and back; they stay with the mesh.",
        fix: "Give the bone a scale.";
    ENGINE_KEY_NAME = Warning "bo3d/engine-key-name": "the engine gives the keys to another entity",
        document: "Keyframes belong to the entity whose definition holds them; names are free.",
        why: "The animation module finds the entity of each key list by its name: the first below the root that has it. Empty and repeated names send keys astray.",
        fix: "Give every animated entity a name of its own; --for engine does it.";
    ENGINE_ROOT_KEYS = Warning "bo3d/engine-root-keys": "the engine does not animate the first entity",
        document: "The first entity is the root; nothing forbids it to have keyframes.",
        why: "The animation module looks for names below the root, so keys of the root itself reach a null object.",
        fix: "Put a pivot without keys above it; --for engine does it.";
    ENGINE_LENGTH = Warning "bo3d/engine-length": "the engine does not play the animation to its end",
        document: "The length of an animation is zero for none.",
        why: "The bind pose is put before the keys. If the length has no room for it, the engine takes a number of bytes for the length and holds the last pose for long; and a clip is played up to one frame before its length.",
        fix: "Write a length above the last frame and above the number of keys; --for engine does it.";
    ENGINE_SIGNS = Warning "bo3d/engine-signs": "the engine turns the long way between two keys",
        document: "Rotations are quaternions, of which both signs mean the same.",
        why: "The engine goes straight between the numbers of two keys and does not look at signs: limbs fold on the way.",
        fix: "Give each rotation the sign that is nearer to the one before; --for engine does it.";
    ENGINE_PARENT_SCALE = Warning "bo3d/engine-parent-scale": "the engine counts the scale of a parent twice",
        document: "Nothing is said about how scales pass down the tree.",
        why: "The place of a child is multiplied by its parent's own scale twice, so it is elsewhere.",
        fix: "Put the scale into the vertices and into the places of children; --for engine does it.";
    ENGINE_FIRST_KEY = Warning "bo3d/engine-first-key": "the engine blends in from the bind pose",
        document: "Nothing is said about frames before the first key.",
        why: "The bind pose is a key at frame -1 in the engine, and until the first key the entity is between the two.",
        fix: "Write a key at frame 0; --for engine does it.";
    ENGINE_FACING = Warning "bo3d/engine-facing": "the engine shows a mirrored mesh from inside",
        document: "Scales may be negative; which side of a triangle is seen is not said.",
        why: "The engine culls back faces and never switches the winding, so a negative product of scales shows the inner side.",
        fix: "Mirror the vertices and turn the triangles round instead; --for engine does it.";
    ENGINE_POSE = Warning "bo3d/engine-pose": "the engine poses the model differently",
        document: "Local positions, scales and rotations give the place of each entity.",
        why: "Scales of parents, signs of rotations, names and frames before the first key are treated otherwise in the engine; what that does to the model was measured.",
        fix: "Look at the other issues of the engine in this file; --for engine mends them.";
}
