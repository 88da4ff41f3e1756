# Memory that runs out at every place of every command. FAULT_STEP=K takes every
# Kth of them (6).
. "$TOP/tests/lib.sh"
need "$PYTHON"

begin 'out of memory at every place'
t "$PYTHON" "$TOP/tests/faults/sweep.py" "$BUILD/tests/faults/inject.so" \
	alloc --places --step "${FAULT_STEP:-6}" "$JT"
grep '^#' t.out || :

done_cases
