"""A scene that begins anew, or another one, at a tick boundary: nothing is allocated, the servo's count goes on.

Bodies that the new scene shares with the old one keep their motion, and pairs of shared parts what their friction
remembers: `carry_body[new] = old` and `carry_part[old] = new`, -1 for none, both rising, and no body moves to a higher
number (new ones go to the end). The pair list is found anew in the next step, which takes over what it finds
(force/carry.py). The force starts from zero.
"""

from hapticd.kernel._jit import kernel
from hapticd.kernel.guard.layout import WORD_GENERATION, WORD_PAUSED
from hapticd.kernel.layout import BODY_SIZE


@kernel
def renew(s, start, w, carry_body, carry_part, keep, safety, generation):
    """State s becomes `start`; with keep = 1 shared bodies and pairs stay as they are. The tick that follows tells."""
    n_kept = keep_pairs(s, carry_part) if keep else 0
    for i in range(s.body.shape[0]):
        old = carry_body[i] if keep else -1  # old >= i: its row has not been written yet
        for k in range(BODY_SIZE):
            s.body[i, k] = s.body[old, k] if old >= i else start.body[i, k]
        for k in range(6):
            s.applied[i, k] = s.applied[old, k] if old >= i else start.applied[i, k]
        safety.push[i] = safety.push[old] if old >= i else 0
    for i in range(n_kept, s.pair.shape[0]):
        clear_pair(s, i)
    s.pair_count[0] = n_kept
    for i in range(s.fat_low.shape[0]):
        for k in range(3):
            s.fat_low[i, k] = s.fat_high[i, k] = 0.0  # no box is within: the next step looks for pairs
    if not keep:
        s.tick[0] = start.tick[0]
    for i in range(w.order.shape[0]):
        w.order[i] = i  # of all parts, not of those of the old scene
    for k in range(6):
        w.pointer[k] = 0.0
    safety.word[WORD_GENERATION] = generation
    safety.word[WORD_PAUSED] = 0


@kernel
def keep_pairs(s, carry_part):
    """Pairs of which both parts live on, under their new numbers and still sorted; how many."""
    n = 0
    for i in range(s.pair_count[0]):
        a, b = carry_part[s.pair[i, 0]], carry_part[s.pair[i, 1]]
        if a < 0 or b < 0:
            continue
        s.pair[n, 0], s.pair[n, 1] = a, b
        s.touch[n] = s.touch[i]
        for k in range(s.contact.shape[1]):
            s.contact[n, k] = s.contact[i, k]
        for k in range(s.law.shape[1]):
            s.law[n, k] = s.law[i, k]
        n += 1
    return n


@kernel
def clear_pair(s, i):
    s.pair[i, 0] = s.pair[i, 1] = 0
    s.touch[i] = 0
    for k in range(s.contact.shape[1]):
        s.contact[i, k] = 0.0
    for k in range(s.law.shape[1]):
        s.law[i, k] = 0.0
