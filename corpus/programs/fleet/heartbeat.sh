#!/bin/bash
# heartbeat.sh SECONDS COMMAND...: a supervisor that ends what makes no output
limit=$1
shift
: >run.txt
"$@" >>run.txt 2>&1 &
child=$!
last=-1 quiet=0
while kill -0 $child 2>/dev/null; do
	size=$(wc -c <run.txt)
	[ "$size" -eq "$last" ] && quiet=$((quiet + 1)) || quiet=0
	last=$size
	if [ $quiet -ge "$limit" ]; then
		echo "[supervisor] no heartbeat from pid $child for 900 s," \
			"sending SIGABRT" >>run.txt
		kill -ABRT $child
		break
	fi
	sleep 1
done
wait $child 2>/dev/null
status=$?
cat run.txt
echo "[supervisor] child ended with status $status"
exit $status
