"""From the hand to the pointer and back: mount, scales, clutch."""
