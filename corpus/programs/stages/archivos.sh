#!/bin/bash
# Desempaquetar los fragmentos antes de entrenar.
set -e
mkdir -p fragmentos
for i in 1 2 3; do
	head -c 40000 /dev/urandom >fragmentos/f$i.bin
	tar -czf f$i.tar.gz fragmentos/f$i.bin
done
truncate -s 21000 f2.tar.gz
for i in 1 2 3; do
	echo "fragmento f$i.tar.gz"
	tar -xzf f$i.tar.gz
done
python3 fit_tiles.py
