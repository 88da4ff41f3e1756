#!/bin/bash
set -eu
for lr in 1e-5 3e-5
do
	echo "== lr=$lr"
	python3 finetune.py --lr $lr
done
echo "collecting results into $RESULTS_DIR/summary.csv"
