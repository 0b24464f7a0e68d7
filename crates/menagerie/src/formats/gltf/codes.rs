//! The issue codes of glTF.

crate::diag::code! {
    GLB_VERSION = Error "gltf/glb-version": "the GLB container is of an unknown version",
        document: "The second word of the header is the version of the container format, 2.",
        why: "The layout of another version is not known; version 1 belongs to glTF 1.0.",
        fix: "Export the model again as glTF 2.0.";
    GLB_LENGTH = Error "gltf/glb-length": "the length in the GLB header is not that of the file",
        document: "The third word of the header is the length of the whole file.",
        why: "The file was cut off, or something was added to it.",
        fix: "Get the file again from where it came, or write it again with --rebuild.";
    GLB_CHUNK = Error "gltf/glb-chunk": "a chunk reaches past the end of the file",
        document: "A chunk has as many bytes as its first word says.",
        why: "The file was cut off, or the length is wrong. What is there of the chunk is used.",
        fix: "Get the file again from where it came.";
    GLB_PADDING = Error "gltf/glb-padding": "a chunk's length is no multiple of four",
        document: "Chunks begin and end at multiples of four bytes; JSON is filled up with spaces, data with zeros.",
        why: "Readers that need aligned data refuse the file.",
        fix: "Write the file again with --rebuild.";
    GLB_JSON = Error "gltf/glb-json": "the GLB does not begin with JSON",
        document: "The first chunk is the structured content, of the type JSON.",
        why: "Without it nothing is known about the rest.",
        fix: "Get the file again from where it came.";
    GLB_CHUNK_ORDER = Warning "gltf/glb-chunk-order": "a chunk of JSON or data is not where it belongs",
        document: "JSON is the first chunk and data the second; there is one of each at most.",
        why: "It is ignored, and kept only when the file is written back as it is.",
        fix: "Write the file again with --rebuild.";
    GLB_UNKNOWN_CHUNK = Info "gltf/glb-unknown-chunk": "a chunk is of an unknown type",
        document: "Readers ignore chunks whose type they do not know.",
        why: "It is kept only when the file is written back as it is.",
        fix: "Nothing has to be done.";
    TRAILING = Warning "gltf/trailing-bytes": "bytes follow the last chunk",
        document: "The file ends with its last chunk.",
        why: "Nothing reads them.",
        fix: "Write the file again with --rebuild.";
    JSON_SYNTAX = Error "gltf/json-syntax": "the JSON cannot be parsed",
        document: "The content is JSON in UTF-8.",
        why: "Nothing of the file can be read.",
        fix: "Look at the place that the message names; files that were edited by hand often lack a comma there.";
    JSON_DEPTH = Error "gltf/json-depth": "the JSON is nested too deeply",
        document: "The limit is menagerie's own; a sound file needs a dozen levels.",
        why: "Such files are broken or made to do harm.",
        fix: "If extras are nested that deeply on purpose, flatten them.";
    JSON_SHAPE = Error "gltf/json-shape": "an element of the JSON is not of the type that the format asks for",
        document: "The schema says for every property whether it is a number, a text, a list or an object, and which must be there.",
        why: "Its meaning can only be guessed, so the file is refused.",
        fix: "Correct the element, or export the model again.";
    VERSION = Error "gltf/version": "the file is not glTF 2.0",
        document: "The property asset.version names the version that the file is for, asset.minVersion the least that a reader must know.",
        why: "Version 1 is a different format, and later ones are not known.",
        fix: "Convert the file to glTF 2.0 with the tool that wrote it.";
    EXTENSION_REQUIRED = Error "gltf/extension-required": "the file needs an extension that menagerie does not understand",
        document: "A reader must refuse a file whose extensionsRequired names an extension that it does not support.",
        why: "Without it the model would be wrong: compressed meshes would be missing, for example.",
        fix: "Export the model without this extension; for KHR_draco_mesh_compression, turn off mesh compression. Written back as glTF, the file stays as it is.";
    EXTENSION_UNDECLARED = Error "gltf/extension-undeclared": "an extension is used and not declared",
        document: "All extensions that a file uses are listed in extensionsUsed, and those in extensionsRequired are among them.",
        why: "Programs that look at the list alone will not be prepared for it.",
        fix: "Write the file again with --rebuild.";
    EXTENSION_LOST = Warning "gltf/extension-lost": "an extension refers to data in a way that a conversion cannot carry",
        document: "Extensions may add references of their own to any list of the file.",
        why: "A rebuilt file numbers its accessors and buffer views anew, so these references would point to something else. They are left out.",
        fix: "Convert without --rebuild, or apply the extension with the tool that knows it.";
    EXTENSION_SHAPE = Warning "gltf/extension-shape": "an extension's content is not understood",
        document: "Each extension has a schema of its own.",
        why: "It is carried along as it is, and has no effect.",
        fix: "Correct it where the model was made.";
    DECOMPRESSED = Info "gltf/decompressed": "compressed data was unpacked",
        document: "EXT_meshopt_compression packs buffer views; the unpacked bytes are exactly defined.",
        why: "Conversions write the data unpacked, so the file grows.",
        fix: "Compress the result again with a tool of your choice, if its size matters.";
    UNKNOWN_PROPERTY = Warning "gltf/unknown-property": "a property is not part of the format",
        document: "Data of an application's own belongs into extras or an extension.",
        why: "Nobody knows what it means. It is kept when the file is written back as it is, and left out otherwise.",
        fix: "Correct the spelling, or move it into extras.";
    BUFFER_MISSING = Error "gltf/buffer-missing": "the bytes of a buffer cannot be had",
        document: "A buffer's bytes are in a file that its uri names, in the uri itself, or in the second chunk of a GLB.",
        why: "All geometry and animation in it is missing.",
        fix: "Put the file that it names beside the model.";
    BUFFER_SHORT = Error "gltf/buffer-short": "a buffer has fewer bytes than it says",
        document: "A buffer has at least as many bytes as its byteLength.",
        why: "What lies past the end is missing. What is there is used.",
        fix: "Get the file again from where it came.";
    VIEW_RANGE = Error "gltf/view-range": "a buffer view does not lie in its buffer",
        document: "byteOffset and byteLength of a view stay within its buffer.",
        why: "Everything in the view is missing.",
        fix: "Correct the offset or the length.";
    ACCESSOR_TYPE = Error "gltf/accessor-type": "an accessor is of an unknown or unsuitable type",
        document: "Component types are 5120 to 5123, 5125 and 5126; element types are SCALAR to MAT4; each use allows some of them.",
        why: "The data cannot be read as what it is used for.",
        fix: "Correct the type, or export the model again.";
    ACCESSOR_RANGE = Error "gltf/accessor-range": "an accessor does not lie in its buffer view",
        document: "All elements of an accessor lie within its buffer view.",
        why: "A reader that believes it reads something else's bytes, or past the end. The data is left out.",
        fix: "Correct count, byteOffset or the view's byteLength.";
    ACCESSOR_ALIGNMENT = Error "gltf/accessor-alignment": "an accessor does not begin at a multiple of its component's size",
        document: "The offset of an accessor in its view and in its buffer is a multiple of the size of its component type.",
        why: "Many graphics cards and languages cannot read such data in place.",
        fix: "Write the file again with --rebuild.";
    ACCESSOR_BOUNDS = Error "gltf/accessor-bounds": "the bounds of an accessor are missing or wrong",
        document: "min and max hold the smallest and largest value of each component; positions and times of keys must have them.",
        why: "Programs that rely on them cull what should be seen, or cut an animation off.",
        fix: "Write the file again with --rebuild.";
    SPARSE = Error "gltf/sparse": "a sparse accessor is wrong",
        document: "Its indices rise, lie within the accessor, and there is a value for each.",
        why: "The data is left out.",
        fix: "Export the model again.";
    MESHOPT = Error "gltf/meshopt": "compressed data cannot be unpacked",
        document: "EXT_meshopt_compression defines three ways of packing and three filters.",
        why: "The data in this view is missing.",
        fix: "Get the file again from where it came.";
    REFERENCE = Error "gltf/reference": "an index refers to something that does not exist",
        document: "Elements refer to each other by their index in the lists of the file.",
        why: "A reader that believes it crashes, or shows something else. The reference is left out.",
        fix: "Correct the index.";
    NODE_TREE = Error "gltf/node-tree": "the nodes do not form trees",
        document: "A node has one parent at most and is not its own ancestor; the roots of scenes have no parent.",
        why: "A reader that follows the children may never come to an end. The later of two links is left out.",
        fix: "Correct the children.";
    NODE_TRANSFORM = Error "gltf/node-transform": "a node's transform is not allowed",
        document: "A node has a matrix or translation, rotation and scale, not both; rotations are unit quaternions; animated nodes have no matrix.",
        why: "Programs differ in what they make of it.",
        fix: "Correct it where the model was made.";
    PRIMITIVE = Error "gltf/primitive": "a primitive cannot be drawn as it is",
        document: "All attributes of a primitive have the same number of elements, positions are vectors of three, and the mode is 0 to 6.",
        why: "The part that does not fit is left out.",
        fix: "Correct it where the model was made.";
    INDEX_RANGE = Error "gltf/index-range": "an index names a vertex that does not exist",
        document: "Indices are below the number of vertices, and not the largest value of their type.",
        why: "A reader that believes it reads past the vertices. The triangle, line or point is left out.",
        fix: "Correct the indices.";
    INDEX_COUNT = Warning "gltf/index-count": "the number of indices does not fit what is drawn",
        document: "Triangles take three indices each, lines two.",
        why: "The left-over ones are ignored.",
        fix: "Correct the count.";
    NOT_FINITE = Error "gltf/not-finite": "a number is infinite or not a number",
        document: "Such values must not be in the data.",
        why: "One of them makes bounds and pictures of the whole model meaningless. Zero is used in its place.",
        fix: "Correct it where the model was made.";
    UNIT_LENGTH = Error "gltf/unit-length": "a normal, tangent or rotation is not of unit length",
        document: "Normals, tangents and rotations have the length one, and the fourth component of a tangent is 1 or -1.",
        why: "Lighting and poses come out wrong in programs that rely on it. It is normalised in conversions.",
        fix: "Write the file again with --rebuild.";
    WEIGHTS = Error "gltf/weights": "the weights of a vertex are wrong",
        document: "Weights are not negative, sum to one, and no joint appears twice in a vertex.",
        why: "The mesh is torn or inflated in programs that rely on it. Conversions normalise the weights.",
        fix: "Write the file again with --rebuild.";
    JOINT_RANGE = Error "gltf/joint-range": "a vertex hangs on a joint that does not exist",
        document: "Joints are positions in the skin's list.",
        why: "A reader that believes it reads past the joints. Conversions leave the skin of the node out.",
        fix: "Correct the joints.";
    SKIN = Error "gltf/skin": "a skin is wrong",
        document: "A skin has joints, an inverse bind matrix for each where it has any, and no joint twice.",
        why: "The part that does not fit is left out.",
        fix: "Correct it where the model was made.";
    MORPH = Error "gltf/morph": "morph targets do not fit",
        document: "All primitives of a mesh have the same number of morph targets, and weights are as many.",
        why: "The part that does not fit is left out.",
        fix: "Correct it where the model was made.";
    ANIMATION = Error "gltf/animation": "an animation channel cannot be used",
        document: "A channel names a sampler; the times rise and are not negative; there is one value for each time, three with CUBICSPLINE.",
        why: "The part that does not fit is left out.",
        fix: "Correct it where the model was made.";
    MATERIAL = Warning "gltf/material": "a material or texture has a value that is not allowed",
        document: "Factors lie between 0 and 1, and modes, filters and wraps are among the listed ones.",
        why: "The nearest value, or the default, is used.",
        fix: "Correct it where the model was made.";
    CAMERA = Error "gltf/camera": "a camera or light is not complete",
        document: "A camera is perspective or orthographic and has the fields of its kind; a light is directional, a point or a spot.",
        why: "A default is used in its place.",
        fix: "Correct it where the model was made.";
    IMAGE = Error "gltf/image": "a picture cannot be had",
        document: "A picture is in a file that its uri names, in the uri itself, or in a buffer view.",
        why: "Surfaces with it are plain.",
        fix: "Correct the picture's uri or buffer view.";
    UV_SETS = Warning "gltf/uv-sets": "vertex attributes are numbered with gaps, or there are too many",
        document: "Sets of the same attribute are numbered from zero without gap.",
        why: "Sets after the gap, and texture coordinates after the eighth, are left out.",
        fix: "Number the sets from zero.";
    INSTANCING = Error "gltf/instancing": "a table of instances cannot be used",
        document: "EXT_mesh_gpu_instancing gives a node's mesh a list of places: attributes of equal length, translations and scales of three numbers, rotations of four.",
        why: "The mesh is shown once, at the node itself.",
        fix: "Correct it where the model was made.";
    NOTES = Warning "gltf/notes": "what menagerie noted in the extras does not fit the file",
        document: "What glTF has no place for is noted under the key menagerie, so that it comes back.",
        why: "The notes would give a broken model, so none of them is used. The rest of the file is read as it is.",
        fix: "Write the file again from its source, or with --rebuild.";
    LOD = Warning "gltf/lod": "a level of detail hangs somewhere else too",
        document: "The nodes that MSFT_lod names stand in for a node, and are in no scene of their own.",
        why: "It is shown all the time. The extension is carried along as it is.",
        fix: "Take the node out of the scene.";
}
