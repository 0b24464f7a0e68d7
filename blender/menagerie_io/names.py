"""The names of custom properties."""

#: The property with the number of a node, while it is imported.
NUMBER = "menagerie_node"
#: The property with what only a format knows, as JSON.
NOTES = "menagerie_notes"
#: The property of an object that stands in for another: its name, and the distance.
LOD = "menagerie_lod"

#: The property of a bone with how it rested and was bound, as JSON: Blender's bones have other axes and no scale.
JOINT = "menagerie_joint"
#: The property of an object that the importer made and the model does not have.
MADE = "menagerie_made"
