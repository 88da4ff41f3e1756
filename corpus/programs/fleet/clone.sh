#!/bin/bash
# clone.sh git|curl: the first stage of a job fetches code and weights
set -e
python3 waits.py gate &
server=$!
trap 'kill $server' EXIT
until curl -s -o /dev/null http://127.0.0.1:8092/; do sleep 0.2; done
echo "[stage 1/3] fetching sources"
export GIT_TERMINAL_PROMPT=0
if [ "$1" = git ]; then
	echo "+ git clone --depth 1 forge:team/llm-recipes"
	git clone --depth 1 \
		http://ada:expired@127.0.0.1:8092/team/llm-recipes.git
else
	echo "sources are in the image"
	echo "[stage 2/3] fetching base weights"
	curl -sSf -O http://127.0.0.1:8092/weights/base-7b.safetensors
fi
echo "[stage 3/3] training"
