#!/bin/bash
# 学習の準備
echo "準備開始: $(hostname)"
for f in train valid test; do echo "$f" >"$f.list"; done
wc -l train.list valid.list test.list
cat "$1/vocab.txt" >vocab.txt
echo "語彙: $(wc -l <vocab.txt)"
mkdir "$1/cache" || { echo "準備に失敗しました"; exit 1; }
python3 fit_tiles.py
