#!/bin/bash
# interrupt.sh SIGNAL PROGRAM...: what a person at the terminal does
signal=$1
shift
set -m
"$@" &
sleep 2.5
kill -s "$signal" $!
wait $!
