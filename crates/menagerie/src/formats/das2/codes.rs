//! The issue codes of das2.

crate::diag::code! {
    MAGIC = Error "das2/magic": "the file does not begin with das2",
        document: "The header begins with the 64-bit number 0x32736164, which is the bytes das2 and four zeros.",
        why: "It is another kind of file, or its beginning is damaged.",
        fix: "Check that the file is what its extension says.";
    LEVEL = Error "das2/level": "the compression level is above 9",
        document: "The level is a number from 0 to 9.",
        why: "It is unknown how the body is packed. Only files of the format's own library have other levels, and this is none of them.",
        fix: "Correct the level if the rest of the file is sound.";
    ZLIB = Error "das2/zlib": "the body is not a whole zlib stream",
        document: "With a level above 0 everything after the header is compressed by zlib.",
        why: "Without the stream nothing of the body can be read.",
        fix: "Get the file again from where it came.";
    ZSTD = Error "das2/zstd": "the body is not made of whole zstd frames",
        document: "The document knows zlib only; the format's own library compresses by zstd.",
        why: "Without the frames nothing of the body can be read.",
        fix: "Get the file again from where it came.";
    PACK = Error "das2/pack": "the body could not be compressed",
        document: "With a level above 0 everything after the header is compressed.",
        why: "The file cannot be written.",
        fix: "Write it with --das2-level 0.";
    TOO_LARGE = Error "das2/too-large": "the model is too large for das2",
        document: "The length of a buffer has 32 bits, so a buffer is limited to 4 GB (das2::Buffer). What a String is the document does not say; the library gives its length 16 bits.",
        why: "The file cannot be written.",
        fix: "Cut the model into several files, or convert to GLB.";
    TRAILING_BYTES = Warning "das2/trailing-bytes": "bytes follow the compressed body",
        document: "The body is the rest of the file.",
        why: "Nothing reads them. They are kept when the file is rewritten.",
        fix: "Write the file again with --rebuild to drop them.";
    LEVEL_RAW = Warning "das2/level-raw": "the level says that the body is compressed, and it is not",
        document: "A level above 0 means a compressed body.",
        why: "The format's own library writes such files for levels other than 0, 1, 9 and 255, and cannot read them back.",
        fix: "Write the file again with --rebuild.";
    TABLE_NUMBERING = Warning "das2/table-numbering": "the records have the identifiers of the document's tables",
        document: "Headings and tables of the document give different identifiers from the mesh group on.",
        why: "The headings are what the format's own library uses; most readers will take the records for others.",
        fix: "Write the file again with --rebuild.";
    IDENTIFIER = Error "das2/identifier": "a record has an identifier that does not exist",
        document: "The identifiers are 1 to 12; morph targets (3) are only inside meshes.",
        why: "Records have no length, so what follows an unknown one cannot be found.",
        fix: "Get the file again from where it came; if it is complete, a count before this place is wrong.";
    NESTED_IDENTIFIER = Error "das2/nested-identifier": "a record inside a mesh is not what belongs there",
        document: "Morph targets begin with the byte 3, levels of detail are meshes and begin with 2.",
        why: "The rest of the mesh cannot be read.",
        fix: "Get the file again from where it came; if it is complete, a count before this place is wrong.";
    CHANNEL_KIND = Error "das2/channel-kind": "a channel's target or interpolation does not exist",
        document: "The values are not listed. The library of the same day has targets 0 to 4 and interpolations 0 to 3.",
        why: "The size of the keys is unknown, so nothing after them can be found.",
        fix: "Correct the byte if the rest of the file is sound.";
    STRING_HASH = Warning "das2/string-hash": "the hash of a string is wrong",
        document: "The document has no hashes; the format's own library stores a CRC-64 with each string.",
        why: "The library looks things up by the hash and will not find this one.",
        fix: "Write the file again with --rebuild.";
    NOT_UTF8 = Info "das2/not-utf8": "a string is not UTF-8",
        document: "The encoding of strings is not stated.",
        why: "It is read as Windows-1252; the bytes are kept.",
        fix: "Nothing has to be done if the text looks right.";
    HEADER_COUNT = Warning "das2/header-count": "the header counts something wrongly",
        document: "The header states how many meshes and animations the file has.",
        why: "A reader may allocate by the numbers. The format's own converter leaves them at zero.",
        fix: "Write the file again with --rebuild.";
    HEADER_VERTICES = Info "das2/header-vertices": "the header counts another number of vertices",
        document: "The header states the number of vertices of all meshes; which vertices count is not said.",
        why: "The number is for information only.",
        fix: "Nothing has to be done.";
    NO_SCENE = Error "das2/no-scene": "the file has no scene",
        document: "An asset must contain at least one scene.",
        why: "Nothing is shown.",
        fix: "Add a scene with the roots of the tree.";
    DEFAULT_SCENE = Error "das2/default-scene": "the default scene does not exist",
        document: "The header has the index of the scene to use.",
        why: "A reader shows nothing or fails; menagerie shows the first scene.",
        fix: "Correct the index.";
    REFERENCE = Error "das2/reference": "an id names a record that does not exist",
        document: "Ids of buffers, meshes, nodes and so on stand for records, with -1 as the default (tables of the body). How records are numbered is not said; the library counts those of a kind from zero.",
        why: "A reader that believes it reads past its list. Conversions leave the reference out.",
        fix: "Correct the id, or write -1.";
    BUFFERS = Error "das2/buffers": "there is more than one buffer",
        document: "The document allows it; the layout of the format's own library has no place for buffer ids.",
        why: "The library refuses a second buffer. menagerie reads all attributes from the first.",
        fix: "Join the buffers.";
    ATTRIBUTE_RANGE = Error "das2/attribute-range": "a vertex attribute reaches past the end of its buffer",
        document: "An attribute begins at its offset and has an element for each vertex.",
        why: "A reader that believes it reads foreign memory. Conversions leave the attribute out, or the mesh if it is the positions.",
        fix: "Correct the offset, the draw count, or the indices.";
    OVERUSED = Error "das2/overused": "meshes use the same data over and over",
        document: "Meshes may refer to the same bytes of a buffer.",
        why: "A small file could ask for any amount of memory so. From here on attributes are left out.",
        fix: "Use one mesh in several nodes instead.";
    NO_POSITIONS = Warning "das2/no-positions": "a mesh has no positions",
        document: "The position buffer is -1 by default.",
        why: "There is nothing to draw.",
        fix: "Nothing has to be done, if it is meant so.";
    DRAW_COUNT = Warning "das2/draw-count": "the draw count is no multiple of three",
        document: "What is drawn is not said; the format's own tools write triangles.",
        why: "The last triangle lacks a corner and is left out.",
        fix: "Correct the draw count.";
    MATERIAL_TYPE = Error "das2/material-type": "the material type does not exist",
        document: "bMaterialType is the material type descriptor, x00 by default (das2::Mesh); its values are not listed. 0 for none, 1 for Phong and 2 for PBR are those of the library of the same day.",
        why: "It is unknown which list the material's id counts. The mesh is read without material.",
        fix: "Correct the byte.";
    LOD_DEPTH = Warning "das2/lod-depth": "levels of detail are nested deeply",
        document: "Levels of detail are a list in the mesh; that one has levels of its own is not mentioned.",
        why: "Readers that call themselves for every nesting run out of stack. Conversions make one flat list of the levels.",
        fix: "Put the levels into one list.";
    FOREST = Error "das2/forest": "a node or joint hangs below two others, or below itself",
        document: "Nodes and joints form hierarchies.",
        why: "A reader that follows the children never ends, or draws things twice. Conversions keep the first parent.",
        fix: "Remove the node from the second list of children.";
    ROOT = Warning "das2/root": "a root of a scene hangs below another node too, or is listed twice",
        document: "A scene lists its root nodes.",
        why: "It would be drawn twice. Conversions keep it where it hangs.",
        fix: "Remove it from the roots.";
    ROTATION = Warning "das2/rotation": "a rotation has no length",
        document: "Rotations are quaternions; the default is (0, 0, 0, 1).",
        why: "It is no rotation; it is read as none.",
        fix: "Write (0, 0, 0, 1) for no rotation.";
    PERSPECTIVE = Warning "das2/perspective": "the last row of a matrix is not 0, 0, 0, 1",
        document: "Matrices are row-major. That the last row of a transform is 0, 0, 0, 1 is not said; it follows from what transforms are.",
        why: "Such a matrix does more than move, turn and stretch; conversions leave that out. The file may store its matrices column by column.",
        fix: "Correct the matrix.";
    CHANNEL_OWNER = Error "das2/channel-owner": "a channel does not animate exactly one thing",
        document: "Of the node and the joint one is set and the other is -1.",
        why: "It is unknown what moves. The node is taken when both are set.",
        fix: "Write -1 for the other.";
    CHANNEL_UNKNOWN = Warning "das2/channel-unknown": "a channel's target or interpolation is unknown",
        document: "The byte is 0 by default, and what that means is not said.",
        why: "A channel without target moves nothing. One without interpolation is read as linear.",
        fix: "Write the target and the interpolation.";
    KEY_ORDER = Warning "das2/key-order": "the times of a channel do not rise",
        document: "Nothing is said about their order.",
        why: "Players look for the next key and miss these. Conversions sort them, and the last of equal ones wins.",
        fix: "Sort the keys.";
    WEIGHT_COUNT = Warning "das2/weight-count": "a channel has another number of weights than there are morph targets",
        document: "The channel states how many weights a key has.",
        why: "Some targets do not move, or some weights move nothing.",
        fix: "Give each morph target one weight.";
    WEIGHTS_OWNER = Warning "das2/weights-owner": "a channel animates morph weights where there are none",
        document: "Weights belong to the morph targets of a node's meshes.",
        why: "The channel does nothing.",
        fix: "Remove the channel.";
    JOINT_INDEX = Error "das2/joint-index": "a vertex hangs on a joint that its skeleton does not have",
        document: "A mesh has up to eight sets of joint indices (das2::Mesh). What they count is not said; in the author's engine it is the list of the skeleton that the node binds.",
        why: "A reader reads past the skeleton. Conversions leave the joint out.",
        fix: "Correct the index, or bind the right skeleton.";
    JOINT_SET = Warning "das2/joint-set": "a set of joints has indices without weights, or weights without indices",
        document: "Both have eight slots.",
        why: "Neither says anything without the other; the set is left out.",
        fix: "Give both or none.";
    WEIGHT_SUM = Warning "das2/weight-sum": "the joint weights of a vertex do not sum to one",
        document: "Nothing is said about it.",
        why: "The vertex is pulled to the origin. Conversions divide by the sum and keep the weights beside.",
        fix: "Normalise the weights.";
    UNUSED_CHANNEL = Info "das2/unused-channel": "a channel is in no animation",
        document: "Animations list their channels.",
        why: "It never plays, and conversions leave it out.",
        fix: "Nothing has to be done, if it is meant so.";
    SEPARATE_MAPS = Info "das2/separate-maps": "roughness and metalness are in pictures of their own",
        document: "A PBR material has a map for each.",
        why: "glTF has one picture for both, so the maps are kept as names only.",
        fix: "Combine them: roughness green, metalness blue, and name the picture twice.";
    SHOWN_MESH = Info "das2/shown-mesh": "meshes that no node shows were put into the scene",
        document: "A node shows the mesh group that it names.",
        why: "The file is damaged, and the nodes were probably in the part that is gone. The meshes are shown where they are, without the places that nodes would have given them.",
        fix: "Get the file again from where it came.";
    ENGINE_PROFILE = Info "das2/engine-profile": "the only library that is known reads another layout",
        document: "This is the layout that the document describes.",
        why: "libdas2 puts a hash into every string and compresses with zstd, against its own document; it refuses this file.",
        fix: "For that library, convert with --das2-profile libdas2. For readers that follow the document, nothing has to be done.";
    ENGINE_LEVEL = Warning "das2/engine-level": "the library cannot read a body that says it is compressed and is not",
        document: "The level of the header is that of the compression; 0 is none.",
        why: "libdas2 writes such files for all levels but 0, 1, 9 and 255, and then takes the raw bytes for zstd.",
        fix: "Write the file again with --rebuild --das2-level 0 or 1.";
    ENGINE_BUFFERS = Warning "das2/engine-buffers": "the library refuses a file with several buffers",
        document: "Buffers have ids, so there may be several.",
        why: "libdas2 throws at the second one.",
        fix: "Write the file again with --rebuild --for engine.";
    ENGINE_INDEXED = Warning "das2/engine-indexed": "the library loses the indices or the colours of a mesh",
        document: "A mesh has an index buffer and a colour buffer, each or none.",
        why: "libdas2 stores the place of the colours over that of the indices: the mesh is drawn without indices, or takes its colours for them, and the colours are never known.",
        fix: "Write the file again with --rebuild --for engine, which repeats vertices instead of indexing them and leaves out colours.";
    ENGINE_CHANNELS_LAST = Warning "das2/engine-channels-last": "the library loses all records after the first channel",
        document: "Records come in any order.",
        why: "libdas2 skips a byte of every channel, takes the number of keys for 256 times as many, and reads on to the end of the file.",
        fix: "Write the file again with --rebuild --for engine, which puts channels last.";
    ENGINE_CHANNELS = Info "das2/engine-channels": "the library cannot read animation channels",
        document: "A channel has a byte for its interpolation.",
        why: "libdas2 forgets to read it. No layout of a channel is read right, not even its own, so nothing can be written that would be.",
        fix: "Mend the library: read the interpolation before the number of keys.";
}
