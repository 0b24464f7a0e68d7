/* A loader as an engine would have it: opens a model, prints its skeleton, and the vertices of a moment.
 *
 *   cc load.c -lmenagerie_c -o load
 *   ./load creature.bmd walk 0.4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "menagerie.h"

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, menagerie_last_error());
    return 1;
}

/* The whole file, or null. */
static unsigned char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long size;
    if (file == NULL) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = (unsigned char *)malloc((size_t)size + 1);
        *length = bytes == NULL ? 0 : fread(bytes, 1, (size_t)size, file);
    }
    fclose(file);
    return bytes;
}

/* How deep a node is, for indenting. */
static int depth(const MenagerieScene *scene, int32_t parent) {
    int levels = 0;
    MenagerieNode node;
    while (parent >= 0 && menagerie_node(scene, (size_t)parent, &node) == MENAGERIE_STATUS_OK) {
        parent = node.parent;
        levels++;
    }
    return levels;
}

static void print_skeleton(const MenagerieScene *scene) {
    size_t i, count = menagerie_node_count(scene);
    for (i = 0; i < count; i++) {
        MenagerieNode node;
        if (menagerie_node(scene, i, &node) != MENAGERIE_STATUS_OK) continue;
        printf("node %*s%s%s\n", 2 * depth(scene, node.parent), "", node.name, node.mesh >= 0 ? " (mesh)" : "");
    }
}

/* The number of the animation with a name, or -1 for the pose at rest. */
static int32_t find_animation(const MenagerieScene *scene, const char *name) {
    size_t i, count = menagerie_animation_count(scene);
    for (i = 0; i < count; i++) {
        MenagerieAnimation animation;
        if (menagerie_animation(scene, i, &animation) == MENAGERIE_STATUS_OK && strcmp(animation.name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

static int print_vertices(const MenagerieScene *scene, const MenageriePose *pose) {
    size_t i, part, v, nodes = menagerie_node_count(scene);
    for (i = 0; i < nodes; i++) {
        MenagerieNode node;
        if (menagerie_node(scene, i, &node) != MENAGERIE_STATUS_OK || node.mesh < 0) continue;
        for (part = 0; part < menagerie_primitive_count(scene, (size_t)node.mesh); part++) {
            MenagerieVertices vertices;
            float *positions;
            if (menagerie_vertices(scene, (size_t)node.mesh, part, &vertices) != MENAGERIE_STATUS_OK)
                return failed("vertices");
            positions = (float *)malloc(vertices.vertex_count * 3 * sizeof(float) + 1);
            if (positions == NULL) return 1;
            if (menagerie_pose_positions(pose, i, part, positions, vertices.vertex_count) != MENAGERIE_STATUS_OK) {
                free(positions);
                return failed("pose");
            }
            for (v = 0; v < vertices.vertex_count; v++)
                printf("v %.9g %.9g %.9g\n", positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
            free(positions);
        }
    }
    return 0;
}

static int show(const MenagerieModel *model, const char *animation, float seconds) {
    MenagerieScene *scene = NULL;
    MenageriePose *pose = NULL;
    size_t i;
    int code;
    for (i = 0; i < menagerie_issue_count(model); i++) {
        MenagerieIssue issue;
        if (menagerie_issue(model, i, &issue) == MENAGERIE_STATUS_OK && issue.severity != MENAGERIE_SEVERITY_INFO)
            fprintf(stderr, "%s [%s] at byte %llu\n", issue.message, issue.code, (unsigned long long)issue.offset);
    }
    if (menagerie_scene(model, &scene) != MENAGERIE_STATUS_OK) return failed("scene");
    print_skeleton(scene);
    if (menagerie_pose(scene, find_animation(scene, animation), seconds, &pose) != MENAGERIE_STATUS_OK)
        code = failed("pose");
    else
        code = print_vertices(scene, pose);
    menagerie_pose_free(pose);
    menagerie_scene_free(scene);
    return code;
}

int main(int argc, char **argv) {
    MenagerieModel *model = NULL;
    unsigned char *bytes;
    size_t length = 0;
    int code;
    if (argc != 4) {
        fprintf(stderr, "usage: load MODEL ANIMATION SECONDS\n");
        return 2;
    }
    if (menagerie_abi_version() != MENAGERIE_ABI_VERSION) {
        fprintf(stderr, "the library is of another version than its header\n");
        return 2;
    }
    bytes = read_file(argv[1], &length);
    if (bytes == NULL) {
        fprintf(stderr, "%s cannot be read\n", argv[1]);
        return 2;
    }
    code = menagerie_open(bytes, length, argv[1], NULL, &model) == MENAGERIE_STATUS_OK ? 0 : failed(argv[1]);
    free(bytes);
    if (code == 0) code = show(model, argv[2], (float)atof(argv[3]));
    menagerie_model_free(model);
    return code;
}
