"""What a pair remembers, carried from one pair list to the next.

Both lists are sorted, so one walk along both finds for every new pair its old rows, if it had any: last direction,
frozen patch, friction state. A pair that is new begins with zeros. Used by `step.py` when the broad phase has run.
"""

from hapticd.kernel._jit import kernel, kernel_inline


@kernel
def carry(count, found, pair_count, pair, touch, contact, law, old_pair, old_touch, old_contact, old_law):
    """Make the first `count` rows of `found` the pair list. Nothing is copied when the list is the same."""
    n_old = pair_count[0]
    if same(count, found, n_old, pair):
        return
    for i in range(n_old):
        copy_row(i, pair, touch, contact, law, i, old_pair, old_touch, old_contact, old_law)
    j = 0
    for i in range(count):
        a, b = found[i, 0], found[i, 1]
        while j < n_old and (old_pair[j, 0] < a or (old_pair[j, 0] == a and old_pair[j, 1] < b)):
            j += 1
        if j < n_old and old_pair[j, 0] == a and old_pair[j, 1] == b:
            copy_row(j, old_pair, old_touch, old_contact, old_law, i, pair, touch, contact, law)
        else:
            clear_row(i, pair, touch, contact, law)
            pair[i, 0], pair[i, 1] = a, b
    for i in range(count, n_old):
        clear_row(i, pair, touch, contact, law)  # rows not in use are zero: the state's hash depends on it
    pair_count[0] = count


@kernel_inline
def same(count, found, n_old, pair):
    if count != n_old:
        return False
    for i in range(count):
        if found[i, 0] != pair[i, 0] or found[i, 1] != pair[i, 1]:
            return False
    return True


@kernel_inline
def copy_row(i, pair, touch, contact, law, j, to_pair, to_touch, to_contact, to_law):
    to_pair[j, 0], to_pair[j, 1] = pair[i, 0], pair[i, 1]
    to_touch[j] = touch[i]
    for k in range(contact.shape[1]):
        to_contact[j, k] = contact[i, k]
    for k in range(law.shape[1]):
        to_law[j, k] = law[i, k]


@kernel_inline
def clear_row(i, pair, touch, contact, law):
    pair[i, 0], pair[i, 1] = 0, 0
    touch[i] = 0
    for k in range(contact.shape[1]):
        contact[i, k] = 0.0
    for k in range(law.shape[1]):
        law[i, k] = 0.0
