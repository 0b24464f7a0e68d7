//! What can be worth saying about a picture.

menagerie::code! {
    NOTHING_TO_DRAW = Warning "render/nothing-to-draw": "the model has nothing that can be drawn",
        document: "This is menagerie's own: a picture shows the visible meshes of the default scene.",
        why: "The picture shows the background and nothing else.",
        fix: "See with info what the file holds. Hidden parts are drawn with --hidden, bones with --bones.";
    NOT_FINITE = Warning "render/not-finite": "a vertex has no place that could be drawn",
        document: "This is menagerie's own: a transform, a bone or a morph target puts the vertex beyond what numbers can hold.",
        why: "Triangles at such vertices are left out of the picture.",
        fix: "Look at the scales and matrices of the nodes above the mesh, and at the animation's keys.";
    TEXTURE_MISSING = Warning "render/texture-missing": "a texture was not found",
        document: "This is menagerie's own: textures are looked up beside the model and in --texture-dir.",
        why: "The surface is drawn without the texture, in its plain colour.",
        fix: "Put the picture beside the model, name its folder with --texture-dir, or another file with --texture NAME=FILE.";
    TEXTURE_BROKEN = Warning "render/texture-broken": "a texture cannot be decoded",
        document: "PNG, JPEG, TGA and DDS are decoded.",
        why: "The surface is drawn without the texture, in its plain colour.",
        fix: "Save the picture again as PNG, and use it with --texture NAME=FILE.";
    TEXTURE_TOO_LARGE = Warning "render/texture-too-large": "a texture is larger than the limit",
        document: "The limit is menagerie's own: 16384 texels along a side, and 67 million in all.",
        why: "Decoding it could take more memory than there is. The surface is drawn without it, in its plain colour.",
        fix: "Scale the picture down, and use it with --texture NAME=FILE.";
    CAMERA_INSIDE = Info "render/camera-inside": "the camera is inside the model's bounds",
        document: "This is menagerie's own. Rooms and levels are meant to be looked at from inside.",
        why: "What is behind the camera or too near is cut off.",
        fix: "If that is not wanted, choose another camera: --camera three-quarter looks at the whole model.";
    CAMERA_UNUSABLE = Warning "render/camera-unusable": "the model's camera shows nothing",
        document: "This is menagerie's own: its field of view, its size or its place cannot make a picture.",
        why: "The picture is taken from a camera that frames the whole model instead.",
        fix: "Correct the camera where the model was made, or choose a view such as --camera front.";
    OVERDRAW = Warning "render/overdraw": "there are more layers of triangles than are drawn",
        document: "The limit is menagerie's own: thousands of layers over the whole picture.",
        why: "Some triangles are left out, so that a file made to do harm cannot take all time and memory.",
        fix: "If the model is genuine, please report it; a smaller --size does not help.";
    TOO_LARGE = Error "render/too-large": "the picture or the model is larger than can be drawn",
        document: "The limits are menagerie's own: 8192 pixels along a side, two thousand million triangles.",
        why: "There is no picture.",
        fix: "Ask for a smaller --size.";
    NO_SUCH_CAMERA = Error "render/no-such-camera": "the model has no such camera",
        document: "This is menagerie's own: cameras are chosen by name or number.",
        why: "There is no picture.",
        fix: "Choose one of the model's cameras, which the message lists, or a view such as --camera front.";
    NO_SUCH_ANIMATION = Error "render/no-such-animation": "the model has no such animation",
        document: "This is menagerie's own: animations are chosen by name or number.",
        why: "There is no picture.",
        fix: "Choose one of the model's animations, which the message lists.";
}
