#!/bin/bash
# build.sh: compiles an extension with all warnings, then trains
echo "building extension error_feedback ..."
g++ -std=c++17 -O1 -Wall -Wextra -shared -fPIC -o error_feedback.so \
	error_feedback.cc || exit 1
echo "building extension error_feedback ... done"
python3 figures.py spikes
