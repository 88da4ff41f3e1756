#!/bin/bash
# Compares the shards with the sums that came with them.
mkdir -p shards
for i in 0 1 2 3; do seq "$i" 7 9000 >shards/web_$i.tar; done
(cd shards && sha256sum web_*.tar >SHA256SUMS)
printf 'x' | dd of=shards/web_2.tar bs=1 seek=4096 conv=notrunc status=none
python3 train.py || exit 1
echo "verifying shards before epoch 1"
cd shards && sha256sum -c SHA256SUMS || exit 1
