//! The issue codes of BOGLE.

crate::diag::code! {
    MAGIC = Error "bogle/magic": "the file does not begin with BOGLE",
        document: "The first five bytes are the signature BOGLE.",
        why: "It is another kind of file, or its beginning is damaged.",
        fix: "Check that the file is what its extension says.";
    VERSION = Error "bogle/version": "the version is not 0",
        document: "The version that is described is 0.",
        why: "Nobody knows the layout of another version.",
        fix: "Export the scene again with the add-on that writes version 0.";
    UNKNOWN_TYPE = Error "bogle/unknown-type": "a record has a type that is not known",
        document: "Cameras are of type 0 or 1, lights of type 0, 1 or 2, all others of type 0.",
        why: "What follows the type may be laid out differently, so nothing after it can be trusted; the engine stops here too.",
        fix: "Export the scene again. If the file is cut or shifted, a length before this place is wrong.";
    SHADER = Warning "bogle/shader": "a material has a shader other than 0",
        document: "The shader type is reserved and should be 0.",
        why: "The engine has shaders of its own for the sky and for its menus; they are not meant for models.",
        fix: "Write 0.";
    CAMERA_TYPE = Info "bogle/camera-type": "a camera is of the older type 1",
        document: "0 is a basic camera and 1 a first-person camera, and the exporter is said to write 1.",
        why: "The fields are the same. Exporters wrote 1 until November 2021; engines since then accept only 0, older ones only 1.",
        fix: "Set the byte to what your engine accepts. It is kept when the file is rewritten.";
    MAIN_CAMERA = Warning "bogle/main-camera": "not exactly one camera is the main camera",
        document: "There may be many cameras, but only one can have the main camera flag.",
        why: "Without one the engine has nothing to look through; with several the last one in the tree wins.",
        fix: "Set the flag of one camera. The exporter sets none when the active camera shares its data with another object.";
    TRAILING_BYTES = Error "bogle/trailing-bytes": "bytes follow the scene tree",
        document: "The scene tree is the last part of the file, and a zero ends it.",
        why: "The engine refuses the file. Conversions ignore the bytes; rewriting keeps them.",
        fix: "Write the file again with --rebuild to drop them.";
    NAME_NUL = Warning "bogle/name-nul": "a name contains a zero byte",
        document: "A name has as many bytes as its length says.",
        why: "The engine ends the name at the zero, so it is not found by its full name.",
        fix: "Rename the element.";
    NAME_NOT_UTF8 = Info "bogle/name-not-utf8": "a name is not UTF-8",
        document: "Names are bytes in no stated encoding; the exporter writes ASCII.",
        why: "It is read as Windows-1252; the bytes are kept.",
        fix: "Nothing has to be done if the name looks right.";
    NAME_NOT_ASCII = Warning "bogle/name-not-ascii": "a name is not ASCII",
        document: "Names are bytes in no stated encoding; the exporter writes ASCII and fails on anything else.",
        why: "It is reported because --bogle-ascii yes asks for it.",
        fix: "Rename the element, or leave the option out.";
    INDEX_COUNT = Error "bogle/index-count": "the number of indices is not a multiple of three",
        document: "It is not said; everything the exporter writes is triangles.",
        why: "The last triangle is not complete; conversions leave it out.",
        fix: "Remove the surplus indices, or add what is missing.";
    INDEX_RANGE = Error "bogle/index-range": "a triangle names a vertex that does not exist",
        document: "Indices count the vertices of their geometry from zero.",
        why: "The engine does not check and hands it to the graphics card. Conversions leave the triangle out.",
        fix: "Correct the index, or remove the triangle.";
    BONE_INDEX = Error "bogle/bone-index": "a bone index is not a whole number",
        document: "Bone indices are integers; the exporter and the engine use floats that hold integers.",
        why: "There is no such bone. Conversions leave out the weight that goes with it.",
        fix: "Correct the index.";
    BONE_ENCODING = Error "bogle/bone-encoding": "bone indices are stored as floats and as integers in one geometry",
        document: "Bone indices are 32-bit integers; the exporter and the engine use floats instead.",
        why: "Files of either kind exist, told apart by their bits, but one geometry has one kind. The indices of the other kind are left out of conversions.",
        fix: "Write the geometry again with --rebuild and, if integers are wanted, --bogle-bone-index u32.";
    BONE_RANGE = Warning "bogle/bone-range": "a vertex hangs on a bone that its skeleton does not have",
        document: "The indices match the bones of the skeleton.",
        why: "The exporter counts the mesh's vertex groups and not the armature's bones, so they differ when a group has no bone. Conversions leave such a vertex with its object.",
        fix: "Give the mesh a vertex group for every bone and for nothing else, and export again.";
    NEGATIVE_WEIGHT = Warning "bogle/negative-weight": "a weight is below zero",
        document: "Nothing is said about the range of weights.",
        why: "A bone cannot push away what hangs on it; conversions use zero.",
        fix: "Correct the weight.";
    BONE_PARENT = Error "bogle/bone-parent": "a bone's parent does not exist",
        document: "The parent index is zero for none, else one for the first bone and so on.",
        why: "The bone hangs on nothing; conversions make it a root.",
        fix: "Correct the index.";
    BONE_CYCLE = Error "bogle/bone-cycle": "a bone is its own ancestor",
        document: "Bones form a skeleton below one or more roots.",
        why: "The engine never comes to an end with such a skeleton. Conversions make one bone of the circle a root.",
        fix: "Correct the parents.";
    BONE_LIMIT = Warning "bogle/bone-limit": "a skeleton has more bones than the engine draws",
        document: "The format has no limit.",
        why: "The engine's shader has room for 256 bones.",
        fix: "Use fewer bones.";
    KEY_ORDER = Error "bogle/key-order": "keyframes are not ordered by time",
        document: "All keyframes must be ordered by timestamp.",
        why: "The engine finds the wrong keys. Conversions sort them.",
        fix: "Sort the keyframes, or write the file again with --rebuild.";
    KEY_EQUAL = Warning "bogle/key-equal": "two keyframes have the same time",
        document: "Keyframes are ordered by timestamp; equal times are not excluded.",
        why: "The engine divides by the difference. Conversions move the later one by the least amount.",
        fix: "Remove one of them.";
    ROTATION = Warning "bogle/rotation": "a rotation has no length",
        document: "Rotations are normalised quaternions.",
        why: "It is no rotation; it is read as none.",
        fix: "Write (0, 0, 0, 1) for no rotation.";
    ROTATION_LENGTH = Info "bogle/rotation-length": "a rotation is not normalised",
        document: "Rotations are normalised quaternions.",
        why: "The exporter samples the four curves of a rotation one by one, so keys between two others come out short. Conversions normalise them.",
        fix: "Nothing has to be done.";
    SKELETON_TRANSFORM = Warning "bogle/skeleton-transform": "a skeleton's transform cannot be inverted",
        document: "It is the transform of the skeleton relative to its object.",
        why: "Vertices cannot be brought into the space of the bones; conversions leave the mesh unskinned.",
        fix: "Give the armature and the mesh scales that are not zero.";
    MATRIX = Warning "bogle/matrix": "a matrix is not that of a place",
        document: "Matrices have sixteen floats, column by column.",
        why: "Its last row is not 0 0 0 1. Conversions use that row instead.",
        fix: "Correct the matrix.";
    NORMAL_AND_BUMP = Error "bogle/normal-and-bump": "a material has both a normal and a bump texture",
        document: "Normal and bump textures are mutually exclusive.",
        why: "The engine uses the normal texture.",
        fix: "Remove one of them.";
    LIGHT_LIMIT = Warning "bogle/light-limit": "there are more lights than the engine draws",
        document: "The format has no limit.",
        why: "The engine's shader has room for 20 lights, and the exporter refuses more.",
        fix: "Use fewer lights.";
    COMPONENT = Error "bogle/component": "an instance names something that does not exist",
        document: "Cameras, geometries, materials, lights and animation collections are counted from one; zero is none.",
        why: "The engine stops. Conversions go on without it.",
        fix: "Correct the index.";
    NO_MATERIAL = Error "bogle/no-material": "an instance has a geometry and no material",
        document: "All objects with a geometry must have a material, otherwise crashes may occur.",
        why: "The engine crashes. Conversions use a default material.",
        fix: "Give the object a material.";
    MATERIAL_COPIES = Warning "bogle/material-copies": "a geometry is shown with too many materials",
        document: "Each instance has a geometry and a material of its own.",
        why: "Other formats bind the material to the mesh, which has to be copied for each. These copies would be out of proportion to the file, so further instances share a copy and its material.",
        fix: "Use fewer materials for this geometry.";
    SKELETON_COPIES = Warning "bogle/skeleton-copies": "an animation collection is used by too many instances",
        document: "Each collection is associated to one or more objects.",
        why: "Other formats have bones in the tree, which have to be copied for each object. These copies would be out of proportion to the file, so further instances stay at rest.",
        fix: "Use the collection for fewer objects.";
    NORMAL_LENGTH = Info "bogle/normal-length": "normals or tangents are not of unit length",
        document: "Nothing is said about their length.",
        why: "Conversions normalise them, and give those without a length some direction.",
        fix: "Nothing has to be done.";
    TREE_CHARACTER = Error "bogle/tree-character": "the scene tree contains something that does not belong there",
        document: "The scene tree consists of numbers and braces; spaces are ignored.",
        why: "The engine stops here. It is not known what was meant.",
        fix: "Correct the text.";
    TREE_NUMBER = Error "bogle/tree-number": "the scene tree names an instance that does not exist",
        document: "The numbers of the tree count the instances from zero.",
        why: "The engine stops here.",
        fix: "Correct the number.";
    TREE_CLOSING = Error "bogle/tree-closing": "the scene tree closes a brace that was never opened",
        document: "A brace goes down a level, a closing brace goes up again.",
        why: "There is no level above the root; the engine stops here.",
        fix: "Remove the brace, or add the opening one.";
    TREE_DEPTH = Error "bogle/tree-depth": "the scene tree is too deep",
        document: "There are at most 256 levels.",
        why: "The engine has room for 256 and stops.",
        fix: "Make the tree shallower. The exporter does not check this.";
    TREE_NOT_TERMINATED = Error "bogle/tree-not-terminated": "the scene tree does not end with a zero byte",
        document: "A 0 character marks the end of the tree.",
        why: "The file was probably cut off: an export that fails leaves such files behind.",
        fix: "Export the scene again.";
    TREE_UNCLOSED = Error "bogle/tree-unclosed": "braces of the scene tree are not closed",
        document: "A brace goes down a level, a closing brace goes up again.",
        why: "The engine accepts it, and so do conversions.",
        fix: "Add the closing braces.";
    TREE_BRACE = Error "bogle/tree-brace": "a brace of the scene tree follows no number",
        document: "You are always in a node that has been defined.",
        why: "It is not said which node is meant. The engine enters the one that was defined last, and so do conversions.",
        fix: "Remove the brace, or write the number before it.";
    TREE_REOPENED = Error "bogle/tree-reopened": "the scene tree opens a node again that has children already",
        document: "An empty group may precede another in the document's example; one after a group with children is not shown.",
        why: "By the braces the new children belong to the node; the engine hangs them below the last node that was defined, and so do conversions.",
        fix: "Put all children of a node into one group.";
    TREE_REPEATED = Error "bogle/tree-repeated": "an instance is in the scene tree more than once",
        document: "Nothing is said about it.",
        why: "The exporter does this with collection instances whose objects have the same name. The engine draws it in every place, and so do conversions; some object is probably missing instead.",
        fix: "Give the objects different names and export again.";
    TREE_MISSING = Error "bogle/tree-missing": "an instance is not in the scene tree",
        document: "Nothing is said about it.",
        why: "The engine never draws it. The exporter leaves objects out that have the name of another.",
        fix: "Give the objects different names and export again.";
    TREE_CYCLE = Error "bogle/tree-cycle": "an instance is inside itself",
        document: "The scene is a tree.",
        why: "The engine follows the circle until it crashes. Conversions leave out the inner one.",
        fix: "Correct the tree.";
    ENGINE_BONE_ORDER = Warning "bogle/engine-bone-order": "the engine loses bones of this skeleton",
        document: "The parent of a bone is any bone of the skeleton; nothing is said about their order.",
        why: "The engine orders bones by going over the table again and again. Where children come before their parents it takes some twice and never computes others: what hangs on them lies wherever memory says. Without any root it never returns.",
        fix: "Write the file again with --rebuild --for engine, which puts parents first.";
    ENGINE_POSE = Warning "bogle/engine-pose": "the engine poses this animation otherwise than the document says",
        document: "A key's rotation is that of the bone; the document does not say about which point. The exporter means the bone's own place, as Blender does.",
        why: "The engine turns a bone about the place of its parent and adds the root's offset without turning it, so limbs crumple. Keys that are no unit quaternions are off as well.",
        fix: "Write the file again with --rebuild --for engine: two bones a joint, one to place and one to turn, are right in both readings.";
    ENGINE_KEY_TIME = Warning "bogle/engine-key-time": "the engine does not show all of this animation",
        document: "Keyframes are ordered by timestamp; nothing is said about the time before the first.",
        why: "The engine's time begins at zero, and before the first key it shows whatever was drawn last. An animation of one key shows the bind pose.",
        fix: "Write the file again with --rebuild --for engine, which repeats the first pose at time zero.";
    ENGINE_BONE_INDEX = Warning "bogle/engine-bone-index": "the engine takes these bone indices for bone 0",
        document: "Bone indices are 32-bit integers.",
        why: "The engine reads them as floats; as a float, a small whole number is nearly zero.",
        fix: "Write the file again with --rebuild --bogle-bone-index f32.";
    ENGINE_MIRRORED = Warning "bogle/engine-mirrored": "the engine shows this object inside out",
        document: "Nothing is said about mirrored matrices.",
        why: "The engine leaves out back faces and never looks whether a matrix mirrors, so it draws the far side.",
        fix: "Apply the scale in Blender, or write the file again with --rebuild --for engine, which mirrors the mesh instead.";
    ENGINE_CAMERA = Warning "bogle/engine-camera": "the engine has no camera to draw through",
        document: "There may be many cameras, and one has the main camera flag.",
        why: "Drawing a scene whose tree has no main camera is a crash, unless the program brings one along.",
        fix: "Add a camera to the scene and make it active, or write the file again with --rebuild --for engine.";
    ENGINE_DARK = Info "bogle/engine-dark": "nothing lights this scene in the engine",
        document: "The ambient colour is added when shading; lights are instances.",
        why: "Without lights and with a black ambient colour the engine draws everything black that does not glow.",
        fix: "Give the world a colour, or add a light.";
    SHOWN_GEOMETRY = Info "bogle/shown-geometry": "what nothing shows any more was put into the scene",
        document: "Instances show geometries, and the tree says which instances there are.",
        why: "The file is cut off, and what showed it was in the part that is gone. It is shown where its own matrix has it, or at the origin.",
        fix: "Get the file again from where it came.";
    UNUSED = Info "bogle/unused": "no instance uses this record",
        document: "Geometries, materials and lights should each be assigned to one or more objects.",
        why: "It takes space and is never shown.",
        fix: "Remove it, if it is not meant to be used by name.";
}
