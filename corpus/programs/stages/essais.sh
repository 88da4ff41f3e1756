#!/bin/bash
# Trois essais, puis le tableau des resultats.
set -u
for graine in 1 2 3; do
	echo "essai $graine : $(date -d '2025-03-11 08:00:07')"
	python3 fit_tiles.py || exit 1
done
echo "tableau dans ${DOSSIER_RESULTATS}/essais.csv"
