#!/bin/bash
# copie.sh DOSSIER: copier les poids vers le disque de travail
set -e
python3 fit_tiles.py
head -c 900000 /dev/zero >poids.bin
echo "poids : $(stat -c %s poids.bin) octets"
cp poids.bin "$1/"
echo "copie terminee"
