"""Contact geometry: which parts are near, the solid that two of them share, and what the force laws need of it.

broad      boxes in the world -> pairs that may touch
pair       one pair: direction -> slab -> clip -> measure -> contact row
section    the outline of the contact, for people to look at
"""
