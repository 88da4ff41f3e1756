#!/bin/bash
# 训练脚本
echo "主机 $(hostname), 开始训练"
python3 fit_tiles.py
for lr in 1e-4 3e-4; do
	if [ -f "runs/$lr.txt" ]; then
		echo "跳过 $lr"
	echo "学习率 $lr"
done
echo "全部完成"
