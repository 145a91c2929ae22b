"""Between the world and the hand: mount, states, limits, passivity; the last stage of a tick, always on."""
