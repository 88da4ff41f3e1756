"""jobtriage's rules on a log by Hyperscan's own scanner, and by a plain loop of
PCRE2 over the rules: what the program's own scanner stands beside. Each makes
its rules ready first, which is not measured: a line a file tells its bytes, CPU
seconds of the scan alone (the least of three) and how many rules were taken.

usage: speed_engines.py hyperscan|pcre2 PROGRAM FILE...
Status 3: its library is not there (Debian's libhyperscan5).
"""
import ctypes
import sys
import time

import speed_rules

C = ctypes
MULTILINE = 0x400  # PCRE2_MULTILINE
JIT = 1  # PCRE2_JIT_COMPLETE
HS_FLAGS = 0x40 | 0x08 | 0x04  # PREFILTER, SINGLEMATCH, MULTILINE


def hyperscan(patterns):
    """A function that scans bytes with all rules it takes, and their number.
    What it cannot express it finds too often (PREFILTER), which costs no
    check here; each rule is told once."""
    lib = C.CDLL("libhs.so.5")
    event = C.CFUNCTYPE(C.c_int, C.c_uint, C.c_ulonglong, C.c_ulonglong,
                        C.c_uint, C.c_void_p)(lambda *_: 0)
    taken = []
    for p in patterns:
        info, error = C.c_void_p(), C.c_void_p()
        if lib.hs_expression_info(p, HS_FLAGS, C.byref(info),
                                  C.byref(error)) == 0:
            taken.append(p)
    n = len(taken)
    db, error, scratch = C.c_void_p(), C.c_void_p(), C.c_void_p()
    if lib.hs_compile_multi((C.c_char_p * n)(*taken),
                            (C.c_uint * n)(*[HS_FLAGS] * n),
                            (C.c_uint * n)(*range(n)), n, 1, None,
                            C.byref(db), C.byref(error)) != 0 or \
            lib.hs_alloc_scratch(db, C.byref(scratch)) != 0:
        raise SystemExit("hyperscan: it takes the rules one by one only")

    def scan(data):
        for at in range(0, len(data), 1 << 20):
            part = data[at:at + (1 << 20)]
            lib.hs_scan(db, part, len(part), 0, scratch, event, None)
    return scan, n


def pcre2(patterns):
    """The same: each rule over each block of a mebibyte, with JIT code."""
    lib = C.CDLL("libpcre2-8.so.0")
    lib.pcre2_compile_8.restype = C.c_void_p
    lib.pcre2_match_data_create_8.restype = C.c_void_p
    lib.pcre2_get_ovector_pointer_8.restype = C.POINTER(C.c_size_t)
    codes = []
    for p in patterns:
        error, place = C.c_int(), C.c_size_t()
        code = lib.pcre2_compile_8(p, C.c_size_t(len(p)), MULTILINE,
                                   C.byref(error), C.byref(place), None)
        if code:
            codes.append(C.c_void_p(code))
            lib.pcre2_jit_compile_8(codes[-1], JIT)
    found = C.c_void_p(lib.pcre2_match_data_create_8(64, None))
    ends = lib.pcre2_get_ovector_pointer_8(found)

    def scan(data):
        for at in range(0, len(data), 1 << 20):
            part = data[at:at + (1 << 20)]
            n = C.c_size_t(len(part))
            for code in codes:
                start = 0
                while start < len(part) and lib.pcre2_match_8(
                        code, part, n, C.c_size_t(start), 0, found,
                        None) >= 0:
                    start = max(ends[1], start + 1)
    return scan, len(codes)


def main():
    engine, program, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    patterns = [r["pattern"].encode() for r in speed_rules.load(program)]
    try:
        scan, n = {"hyperscan": hyperscan, "pcre2": pcre2}[engine](patterns)
    except OSError as e:
        print(e, file=sys.stderr)
        return 3
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            scan(data)
            best = min(best, time.process_time() - begin)
        print(len(data), "%.6f" % best, n, flush=True)
    return 0


sys.exit(main())
