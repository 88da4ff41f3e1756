# The corpus in damaged archives: bounded, told, and the rest is answered.
# SECONDS_DAMAGE=N goes on for so long, SEED=N damages other bytes.
. "$TOP/tests/lib.sh"
need gzip bzip2 xz zstd lz4 7z

"$PYTHON" "$TOP/tests/fuzz/damage.py" "${SECONDS_DAMAGE:-25}"
