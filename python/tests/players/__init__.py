"""The original engines' loaders and players, as far as they decide where vertices are, and a player of glTF.

They are written from what is known of the engines (the sections "In the engine" of docs/formats), with nothing of
menagerie's: what menagerie writes has to be right here too. Each has ``load(bytes)``, ``broken(model)`` with the rules
that the file breaks, and ``triangles(model, ...)`` with the corners of all triangles in glTF's axes at a moment.
"""
