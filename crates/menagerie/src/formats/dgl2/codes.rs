//! The issue codes of DGL2.

crate::diag::code! {
    NOT_CHUNKS = Error "dgl2/not-chunks": "the file does not begin with a chunk",
        document: "A file is a series of chunks: type, id, sizes of name and data, name, data.",
        why: "It is another kind of file, or its beginning is damaged.",
        fix: "Check that the file is what its extension says.";
    CHUNK_CUT = Error "dgl2/chunk-cut": "a chunk reaches past the end of the file",
        document: "A chunk has a header of 12 bytes, and as many bytes of name and data as it says.",
        why: "The file was cut off, or a size is wrong. Conversions use the complete chunks before it.",
        fix: "Get the file again from where it came.";
    NO_HEADER = Warning "dgl2/no-header": "the file does not begin with a HEADER chunk",
        document: "A HEADER chunk is expected at the beginning of the file.",
        why: "The original reader ignores headers; another may refuse the file.",
        fix: "Write the file again with --rebuild.";
    MORE_HEADERS = Warning "dgl2/more-headers": "there is more than one HEADER chunk",
        document: "The HEADER chunk marks the start of the file.",
        why: "The first one's name is used as the name of the scene.",
        fix: "Remove the others.";
    NO_END = Warning "dgl2/no-end": "the file ends without an END chunk",
        document: "The END chunk marks the end of the file.",
        why: "The file may have been cut off between two chunks.",
        fix: "Check that nothing is missing, and write the file again with --rebuild.";
    TRAILING_BYTES = Warning "dgl2/trailing-bytes": "bytes follow the END chunk",
        document: "The END chunk marks the end of the file.",
        why: "Nothing reads them. They are kept when the file is rewritten.",
        fix: "Write the file again with --rebuild to drop them.";
    UNKNOWN_CHUNK = Info "dgl2/unknown-chunk": "a chunk of a reserved type",
        document: "Types above 4 are reserved for future use.",
        why: "Nobody knows what it means; it is skipped, and kept when the file is rewritten and through glTF.",
        fix: "Nothing has to be done.";
    TRIMESH_SIZE = Error "dgl2/trimesh-size": "the data of a mesh is no whole number of triangles",
        document: "The number of triangles is the size of the data divided by 124.",
        why: "The original reader stops. Conversions use the whole triangles.",
        fix: "Write the model again with a sound exporter.";
    ENTITY_SIZE = Error "dgl2/entity-size": "the data of an entity is too short",
        document: "The data of an entity begins with a structure of 56 bytes.",
        why: "Its place and mesh are unknown. Conversions leave the entity out.",
        fix: "Write the model again with a sound exporter.";
    PROPERTIES_SIZE = Error "dgl2/properties-size": "the property text is longer than its chunk",
        document: "The text has as many bytes as the field before it says.",
        why: "A reader that believes the size reads the next chunk as text. What is there is used.",
        fix: "Correct the size.";
    DATA_AFTER_PROPERTIES = Warning "dgl2/data-after-properties": "bytes follow the property text",
        document: "The text is the end of the data.",
        why: "Nothing reads them. They are kept when the file is rewritten and through glTF.",
        fix: "Nothing has to be done.";
    DUPLICATE_ID = Warning "dgl2/duplicate-id": "two chunks of one kind have the same id",
        document: "Ids are unique.",
        why: "Who refers to the id gets the later one, as in the original reader.",
        fix: "Give the chunks different ids.";
    DUPLICATE_NAME = Warning "dgl2/duplicate-name": "two chunks of one kind have the same name",
        document: "Names should be unique.",
        why: "The original reader finds only the later one by name.",
        fix: "Give the chunks different names.";
    NO_NAME = Info "dgl2/no-name": "a mesh, material or entity has no name",
        document: "TRIMESH, MATERIAL and ENTITY should define a unique name.",
        why: "The original reader finds objects by their names, too.",
        fix: "Give it a name.";
    MISSING_MESH = Warning "dgl2/missing-mesh": "an entity refers to a mesh that is not there",
        document: "The mesh id points to a mesh in the file.",
        why: "The entity is read as one without a mesh.",
        fix: "Correct the id; -1 means none.";
    MISSING_MATERIAL = Warning "dgl2/missing-material": "a material is referred to that is not there",
        document: "The material id points to a material in the file.",
        why: "What refers to it is drawn without a material.",
        fix: "Correct the id; -1 means none.";
    NAME_NOT_UTF8 = Warning "dgl2/name-not-utf8": "a name is not UTF-8",
        document: "Names are UTF-8.",
        why: "It is read as Windows-1252; the bytes are kept.",
        fix: "Correct the name.";
    ROTATION = Warning "dgl2/rotation": "a rotation has no length",
        document: "Rotations are quaternions.",
        why: "It is no rotation; it is read as none.",
        fix: "Write (0, 0, 0, 1) for no rotation.";
    DML_NOT_UTF8 = Warning "dgl2/dml-not-utf8": "the property text is not UTF-8",
        document: "The text is UTF-8.",
        why: "It is read as Windows-1252; the bytes are kept.",
        fix: "Correct the text.";
    DML_SYNTAX = Warning "dgl2/dml-syntax": "the property text breaks DML's grammar",
        document: "Properties are written as name=\"value\";",
        why: "The original parsers stop here and keep what came before, and so does menagerie.",
        fix: "Correct the text.";
    DML_SEMICOLON = Warning "dgl2/dml-semicolon": "a semicolon is missing after a property",
        document: "Properties are written as name=\"value\";",
        why: "The original parsers stop here; menagerie goes on.",
        fix: "Add the semicolon.";
    DML_UNQUOTED = Warning "dgl2/dml-unquoted": "a value is not in quotes",
        document: "Properties are written as name=\"value\";",
        why: "The original parsers stop or crash here; menagerie takes the text up to the semicolon.",
        fix: "Put the value in quotes.";
    DML_DUPLICATE = Warning "dgl2/dml-duplicate": "a property is there twice",
        document: "Nothing is said about it.",
        why: "The last one counts, as in most revisions of the original parser.",
        fix: "Remove one of them.";
    DML_VALUE = Warning "dgl2/dml-value": "a property's value cannot be read as what it should be",
        document: "Colours are vectors of numbers, flags are 0 or 1.",
        why: "The default is used in its place.",
        fix: "Correct the value.";
    V_DIRECTION = Info "dgl2/v-direction": "which way up the texture coordinates are was inferred",
        document: "Nothing is said about it.",
        why: "Exporters before September 2015 stored v from the bottom of the picture up, later ones from the top down, and nothing in the file says which.",
        fix: "If textures are upside down, give --dgl2-v top or bottom.";
    COLOR_RANGE = Warning "dgl2/color-range": "a colour has a part outside 0 to 1",
        document: "The four numbers of a colour are floats in the range 0 to 1.",
        why: "Engines hand it to the graphics card, which clamps it or not. Conversions take it as it is.",
        fix: "Bring the numbers into the range.";
    TEXTURE_SLOT = Warning "dgl2/texture-slot": "a material names a texture that has no slot",
        document: "There are up to 8 slots, and the document lists texture0 up to texture8, which are nine.",
        why: "The engine knows texture0 to texture7 and throws when texturesNum makes it look for another. The property is kept, and nothing shows it.",
        fix: "Use the slots 0 to 7.";
    END_CHUNK = Warning "dgl2/end-chunk": "the END chunk has an id, a name or data",
        document: "The END chunk has the id -1 and neither name nor data.",
        why: "No reader looks at it. It is kept when the file is rewritten and through glTF.",
        fix: "Write the END chunk as the document has it.";
    HEADER_ID = Warning "dgl2/header-id": "the id of the HEADER chunk is not -1",
        document: "The HEADER chunk has the id -1.",
        why: "No reader looks at it. It is kept when the file is rewritten and through glTF.",
        fix: "Write -1.";
    SHOWN_MESH = Info "dgl2/shown-mesh": "a mesh that no entity shows was put into the scene",
        document: "An entity renders the mesh that it points to.",
        why: "The file is cut off, and the entity was probably in the part that is gone. It is shown at the origin, without the place that the entity would have given it.",
        fix: "Get the file again from where it came.";
    ENGINE_TEXT = Warning "dgl2/engine-text": "the engine cannot read a property text",
        document: "Properties are name/value pairs, name = \"value\"; and nothing else.",
        why: "The engine of 2016 crashes on a closing brace, a missing semicolon, a value without quotes and a comment. That of 2015 reads texts in braces only; no text passes both.",
        fix: "Write the file again with --rebuild --for engine, or for an engine of 2015 with --dgl2-text 2015.";
    ENGINE_NO_TEXT = Warning "dgl2/engine-no-text": "the engine crashes on an object without properties",
        document: "The text of an entity or material may be missing.",
        why: "The engine looks for a property in a list that was never made.",
        fix: "Write the file again with --rebuild --for engine, which adds a property that changes nothing.";
    ENGINE_VALUE = Warning "dgl2/engine-value": "the engine cannot read the value of a property",
        document: "A value is an integer, a floating point number, text or a vector.",
        why: "The engine stops where a flag is no number, texturesNum or blendMode no whole number, a colour not four numbers in brackets, or a texture not a name and a whole number in brackets.",
        fix: "Write the file again with --rebuild --for engine.";
    ENGINE_MIRRORED = Warning "dgl2/engine-mirrored": "the engine shows this entity inside out",
        document: "Scaling is part of an entity's place; nothing is said about mirrors.",
        why: "The engine leaves out back faces and never looks whether the scale mirrors.",
        fix: "Apply the scale in Blender, or write the file again with --rebuild --for engine, which mirrors the mesh instead.";
    ENGINE_MATERIAL = Warning "dgl2/engine-entity-material": "the engine does not use the material of this entity",
        document: "materialID points to a material.",
        why: "The engine reads it and draws triangles with the materials that they name themselves; those without are drawn with whatever was bound before.",
        fix: "Write the file again with --rebuild --for engine, which names it in the triangles.";
}
