"""Plays GLB files: nodes, skins, morph targets, all three interpolations."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

import glb
from players.maths import NOTHING, moved, placing, slerp, turning, unit

REST = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}


class Player:
    def __init__(self, data: bytes) -> None:
        self.document, self.buffer = glb.read(data)
        self.nodes: List[Dict[str, Any]] = self.document.get("nodes", [])
        self.animations: List[Dict[str, Any]] = self.document.get("animations", [])

    def accessor(self, index: int) -> Any:
        return glb.accessor(self.document, self.buffer, index)

    def seconds(self, animation: int) -> float:
        samplers = self.animations[animation]["samplers"]
        return max(float(self.accessor(sampler["input"]).max()) for sampler in samplers)

    def value(self, sampler: Dict[str, Any], path: str, time: float) -> Any:
        times, way = self.accessor(sampler["input"]), sampler.get("interpolation", "LINEAR")
        values = np.asarray(self.accessor(sampler["output"]), float).reshape(len(times), -1)
        if way == "CUBICSPLINE":
            into, values, out = np.split(values, 3, axis=1)
        if time <= times[0] or time >= times[-1]:
            return values[0 if time <= times[0] else -1]
        i = int(np.searchsorted(times, time, "right")) - 1
        step = times[i + 1] - times[i]
        t = (time - times[i]) / step
        if way == "STEP":
            return values[i]
        if way == "LINEAR":
            straight = values[i] + (values[i + 1] - values[i]) * t
            return slerp(values[i], values[i + 1], t) if path == "rotation" else straight
        found = (2 * t**3 - 3 * t**2 + 1) * values[i] + step * (t**3 - 2 * t**2 + t) * out[i]
        found = found + (3 * t**2 - 2 * t**3) * values[i + 1] + step * (t**3 - t**2) * into[i + 1]
        return unit(found) if path == "rotation" else found

    def worlds(self, animation: Optional[int], time: float) -> Any:
        """The matrices of the nodes that are shown, and the weights of their morph targets."""
        now = [{**REST, **node} for node in self.nodes]
        channels = self.animations[animation]["channels"] if animation is not None else []
        for channel in channels:
            target, path = channel["target"].get("node"), channel["target"]["path"]
            sampler = self.animations[animation or 0]["samplers"][channel["sampler"]]
            if target is not None:
                now[target][path] = self.value(sampler, path, time)
        worlds: Dict[int, Any] = {}
        open_nodes = [(root, np.eye(4)) for root in self.document["scenes"][self.document.get("scene", 0)]["nodes"]]
        while open_nodes:
            index, above = open_nodes.pop()
            node = now[index]
            if "matrix" in self.nodes[index]:
                local = np.array(node["matrix"], float).reshape(4, 4).T
            else:
                local = placing(node["translation"], turning(unit(node["rotation"])) * np.array(node["scale"], float))
            worlds[index] = above @ local
            open_nodes += [(child, worlds[index]) for child in self.nodes[index].get("children", [])]
        return worlds, [node.get("weights") for node in now]

    def skin(self, index: int, attributes: Dict[str, int], worlds: Dict[int, Any]) -> Any:
        skin = self.document["skins"][index]
        binds = np.tile(np.eye(4), (len(skin["joints"]), 1, 1))
        if "inverseBindMatrices" in skin:
            binds = self.accessor(skin["inverseBindMatrices"]).astype(float).reshape(-1, 4, 4).transpose(0, 2, 1)
        palette = np.array([worlds.get(joint, np.eye(4)) @ bind for joint, bind in zip(skin["joints"], binds)])
        joints, weights = self.accessor(attributes["JOINTS_0"]), self.accessor(attributes["WEIGHTS_0"]).astype(float)
        weights = weights / weights.sum(axis=1, keepdims=True)
        return np.einsum("vk,vkij->vij", weights, palette[joints.astype(int)])

    def triangles(self, animation: Optional[int] = None, time: float = 0.0) -> Any:
        worlds, weights = self.worlds(animation, time)
        found = [NOTHING]
        for index, world in worlds.items():
            node = self.nodes[index]
            mesh = self.document["meshes"][node["mesh"]] if "mesh" in node else {"primitives": []}
            for primitive in mesh["primitives"]:
                attributes = primitive["attributes"]
                places = self.accessor(attributes["POSITION"]).astype(float)
                amounts = weights[index] if weights[index] is not None else mesh.get("weights", [])
                for amount, target in zip(amounts, primitive.get("targets", [])):
                    places = places + amount * self.accessor(target["POSITION"])
                skinned = "skin" in node and "JOINTS_0" in attributes
                places = moved(self.skin(node["skin"], attributes, worlds) if skinned else world, places)
                corners = self.accessor(primitive["indices"]) if "indices" in primitive else np.arange(len(places))
                found.append(places[corners.astype(int)].reshape(-1, 3, 3))
        return np.concatenate(found)
