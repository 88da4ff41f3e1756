#!/bin/bash
# aufbereiten.sh SCHRITT...: die Daten fuer das Training zurechtlegen
set -e
sagen() { echo "[$(date -d '2025-03-11 08:00:07')] $*"; }
schritt() {
	case $1 in
	anlegen)
		mkdir -p arbeit/kacheln
		for i in 1 2 3 4; do echo "Kachel $i" >"arbeit/kacheln/$i.txt"; done
		kacheln=(arbeit/kacheln/*)
		sagen "${#kacheln[@]} Kacheln angelegt" ;;
	aufteilen)
		sagen "je Knoten $((${#kacheln[@]} / KNOTEN)) Kacheln" ;;
	masken)
		cp -r roh/masken_2024 arbeit/masken ;;
	vorlauf)
		rm arbeit/kacheln/alt.txt || sagen "nichts Altes zu entfernen"
		ls arbeit/masken || sagen "keine Masken, es geht ohne"
		cat arbeit/rechte.txt || true ;;
	esac
	sagen "Schritt $1 fertig"
}
alles() {
	for s in "$@"; do
		sagen "Schritt $s"
		schritt "$s"
	done
	python3 fit_tiles.py
}
alles "$@"
