#!/bin/sh
# sandbox.sh HOMEDIR PIDBASE COMMAND: run COMMAND in namespaces of its own, so
# that paths, host name, process ids and free ports are those of no real
# machine and are the same in every run. Needs root. /mnt gets a data disk, a
# scratch disk of 300 KiB, and a read-only file system.
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /home
mkdir /home/ada
mount --bind "$1" /home/ada
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir -m 755 /mnt/data /mnt/scratch /mnt/archive
mount -t tmpfs -o mode=1777,size=300k tmpfs /mnt/scratch
mount -t tmpfs -o ro tmpfs /mnt/archive
hostname gn0142
# gloo and MPI look their own host up; no machine but this one exists here
printf '127.0.0.1 localhost gn0142\n' >/tmp/hosts
mount --bind /tmp/hosts /etc/hosts
ip link set lo up 2>/dev/null || ifconfig lo up
echo "$2" >/proc/sys/kernel/ns_last_pid
setarch -R bash -c "$3"
