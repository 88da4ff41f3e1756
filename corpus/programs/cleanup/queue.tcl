#!/usr/bin/tclsh
# Picks the next training run of a queue file and prints its command.
proc limits {queue} {
	set table [dict create debug 1800 short 14400 long 172800]
	return [dict get $table $queue]
}

proc command {run} {
	set queue [dict get $run queue]
	puts "queue.tcl: run [dict get $run name] wants queue $queue"
	return "srun -t [limits $queue] python3 train.py [dict get $run args]"
}

set runs {
	{name sr-x2 queue short args "--scale 2"}
	{name sr-x4 queue long args "--scale 4"}
	{name sr-x8 queue weekend args "--scale 8"}
}
foreach run $runs {
	puts [command $run]
}
