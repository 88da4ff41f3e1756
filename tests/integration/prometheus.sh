# The metrics, the alerts and the systemd units, judged by Prometheus and
# systemd themselves.
. "$TOP/tests/lib.sh"

nightly=$TOP/reports/nightly
TZ=UTC0
export TZ

begin 'systemd takes the units'
if command -v systemd-analyze >/dev/null; then
	mkdir units
	cp "$nightly/jobtriage-nightly.timer" units
	sed "s|/usr/local/bin/jobtriage-nightly|$nightly/jobtriage-nightly|" \
		"$nightly/jobtriage-nightly.service" \
		>units/jobtriage-nightly.service
	status 0 systemd-analyze verify --man=no \
		units/jobtriage-nightly.service units/jobtriage-nightly.timer
	t test ! -s err
	echo 'ProtectSystem=rather' >>units/jobtriage-nightly.service
	systemd-analyze verify --man=no units/jobtriage-nightly.service \
		>out 2>err
	has err rather
else
	report
	echo "skip $name: systemd-analyze is missing"
	name=
fi

need promtool prometheus "$PYTHON"

begin 'promtool takes the alerts'
status 0 promtool check rules "$nightly/alerts.yml"

begin 'promtool takes the metrics'
"$PYTHON" "$TOP/tests/integration/month.py" month --nights 3 --jobs 2000 ||
	exit 1
for day in 01 02 03; do
	status 0 "$JT" scan -q --jobs "month/sacct/2025-03-$day.txt" \
		--store sqlite:jobs.db --format jsonl "month/logs/2025-03-$day"
done
for form in prometheus json; do
	status 0 "$JT" report --store sqlite:jobs.db --since 2025-03-01 \
		--until 2025-03-04 --format "$form" -o "report.$form"
done
status 0 sh -c 'promtool check metrics <report.prometheus'
t test ! -s err

begin 'the alerts go off when they should, and only then'
cp "$nightly/alerts.yml" .
cat >alerts_test.yml <<'Y'
rule_files: [alerts.yml]
evaluation_interval: 5m
tests:
  - name: a good month, a report a night
    interval: 1d
    input_series:
      - {series: 'jobtriage_report_period_end_seconds{instance="a"}',
         values: '0+86400x20'}
      - {series: 'jobtriage_gpu_seconds_lost{instance="a"}',
         values: '900000+1000x20'}
      - {series: 'jobtriage_gpu_seconds{instance="a"}', values: '9e7+0x20'}
      - {series: 'jobtriage_gpu_seconds_avoidable{instance="a"}',
         values: '1000+0x20'}
      - {series: 'jobtriage_nodes_suspect{instance="a"}', values: '0+0x20'}
      - {series: 'jobtriage_nightly_problems{instance="a"}', values: '0+0x20'}
      - {series: 'jobtriage_failures{instance="a",category="unknown"}',
         values: '3+0x20'}
      - {series: 'jobtriage_failures{instance="a",category="loss_nan"}',
         values: '50+0x20'}
    alert_rule_test:
      - {eval_time: 20d, alertname: JobReportMissing}
      - {eval_time: 20d, alertname: JobReportAbsent}
      - {eval_time: 20d, alertname: JobReportIncomplete}
      - {eval_time: 20d, alertname: WastedGpuHoursUp}
      - {eval_time: 20d, alertname: PointlessRetries}
      - {eval_time: 20d, alertname: SuspectNodes}
      - {eval_time: 20d, alertname: UnknownFailuresUp}
  - name: a bad night
    interval: 5m
    input_series:
      - {series: 'jobtriage_report_period_end_seconds{instance="a"}',
         values: '0+0x1000'}
      - {series: 'jobtriage_gpu_seconds_lost{instance="a"}',
         values: '400000+0x700 900000+0x300'}
      - {series: 'jobtriage_gpu_seconds{instance="a"}', values: '9e7+0x1000'}
      - {series: 'jobtriage_gpu_seconds_avoidable{instance="a"}',
         values: '1000+0x700 2e6+0x300'}
      - {series: 'jobtriage_nodes_suspect{instance="a"}',
         values: '0+0x700 2+0x300'}
      - {series: 'jobtriage_nightly_problems{instance="a"}',
         values: '0+0x700 1+0x300'}
      - {series: 'jobtriage_failures{instance="a",category="unknown"}',
         values: '3+0x700 20+0x300'}
      - {series: 'jobtriage_failures{instance="a",category="loss_nan"}',
         values: '50+0x1000'}
    promql_expr_test:
      - expr: count by (alertname) (ALERTS{alertstate="firing"})
        eval_time: 60h
        exp_samples:
          - {labels: '{alertname="JobReportMissing"}', value: 1}
          - {labels: '{alertname="WastedGpuHoursUp"}', value: 1}
          - {labels: '{alertname="PointlessRetries"}', value: 1}
          - {labels: '{alertname="SuspectNodes"}', value: 1}
          - {labels: '{alertname="JobReportIncomplete"}', value: 1}
          - {labels: '{alertname="UnknownFailuresUp"}', value: 1}
      - expr: count by (alertname) (ALERTS{alertstate="firing"})
        eval_time: 40h
        exp_samples:
          - {labels: '{alertname="JobReportMissing"}', value: 1}
      - expr: count by (alertname) (ALERTS{alertstate="firing"})
        eval_time: 30h
        exp_samples: []
  - name: no metrics
    interval: 5m
    input_series: []
    promql_expr_test:
      - expr: count by (alertname) (ALERTS{alertstate="firing"})
        eval_time: 3h
        exp_samples:
          - {labels: '{alertname="JobReportAbsent"}', value: 1}
Y
status 0 promtool test rules alerts_test.yml

begin 'Prometheus reads what the report says'
cat >serve.py <<'P'
import http.server, os, sys
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open("report.prometheus", "rb") as f:
            data = f.read()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Page)
with open("port.new", "w") as f:
    f.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
P
"$PYTHON" serve.py &
serving=$!
trap 'kill $serving $scraping 2>/dev/null' EXIT
scraping=
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -e port ] || sleep 1
done
cat >prometheus.yml <<Y
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: node
    static_configs: [{targets: ['127.0.0.1:$(cat port)']}]
Y
web=127.0.0.1:$("$PYTHON" -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb \
	--web.listen-address="$web" >prometheus.log 2>&1 &
scraping=$!
t "$PYTHON" - "$web" <<'P'
import json, sys, time, urllib.error, urllib.parse, urllib.request
def ask(expression):
    url = "http://%s/api/v1/query?query=%s" % (
        sys.argv[1], urllib.parse.quote(expression))
    with urllib.request.urlopen(url, timeout=5) as r:
        return json.load(r)["data"]["result"]
for _ in range(60):
    try:
        if ask("jobtriage_attempts"):
            break
    except (urllib.error.URLError, OSError):
        pass
    time.sleep(0.5)
def one(expression):
    v = ask(expression)
    assert len(v) == 1, (expression, v)
    return int(float(v[0]["value"][1]))
with open("report.json") as f:
    report = json.load(f)
now = report["now"]
assert now["attempts"] > 1000, now
assert one("jobtriage_attempts") == now["attempts"]
assert one("jobtriage_gpu_seconds") == now["gpu_seconds"]
assert one("jobtriage_gpu_seconds_lost") == now["lost"]
assert one("sum(jobtriage_failures)") == now["failed"]
for row in report["breakdowns"]["category"]:
    assert one('sum(jobtriage_failures{category="%s"})' % row["key"]) == \
        row["now"]["failed"], row
assert one("jobtriage_report_period_end_seconds") == 1741046400
alerts = {a["metric"]["alertname"] for a in ask("ALERTS")}
for _ in range(20):  # the report is of long ago
    alerts = {a["metric"]["alertname"] for a in ask("ALERTS")}
    if "JobReportMissing" in alerts:
        break
    time.sleep(0.5)
assert "JobReportMissing" in alerts, alerts
P
kill "$scraping" "$serving" 2>/dev/null
trap - EXIT

done_cases
