//! The issue codes of OBJ and MTL.

crate::diag::code! {
    NUMBER = Error "obj/number": "a value is not a number",
        document: "Values are decimal numbers with a point.",
        why: "A decimal comma is read as a point; anything else as zero. Programs of a country that writes commas make such files.",
        fix: "Correct the line that the message names, or export again with a point as decimal sign.";
    TOO_FEW = Error "obj/too-few-values": "a line has fewer values than it needs",
        document: "v and vn have three values, vt at least one.",
        why: "Zeros are taken for those that are missing, so that the numbers of the others stay right.",
        fix: "Correct the line that the message names.";
    FACE = Error "obj/face": "a face, line or point is not written as it has to be",
        document: "A corner is a vertex number, perhaps with the numbers of a texture coordinate and a normal behind slashes.",
        why: "It is left out.",
        fix: "Correct the line that the message names.";
    CORNER_COUNT = Warning "obj/corner-count": "a face has fewer than three corners, or a line fewer than two",
        document: "A face has at least three corners, a line two.",
        why: "There is nothing to draw; it is left out.",
        fix: "Remove the line.";
    INDEX = Error "obj/index-out-of-range": "a face names a vertex, texture coordinate or normal that does not exist",
        document: "Numbers count from one; negative ones count backwards from the last.",
        why: "A face with a vertex that does not exist is left out; without its texture coordinate or normal it stays.",
        fix: "Correct the number, or remove the face.";
    DEGENERATE = Info "obj/degenerate-face": "a triangle has no area",
        document: "Nothing is said about it.",
        why: "Nobody sees it, but programs that compute with it may divide by zero.",
        fix: "Nothing has to be done; menagerie optimize removes such triangles.";
    NORMAL_LENGTH = Warning "obj/normal-length": "a normal has no length",
        document: "Normals need not be unit, but have to point somewhere.",
        why: "It points nowhere; up is taken in its place.",
        fix: "Write the file again with normals.";
    EMPTY_GROUPS = Info "obj/empty-groups": "objects or groups have nothing in them",
        document: "Nothing is said about it.",
        why: "They are not in conversions. The file keeps them when it is rewritten.",
        fix: "Nothing has to be done.";
    MANY_GROUPS = Warning "obj/many-groups": "there are more objects, groups and materials than are kept apart",
        document: "The format sets no limit; that of 65,536 parts is menagerie's own, and one of the limits that a program can set.",
        why: "What comes after is put together, for nobody handles so many parts.",
        fix: "Export with fewer groups.";
    SMOOTHING = Info "obj/smoothing-groups": "smoothing groups say how normals should be made",
        document: "Faces of one smoothing group share their normals; without one they are flat.",
        why: "Normals in the file decide where there are some. Where not, those of a smoothing group are made from its faces.",
        fix: "Nothing has to be done.";
    UNSUPPORTED = Info "obj/unsupported": "a statement has no place in a Scene",
        document: "Curves, surfaces, display settings and the like belong to the format, and hardly any program reads them.",
        why: "It is passed over. The file keeps it when it is rewritten.",
        fix: "Nothing has to be done.";
    UNKNOWN = Warning "obj/unknown-statement": "a line begins with a word that the format does not know",
        document: "Every line begins with the name of its statement, or is a comment.",
        why: "It is passed over. The file keeps it when it is rewritten.",
        fix: "Put a # before it.";
    LAST_LINE = Info "obj/last-line": "the last line has no end",
        document: "Nothing is said about it; programs end every line.",
        why: "The file may be cut off, and then a number on this line may lack digits, and what came after is gone. Whether it is nobody can know.",
        fix: "Compare the file with the one it came from, or end the line.";
    NOT_UTF8 = Info "obj/not-utf8": "a name is not UTF-8",
        document: "Nothing is said about the encoding.",
        why: "It is read as Windows-1252; the bytes are kept when the file is rewritten.",
        fix: "Nothing has to be done if the name looks right.";
    MTL_NOT_FOUND = Warning "obj/mtl-not-found": "a material library was not found",
        document: "The line mtllib names the file with the materials.",
        why: "The materials have their names only.",
        fix: "Put the file beside the model, or name its folder with --texture-dir.";
    MATERIAL_MISSING = Warning "obj/material-missing": "a material is in no library",
        document: "The line usemtl names a material of a library.",
        why: "It is a plain white one.",
        fix: "Add it to the library, or correct the name.";
    MTL = Warning "obj/mtl-line": "a line of a material library is not understood",
        document: "A library describes materials, each by newmtl and its settings.",
        why: "The line is passed over.",
        fix: "Correct the line that the message names.";
    NOT_A_MODEL = Error "obj/not-a-model": "the file has not one line of an OBJ file",
        document: "An OBJ file has lines such as v 1 2 3.",
        why: "It is another kind of file.",
        fix: "Check that the file is what its extension says.";
}
