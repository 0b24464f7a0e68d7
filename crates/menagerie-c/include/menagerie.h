/* menagerie: 3D models of game engines, for C and C++.
 *
 * Who owns what: whatever a function gives through a pointer to a pointer (a model, a scene, a pose, a result) belongs to
 * the caller, who gives it back with the function that ends in _free. Strings and arrays that a struct points to belong
 * to the thing that they were asked of, and are there until that is freed; nobody else frees them.
 *
 * Every function that can fail gives a MenagerieStatus; menagerie_last_error() then says why, in the words of the program.
 * Null where something is needed, and numbers out of range, are errors and never harm. Everything but a *_free may be
 * called from several threads at once.
 */

#ifndef MENAGERIE_H
#define MENAGERIE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The version of this interface. It changes when a program that was built with an older header would break.
#define MENAGERIE_ABI_VERSION 1

// How a call went.
typedef enum {
  // It was done.
  MENAGERIE_STATUS_OK = 0,
  // The file is to blame: it is broken, or no model.
  MENAGERIE_STATUS_FILE = 1,
  // It would cost more than the limits allow.
  MENAGERIE_STATUS_LIMIT = 2,
  // The format or the model cannot be written so.
  MENAGERIE_STATUS_UNSUPPORTED = 3,
  // The caller is to blame: null, or a number out of range.
  MENAGERIE_STATUS_PARAMETER = 4,
  // A file could not be opened or read.
  MENAGERIE_STATUS_IO = 5,
  // A fault of the library itself; please report it.
  MENAGERIE_STATUS_INTERNAL = 6,
} MenagerieStatus;

// How bad an issue is.
typedef enum {
  // The file breaks a rule of its format.
  MENAGERIE_SEVERITY_ERROR = 0,
  // Something is worth a look.
  MENAGERIE_SEVERITY_WARNING = 1,
  // Something was decided in reading.
  MENAGERIE_SEVERITY_INFO = 2,
} MenagerieSeverity;

// A model that was read.
typedef struct MenagerieModel MenagerieModel;

// Where everything is at a moment.
typedef struct MenageriePose MenageriePose;

// A file that was written, and what that cost.
typedef struct MenagerieResult MenagerieResult;

// A scene: nodes, meshes, skins, animations.
typedef struct MenagerieScene MenagerieScene;

// A problem of a file. The strings belong to the model.
typedef struct {
  // Its code: "bmd/index-out-of-range".
  const char *code;
  // What is wrong, in a sentence.
  const char *message;
  // Where in the structure of the file: `meshes[3].triangles[17].v1`.
  const char *path;
  // How bad it is.
  MenagerieSeverity severity;
  // Whether bytes are to blame; then offset and length say which.
  bool has_bytes;
  // The first byte.
  uint64_t offset;
  // How many bytes.
  uint64_t length;
} MenagerieIssue;

// What a conversion could not hold. The strings belong to the result.
typedef struct {
  // Its code: "loss/skins".
  const char *code;
  // "dropped", "approximated", "damaged" or "added".
  const char *kind;
  // What happened, in a sentence.
  const char *message;
  // How many things it happened to.
  size_t count;
  // The largest error, in unit; not a number where nothing was measured.
  double max_error;
  // The unit of the error; empty where nothing was measured.
  const char *unit;
} MenagerieLoss;

// A node of a scene. Numbers of other things are -1 where there is none. The strings belong to the scene.
typedef struct {
  // Its name; may be empty.
  const char *name;
  // The node that it hangs on.
  int32_t parent;
  // The mesh that it shows.
  int32_t mesh;
  // The skin that bends its mesh.
  int32_t skin;
  // Whether it is shown.
  bool visible;
  // Where it is in its parent at rest: a matrix, column by column.
  float local[16];
} MenagerieNode;

// The vertices and triangles of a primitive. Arrays that a model does not have are null; the others have vertex_count
// elements, and indices index_count. They belong to the scene.
typedef struct {
  // How many vertices there are.
  size_t vertex_count;
  // How many indices there are: three a triangle.
  size_t index_count;
  // Three floats a vertex.
  const float *positions;
  // Three floats a vertex, of unit length.
  const float *normals;
  // Two floats a vertex, of the first set; v goes down.
  const float *uvs;
  // Four floats a vertex, of the first set, linear.
  const float *colors;
  // Four numbers a vertex, places in the skin's list of joints.
  const uint16_t *joints;
  // Four floats a vertex.
  const float *weights;
  // The corners of triangles, counter-clockwise from outside.
  const uint32_t *indices;
  // The material, or -1.
  int32_t material;
} MenagerieVertices;

// A skin. The arrays belong to the scene.
typedef struct {
  // How many joints there are.
  size_t joint_count;
  // The nodes that are joints.
  const uint32_t *joints;
  // Sixteen floats a joint, column by column: from the mesh at rest to the joint.
  const float *inverse_binds;
} MenagerieSkin;

// An animation. The string belongs to the scene.
typedef struct {
  // Its name; may be empty.
  const char *name;
  // How long it is.
  float seconds;
} MenagerieAnimation;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the interface of the library that is loaded; compare it with MENAGERIE_ABI_VERSION.
uint32_t menagerie_abi_version(void);

// Why the last call of this thread that failed did. The string is there until the next call of this thread fails.
const char *menagerie_last_error(void);

// Reads a model from memory, whatever its format. The bytes are copied. The name may be null; it tells formats apart
// whose bytes do not. The folder may be null; pictures that the model names are looked up in it.
//
// # Safety
// bytes points to length bytes; name and folder are null or end with a zero; out can be written.
MenagerieStatus menagerie_open(const uint8_t *bytes,
                               size_t length,
                               const char *name,
                               const char *folder,
                               MenagerieModel **out);

// Frees a model; null is nothing to free. Its scenes, poses and results live on.
//
// # Safety
// The model is null, or was given by menagerie_open and is not freed yet.
void menagerie_model_free(MenagerieModel *model);

// The format of a model: "bmd". Null for null. The string is always there.
//
// # Safety
// The model is null or was given by menagerie_open.
const char *menagerie_format(const MenagerieModel *model);

// How many issues a model has; none for null.
//
// # Safety
// The model is null or was given by menagerie_open.
size_t menagerie_issue_count(const MenagerieModel *model);

// One issue of a model.
//
// # Safety
// The model is null or was given by menagerie_open; out is null or can be written.
MenagerieStatus menagerie_issue(const MenagerieModel *model, size_t index, MenagerieIssue *out);

// The text of a code as `menagerie explain` gives it, into an array; null for a code that is not there. The string is
// there until the program ends.
//
// # Safety
// The code is null or ends with a zero.
const char *menagerie_explain(const char *code);

// Where everything is at a moment of an animation; -1 for the pose at rest. The scene must outlive the pose.
//
// # Safety
// The scene is null or was given by menagerie_scene; out is null or can be written.
MenagerieStatus menagerie_pose(const MenagerieScene *scene,
                               int32_t animation,
                               float seconds,
                               MenageriePose **out);

// Frees a pose; null is nothing to free.
//
// # Safety
// The pose is null, or was given by menagerie_pose and is not freed yet.
void menagerie_pose_free(MenageriePose *pose);

// Where a node is in the world in a pose: sixteen floats, column by column.
//
// # Safety
// The pose is null or was given by menagerie_pose; out is null or has room for sixteen floats.
MenagerieStatus menagerie_pose_node(const MenageriePose *pose, size_t node, float (*out)[16]);

// Where the vertices of a primitive of a node's mesh are in the world in a pose, bent by skin and morphs: three floats
// each. The room is in vertices; it must be enough for all of them.
//
// # Safety
// The pose is null or was given by menagerie_pose; out is null or has room for three times room floats.
MenagerieStatus menagerie_pose_positions(const MenageriePose *pose,
                                         size_t node,
                                         size_t primitive,
                                         float *out,
                                         size_t room);

// Writes a model in another format, by its name or extension: "glb". The result says what was lost.
//
// # Safety
// The model is null or was given by menagerie_open; to is null or ends with a zero; out is null or can be written.
MenagerieStatus menagerie_convert(const MenagerieModel *model,
                                  const char *to,
                                  MenagerieResult **out);

// Frees a result; null is nothing to free.
//
// # Safety
// The result is null, or was given by menagerie_convert and is not freed yet.
void menagerie_result_free(MenagerieResult *result);

// The bytes of a result, and how many there are; null for null. They belong to the result.
//
// # Safety
// The result is null or was given by menagerie_convert; length is null or can be written.
const uint8_t *menagerie_result_bytes(const MenagerieResult *result, size_t *length);

// How many files belong beside a result: pictures, buffers; none for null.
//
// # Safety
// The result is null or was given by menagerie_convert.
size_t menagerie_result_file_count(const MenagerieResult *result);

// A file that belongs beside a result. Its name and bytes belong to the result. The name comes from the model: use only
// its last part.
//
// # Safety
// The result is null or was given by menagerie_convert; name, bytes and length are null or can be written.
MenagerieStatus menagerie_result_file(const MenagerieResult *result,
                                      size_t index,
                                      const char **name,
                                      const uint8_t **bytes,
                                      size_t *length);

// How many losses and additions a result names; none for null.
//
// # Safety
// The result is null or was given by menagerie_convert.
size_t menagerie_loss_count(const MenagerieResult *result);

// One loss of a result.
//
// # Safety
// The result is null or was given by menagerie_convert; out is null or can be written.
MenagerieStatus menagerie_loss(const MenagerieResult *result, size_t index, MenagerieLoss *out);

// The scene that a model means, turned so that +Y is up and the model looks along +Z.
//
// # Safety
// The model is null or was given by menagerie_open; out is null or can be written.
MenagerieStatus menagerie_scene(const MenagerieModel *model, MenagerieScene **out);

// Frees a scene; null is nothing to free. Its poses must be freed first.
//
// # Safety
// The scene is null, or was given by menagerie_scene and is not freed yet.
void menagerie_scene_free(MenagerieScene *scene);

// How many nodes a scene has; none for null.
//
// # Safety
// The scene is null or was given by menagerie_scene.
size_t menagerie_node_count(const MenagerieScene *scene);

// How many meshes a scene has; none for null.
//
// # Safety
// The scene is null or was given by menagerie_scene.
size_t menagerie_mesh_count(const MenagerieScene *scene);

// How many skins a scene has; none for null.
//
// # Safety
// The scene is null or was given by menagerie_scene.
size_t menagerie_skin_count(const MenagerieScene *scene);

// How many animations a scene has; none for null.
//
// # Safety
// The scene is null or was given by menagerie_scene.
size_t menagerie_animation_count(const MenagerieScene *scene);

// One node of a scene.
//
// # Safety
// The scene is null or was given by menagerie_scene; out is null or can be written.
MenagerieStatus menagerie_node(const MenagerieScene *scene, size_t index, MenagerieNode *out);

// How many primitives a mesh has; none for null and for a mesh that is not there.
//
// # Safety
// The scene is null or was given by menagerie_scene.
size_t menagerie_primitive_count(const MenagerieScene *scene, size_t mesh);

// The vertices and triangles of a primitive of a mesh.
//
// # Safety
// The scene is null or was given by menagerie_scene; out is null or can be written.
MenagerieStatus menagerie_vertices(const MenagerieScene *scene,
                                   size_t mesh,
                                   size_t primitive,
                                   MenagerieVertices *out);

// One skin of a scene.
//
// # Safety
// The scene is null or was given by menagerie_scene; out is null or can be written.
MenagerieStatus menagerie_skin(const MenagerieScene *scene, size_t index, MenagerieSkin *out);

// One animation of a scene.
//
// # Safety
// The scene is null or was given by menagerie_scene; out is null or can be written.
MenagerieStatus menagerie_animation(const MenagerieScene *scene, size_t index, MenagerieAnimation *out);

// Draws a scene into an array of red, green, blue and alpha bytes, row by row from the top: 4 × width × height of them.
//
// # Safety
// The scene is null or was given by menagerie_scene; out is null or has room for that many bytes.
MenagerieStatus menagerie_render(const MenagerieScene *scene,
                                 uint32_t width,
                                 uint32_t height,
                                 uint8_t *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MENAGERIE_H */
