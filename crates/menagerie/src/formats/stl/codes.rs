//! The issue codes of STL.

crate::diag::code! {
    TOO_SHORT = Error "stl/too-short": "the file is neither text nor long enough for a binary header",
        document: "A binary file has a header of 80 bytes and a count of four; a text file begins with the word solid.",
        why: "There is nothing to read.",
        fix: "Get the file again from where it came.";
    COUNT_PAST_END = Error "stl/count-past-end": "the count says more facets than the file has",
        document: "The count after the header is the number of facets that follow.",
        why: "The file was cut off, or its writer never went back to correct the count. What is there is read.",
        fix: "Get the file again from where it came; if it is complete, write it again with --rebuild.";
    TRAILING_BYTES = Warning "stl/trailing-bytes": "bytes follow the last facet",
        document: "The file ends with its last facet.",
        why: "Nothing reads them; readers that go by the size of the file refuse it. They are kept when the file is rewritten.",
        fix: "Write the file again with --rebuild to drop them.";
    SYNTAX = Error "stl/syntax": "a word is not what the text form of STL has here",
        document: "A solid is facets; a facet has a normal and a loop of three vertices, each word in its place.",
        why: "It is passed over, up to the next word that makes sense.",
        fix: "Correct the line that the message names.";
    NUMBER = Error "stl/number": "a coordinate is not a number",
        document: "Coordinates are decimal numbers with a point.",
        why: "The facet is left out. Programs of a country that writes decimal commas make such files.",
        fix: "Correct the line that the message names, or export again with a point as decimal sign.";
    CORNER_COUNT = Error "stl/corner-count": "a facet has not three corners",
        document: "A facet has exactly three vertices.",
        why: "With fewer it is left out; with more it is read as a polygon and cut into triangles.",
        fix: "Correct the facet that the message names.";
    UNFINISHED = Error "stl/unfinished": "the text ends inside of a solid",
        document: "Every solid ends with the word endsolid.",
        why: "The file was cut off. What is there is read.",
        fix: "Get the file again from where it came.";
    DEGENERATE = Info "stl/degenerate-facet": "a facet has no area",
        document: "Nothing is said about it.",
        why: "Nobody sees it, but programs that compute with it may divide by zero.",
        fix: "Nothing has to be done; menagerie optimize removes such triangles.";
    NORMAL_AGAINST_CORNERS = Warning "stl/normal-against-corners": "a normal points to the other side than the order of the corners says",
        document: "Corners go round counter-clockwise seen from outside, and the normal points outward: both say the same.",
        why: "Programs differ in which of the two they believe. menagerie goes by the corners.",
        fix: "Turn the facet round, or write the file again with --rebuild, which makes the normals anew.";
    ATTRIBUTE = Info "stl/attribute-bytes": "the two bytes after a facet hold something that is no known colour",
        document: "They are a count of attribute bytes that nobody uses, and should be zero.",
        why: "What they mean only their writer knows. They are kept, also through glTF.",
        fix: "Nothing has to be done.";
    NO_SOLID = Warning "stl/no-solid": "the text does not begin with the word solid",
        document: "A text file begins with the word solid.",
        why: "Readers that look for the word take it for a binary file.",
        fix: "Write the file again with --rebuild.";
    NAME_NOT_UTF8 = Info "stl/name-not-utf8": "a solid's name is not UTF-8",
        document: "Nothing is said about the encoding.",
        why: "It is read as Windows-1252; the bytes are kept when the file is rewritten.",
        fix: "Nothing has to be done if the name looks right.";
}
