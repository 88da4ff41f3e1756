# The manual names what the program has, and is well formed; the examples of
# every page, and the command lines of README.md, do what they are shown for.
. "$TOP/tests/lib.sh"
need zip

# options COMMAND: the long names that its help has
options() {
	"$JT" "$1" --help | sed -n 's/^  [- ].[, ] --\([a-z-]*\).*/\1/p'
}
"$JT" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v 'help\|completion' \
	>commands

begin 'every command has a page, every option is in it, and no other'
t test "$(grep -c . commands)" -ge 9
while read -r c; do
	page=$TOP/man/jobtriage-$c.1
	has "$TOP/man/jobtriage.1" "Xr jobtriage-$c 1"
	options "$c" >options
	t test -s options
	while read -r o; do
		t grep -Eq "Fl ([a-z] , )?(-[a-z-]+ .*Fl )?-$o( |\$)" "$page"
	done <options
	grep '^\.It Fl' "$page" | tr ' ' '\n' | sed -n 's/^-\([a-z].*\)/\1/p' \
		>named
	while read -r o; do
		t grep -qx -- "$o" options
	done <named
done <commands

begin 'every limit is in the help'
status 0 "$JT" help limits
has out archive-depth pending line

begin 'the table of limits is that of the program'
"$JT" help limits | sed 's/^\([a-z-]*\) *\([0-9]*\) *\(.*\)/.It Cm \1 Pq \2\n\3/' \
	>limits
sed -n '/^\.Sh LIMITS/,/^\.El/p' "$TOP/man/jobtriage.1" |
	sed '1,/^\.Bl/d; /^\.El/d' >shown
t test -s limits
t diff limits shown

begin 'every format that the help names is one'
cp "$TOP/corpus/key_not_found/settings_from.log" a.log
status 0 "$JT" scan -q --format jsonl -o a.jsonl a.log
words() {
	"$JT" "$1" --help | sed -n '/--format /,/^ *-o/p' |
		sed '1s/.*(default: text)://; $d' | tr -s ' ,' '\n\n' |
		grep -vxE 'or|'
}
for format in $(words scan); do
	status 0 "$JT" scan -q --format "$format" a.log
done
for format in $(words report); do
	case $format in
	slurm) status 0 "$JT" report nodes --format "$format" a.jsonl ;;
	*) status 0 "$JT" report --format "$format" a.jsonl ;;
	esac
done
t test "$(words scan | wc -l)" = 4
t test "$(words report | wc -l)" = 7

begin 'every page that is named is there'
for page in $(sed -n 's/^\.Xr \(jobtriage[a-z-]*\) \([178]\).*/\1.\2/p' \
	"$TOP"/man/* | sort -u); do
	t test -s "$TOP/man/$page"
done

# ---- what the examples need ----

corpus=$TOP/corpus
prepare() {
	mkdir -p folder/logs folder/runs/run1 bin 4711
	cp "$corpus/gpu_out_of_memory/video_rank2.log" folder/slurm-4711.out
	cp folder/slurm-4711.out 4711/rank3.log
	cp -r "$corpus/cpu_out_of_memory/outlier_batch" folder/logs/train-4712
	cp folder/slurm-4711.out folder/logs
	cp folder/slurm-4711.out folder/logs/slurm-9.err
	cp folder/slurm-4711.out folder/runs/run1/worker-0.txt
	cp "$corpus/key_not_found"/*.log folder/logs
	ln -s "$corpus" folder/corpus
	cat >folder/train.py <<-'P'
		print("step 1 loss 0.5")
		print({}["lr"])
	P
	cat >folder/train.log <<-'L'
		step 1 loss 0.5
		Traceback (most recent call last):
		  File "train.py", line 2, in <module>
		    print({}["lr"])
		KeyError: 'lr'
	L
	printf 'step 1 loss 0.6\nTraining finished\n' >folder/good.log
	cat >folder/sacct.txt <<-'S'
		JobID|State|ExitCode|AllocTRES|Start|End
		4711|FAILED|1:0|gres/gpu=8|2024-05-01T00:00:00|2024-05-01T02:00:00
		4799|OUT_OF_MEMORY|0:125|gres/gpu=4|2024-05-01T00:00:00|2024-05-01T01:00:00
	S
	cat >folder/jobs.csv <<-'S'
		job,owner,status,gpu_count,started_at,finished_at
		4711,ada,FAILED,8,2024-05-01 00:00:00,2024-05-01 02:00:00
	S
	# the map is the one that the page shows
	sed -n '/^\.Ss A column map/,/^\.Ed/p' "$TOP/man/jobtriage-scan.1" |
		grep -v '^\.' >folder/columns.yaml
	# the rules are those that README.md shows
	sed -n '/^```yaml/,/^```$/p' "$TOP/README.md" | grep -v '^```' \
		>folder/site.yaml
	cat >folder/policy-site.yaml <<-'Y'
		policy:
		  - category: storage_fault
		    verdict: adjust
		    delay_seconds: 600
		    reason: The file server is being repaired.
	Y
	zip -qr jobs.zip 4711
	tar cf folder/may.tar jobs.zip
	tar czf folder/logs.tar.gz -C folder logs
	mkdir rack7 && cp 4711/rank3.log slurm-9.err
	zip -q rack7.zip slurm-9.err
	tar czf folder/night.tar.gz rack7.zip
	ln -s "$JT" bin/jobtriage
	ln -s "$TOP/classifier/recipes/jobtriage-retry" bin
	ln -s "$(command -v "$PYTHON")" bin/python3
	PATH=$PWD/bin:$PATH
	export PATH
	# a store that has the jobs of the page before
	(cd folder && jobtriage scan -q --jobs sacct.txt \
		--store sqlite:triage.db logs >/dev/null 2>&1)
}
prepare

# example FILE: "STATUS COMMAND" lines in it do what they should, in a copy
examples() {
	rm -rf here
	cp -r folder here
	t test -s "$1"
	while read -r want line; do
		(cd here && sh -c "$line") >out 2>err </dev/null
		got=$?
		[ "$got" -eq "$want" ] ||
			why=${why:-"$line: status $got instead of $want ($(
				head -c 300 err))"}
		# what fails as it should has an answer, too
		[ "$want" -eq 0 ] || grep -q . out err ||
			why=${why:-"$line: says nothing"}
	done <"$1"
}

for page in "$TOP"/man/*.[17]; do
	begin "examples of ${page##*/}"
	awk '
	/^\.\\" status/ { status = $3; next }
	/^\.Dl \$ jobtriage(-retry)? / {
		sub(/^\.Dl \$ /, "")
		gsub(/\\\(dq/, "\"")
		gsub(/\\e/, "\\")
		print status + 0, $0
	}
	{ status = 0 }' "$page" >lines
	case $page in
	*.1) examples lines ;;
	*) [ ! -s lines ] || examples lines ;;
	esac
done

begin 'the command lines of README.md'
# What needs the machine of somebody else is made to fit.
sed -n '/^```/,/^```$/p' "$TOP/README.md" | sed -n 's/^\$ //; /^jobtriage /p' |
	sed 's| *# .*||; s|/var/log/jobs|logs|; s|slurm-1234|slurm-4711|' |
	sed '/^jobtriage gate/s/^/1 /; /--fail-on stop/s/^/1 /; t
		s/^/0 /' >lines
t test "$(grep -c . lines)" -ge 12
examples lines

begin 'mandoc has nothing to say'
if command -v mandoc >/dev/null 2>&1; then
	t mandoc -T lint -W warning "$TOP"/man/*.[1-9]
else
	echo "skip mandoc: it is missing"
	name=
fi

done_cases
