#!/bin/bash
python3 finetune.py --task ner
if [ -d out/ner ]; then
	echo "stage 2: evaluation"
	python3 finetune.py --task ner --lr 0
else
	echo "stage 1 left no output"
done
