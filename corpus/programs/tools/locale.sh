#!/bin/bash
# locale.sh LOCALE COMMAND...: run COMMAND where messages are translated. The
# machine need not have the locale: a private one is made from its source.
mkdir -p ~/.locale
localedef -i "${1%.*}" -f UTF-8 ~/.locale/"$1" >/dev/null 2>&1
name=$1
shift
exec env LOCPATH="$HOME/.locale" LC_ALL="$name" LANGUAGE="${name%%.*}" "$@"
