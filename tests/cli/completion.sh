# The scripts of `completion`, in the shells themselves; help on words.
. "$TOP/tests/lib.sh"
need bash zsh fish

mkdir logs plain
touch logs/train.log 'logs/two words.log' plain/logs.txt
for shell in bash zsh fish; do
	"$JT" completion "$shell" >"script.$shell" || exit 1
done

begin 'usage'
status 2 "$JT" completion
status 2 "$JT" completion csh
has err 'expected bash, zsh or fish'
status 0 "$JT" completion bash -o bash.out
t cmp script.bash bash.out
cat >site.yaml <<'Y'
category: storage_fault
rules:
  - id: storage_fault.site_cache
    title: The burst buffer was not staged
    pattern: 'bbuffer: stage-in of \S+ failed'
    role: root
    examples:
      match: ['bbuffer: stage-in of /data/x failed']
      no_match: ['bbuffer: stage-in of /data/x done']
Y
for shell in bash zsh fish; do
	status 0 "$JT" completion $shell -t site.yaml
	has out storage_fault.site_cache
	hasnt "script.$shell" storage_fault.site_cache
done

begin 'every command and option is in every script'
"$JT" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
t test "$(grep -c . commands)" -ge 10
while read -r c; do
	status 0 "$JT" "$c" --help
	options=$(sed -n 's/^  [- ].[, ] --\([a-z-]*\).*/\1/p' out)
	t test -n "$options"
	sed -n "/^	$c)\$/,/esac ;;\$/p" script.bash >part.bash
	sed -n "/^	$c)\$/,/^		;;\$/p" script.zsh >part.zsh
	grep "'__jobtriage_is $c'" script.fish >part.fish
	for o in $options; do
		has part.bash "--$o"
		has part.zsh "--$o"
		has part.fish "-l $o"
	done
done <commands

begin 'bash'
cat >complete.bash <<'B'
source ./script.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_jobtriage
printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd' '
B
# says EXPECTED WORD...: what a bash offers for the last word
says() {
	expected=$1
	shift
	said=$(bash --norc complete.bash jobtriage "$@" 2>&1)
	[ "$said" = "$expected" ] ||
		why=${why:-"for $*: '$said' instead of '$expected'"}
}
t bash -n script.bash
says taxonomy ta
says '--fail-on --follow --format' scan --f
says text scan --format t
says 'csv json jsonl text' scan -f ''
says 'csv html json markdown prometheus slurm text' report --format ''
says 'json jsonl' scan --format = js
says 'csv json jsonl text' scan --format =
says 'always auto' eval --color a
says logs scan lo
says 'logs/train.log logs/two words.log' explain logs/t
says logs scan --jobs l
says '' gate --attempt ''
says 'show' taxonomy s
says 'replay' gate rep
says 'export' store exp
says 'loss_nan' scan --fail-on loss_
says 'data' scan --fail-on data
says 'undecided' scan --fail-on undec
says 'torchelastic' gate --layout tor
says 'kubernetes' gate --exit-map k
says 'archive-bytes= archive-depth= archive-members= archive-ratio=' \
	scan --limit archive-
says 'loss_nan=' run --on loss_
says 'stop warn' run --on loss_nan = ''
says 'stop' run --on hang : 10m = s
says 'logs' scan --store sqlite : lo
says 'gpu_out_of_memory.ascend' taxonomy show gpu_out_of_memory.as
says 'fish' completion f
says 'limits' help lim
says 'logs' scan -- lo
says 'printenv' run -- printenv

begin 'zsh'
t zsh -n script.zsh
# A zsh at a terminal is typed to; its jobtriage prints what it was given.
cat >typed.zsh <<'Z'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -u -D; source ./script.zsh; PS1='
zpty -w z 'jobtriage() { print -r -- "got<$*>" }; print rea""dy'
zpty -r -m z seen '*ready*'
zpty -n -w z "jobtriage $1"$'\t\n'
zpty -r -m z seen '*got<*>*'
seen=${seen##*got<}
print -r -- "${seen%%>*}"
Z
typed() {
	said=$(timeout 20 zsh -f typed.zsh "$1" 2>&1)
	[ "$said" = "$2" ] ||
		why=${why:-"for $1: '$said' instead of '$2'"}
}
typed 'tax' 'taxonomy'
typed 'scan --no-prog' 'scan --no-progress'
typed 'report --format ma' 'report --format markdown'
typed 'report --format=ma' 'report --format=markdown'
typed 'eval -f js' 'eval -f json'
typed 'scan --fail-on loss_' 'scan --fail-on loss_nan'
typed 'scan --limit nested' 'scan --limit nested-seek='
typed 'scan logs/tr' 'scan logs/train.log'
typed 'gate --exit-map k' 'gate --exit-map kubernetes'
typed 'store exp' 'store export'
typed 'taxonomy show gpu_out_of_memory.as' \
	'taxonomy show gpu_out_of_memory.ascend'
typed 'run -- printen' 'run -- printenv'
typed 'run -- cat logs/tr' 'run -- cat logs/train.log'
typed 'run --on loss_' 'run --on loss_nan='

begin 'fish'
t fish -N -n script.fish
offers() {
	said=$(fish -N -c 'source script.fish; complete -C "jobtriage $argv"' \
		-- "$1" 2>&1 | cut -f1 | sort | paste -sd' ')
	[ "$said" = "$2" ] ||
		why=${why:-"for $1: '$said' instead of '$2'"}
}
offers 'tax' taxonomy
offers 'scan --form' --format
offers 'scan --format ' 'csv json jsonl text'
offers 'report --format=ma' --format=markdown
offers 'report -f ma' markdown
offers 'scan logs/tr' logs/train.log
offers 'scan --jobs logs/tr' logs/train.log
offers 'gate --exit-map k' kubernetes
offers 'store exp' export
offers 'taxonomy show gpu_out_of_memory.as' gpu_out_of_memory.ascend
offers 'report --fail' ''
status 0 fish -N -c 'source script.fish; complete -C "jobtriage scan --qui"'
has out 'no notes about inputs'

begin 'help on words'
status 0 "$JT" help scan
has out 'usage: jobtriage scan' '--fail-on'
status 0 "$JT" help --store
has out 'scan, gate' '--store URL'
status 0 "$JT" help store
has out 'usage: jobtriage store'
status 0 "$JT" help -o exit-map
has out '--output FILE' '--exit-map MAP'
status 0 "$JT" help gpu_out_of_memory
"$JT" taxonomy show gpu_out_of_memory >shown
t cmp shown out
status 0 "$JT" help gpu_out_of_memory.ascend
has out gpu_out_of_memory.ascend
status 0 "$JT" help adjust unknown
has out 'adjust: a verdict' 'unknown: a category'
status 0 "$JT" help oom
has out 'cpu_out_of_memory ' 'gpu_out_of_memory ' 'help ID'
status 0 "$JT" help nccl
has out NCCL
status 2 "$JT" scan --frmat=json .
has err "did you mean '--format'?"
status 2 "$JT" scan --nothing-like-it .
has err 'see jobtriage scan --help'
status 0 "$JT" help 3
has out '3: it ran, but some input could not be read' '3: gate: undecided'
status 0 "$JT" help 93
has out '93: gate --exit-map nvrx: stop'
status 0 "$JT" help 137
has out 'a signal ended the command'
status 0 "$JT" help archive-depth
t test "$(wc -l <out)" -eq 1
status 0 "$JT" help --help
has out 'usage: jobtriage help'

begin 'words that are none'
status 2 "$JT" help gpu_out_of_memry
has err "did you mean 'gpu_out_of_memory'?"
status 2 "$JT" help --colour
has err "did you mean '--color'?"
status 2 "$JT" help ''
status 2 "$JT" help 900
status 2 "$JT" help scan zzzzzzzzzzzz
has out 'usage: jobtriage scan'
has err "no help on 'zzzzzzzzzzzz'; see"
status 2 "$JT" help "$(head -c 3000 /dev/zero | tr '\0' a)"
status 2 "$JT" reprot
has err "did you mean 'report'?"
status 2 "$JT" xyzzyxyzzy
has err 'see jobtriage --help'

done_cases
