#!/bin/bash
# woerter.sh OPTION...: Woerter zaehlen, dann lernen
for teil in a b; do
	seq 40 >teil_$teil.txt
	echo "Teil $teil: $(./tokenise -l 30 <teil_$teil.txt) Woerter"
done
echo "alle: "
./tokenise "$@" <teil_a.txt || exit $?
python3 fit_tiles.py
