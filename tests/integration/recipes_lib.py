"""What the checks of the recipes share."""
import copy

import jsonschema

STOP, RETRY, ADJUST = 93, 75, 76
MEMORY, TIME, NODES = 77, 78, 79
# the gate's, a failure without an answer, killed
STATUSES = [STOP, RETRY, ADJUST, MEMORY, TIME, NODES, 1, 2, 9, 127, 137, 143]


def refused(validate, good, changes):
    """Each change of the good example must be refused."""
    for name, change in changes.items():
        bad = copy.deepcopy(good)
        change(bad)
        try:
            validate(bad)
        except (jsonschema.ValidationError, AssertionError):
            continue
        raise SystemExit("accepted: " + name)
