//! The issue codes of PLY.

crate::diag::code! {
    MAGIC = Error "ply/magic": "the file does not begin with ply",
        document: "The first line is the word ply.",
        why: "It is another kind of file, or its beginning is damaged.",
        fix: "Check that the file is what its extension says.";
    NO_END = Error "ply/no-end-header": "the header has no end",
        document: "The header ends with the line end_header.",
        why: "Where the data begin cannot be known.",
        fix: "Get the file again from where it came.";
    FORM = Error "ply/format": "the format line says nothing that is known",
        document: "The format is ascii, binary_little_endian or binary_big_endian, version 1.0.",
        why: "The data cannot be read.",
        fix: "Correct the line if you know how the file was written.";
    DECLARATION = Error "ply/declaration": "an element or property is not declared as it has to be",
        document: "An element has a name and a count; a property has a type and a name, a list two types and a name.",
        why: "How long a row is, or which of two lists of vertices counts, cannot be known.",
        fix: "Correct the line that the message names.";
    HEADER_LINE = Warning "ply/header-line": "a line of the header begins with an unknown word",
        document: "Lines begin with format, element, property, comment, obj_info or end_header.",
        why: "It is passed over; other readers may refuse the file.",
        fix: "Write it as a comment.";
    NO_POSITIONS = Warning "ply/no-positions": "no element has vertices with x, y and z",
        document: "The element vertex has the properties x, y and z by custom.",
        why: "There is nothing to draw.",
        fix: "Nothing has to be done, if the file is no model.";
    NUMBER = Error "ply/number": "a value is not a number",
        document: "The values of a text file are decimal numbers with a point.",
        why: "Zero is taken in its place. Programs of a country that writes decimal commas make such files.",
        fix: "Correct the line that the message names, or export again with a point as decimal sign.";
    LIST_LENGTH = Error "ply/list-length": "a list is longer than the file has room for",
        document: "A list begins with its length.",
        why: "Everything after it would be misread, so that reading ends here.",
        fix: "Get the file again from where it came.";
    INDEX = Error "ply/index-out-of-range": "a face names a vertex that does not exist",
        document: "The indices of a face count the vertices from zero.",
        why: "The face is left out of conversions.",
        fix: "Correct the index, or remove the face.";
    CORNER_COUNT = Warning "ply/corner-count": "a face has fewer than three corners",
        document: "A face is a polygon.",
        why: "There is nothing to draw; it is left out of conversions.",
        fix: "Remove the face.";
    POLYGONS = Info "ply/polygons": "faces with more than three corners are cut into triangles",
        document: "Faces may have any number of corners.",
        why: "A Scene has triangles. The file itself keeps its faces when it is rewritten.",
        fix: "Nothing has to be done.";
    DEGENERATE = Info "ply/degenerate-face": "a triangle has no area",
        document: "Nothing is said about it.",
        why: "Nobody sees it, but programs that compute with it may divide by zero.",
        fix: "Nothing has to be done; menagerie optimize removes such triangles.";
    FACE_COLOURS = Info "ply/face-colours": "faces have colours of their own",
        document: "Any element may have any property.",
        why: "A Scene has colours of vertices. Those of the faces are kept when the file is rewritten, and not in conversions.",
        fix: "Give the colours to the vertices in the program that made the file.";
    IGNORED = Info "ply/ignored": "an element or property has no meaning that is agreed on",
        document: "Any element may have any property.",
        why: "It is kept when the file is rewritten, and not in conversions.",
        fix: "Nothing has to be done.";
    NORMAL_LENGTH = Warning "ply/normal-length": "a normal has no length",
        document: "Nothing is said about it.",
        why: "It points nowhere; conversions make one from the faces.",
        fix: "Write the file again with normals.";
    TRAILING_BYTES = Warning "ply/trailing-bytes": "something follows the last row",
        document: "The file ends with the last row of the last element.",
        why: "Nothing reads it. It is kept when the file is rewritten.",
        fix: "Write the file again with --rebuild to drop it.";
    NOT_UTF8 = Info "ply/not-utf8": "a comment is not UTF-8",
        document: "Nothing is said about the encoding.",
        why: "It is read as Windows-1252; the bytes are kept when the file is rewritten.",
        fix: "Nothing has to be done if the text looks right.";
}
