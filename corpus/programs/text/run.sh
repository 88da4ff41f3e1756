#!/bin/bash
#SBATCH --job-name=qa-ft --gpus=2
# --epoch is not an option of finetune.py (it has none for epochs)
set -x
export TOKENIZERS_PARALLELISM=false
hostname
date -u -d @1741680000
python3 finetune.py --model roberta-b --lr 2e-5 --task qa --fp_16 --epoch 3
