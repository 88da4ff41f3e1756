/*
 * Job records in every format but sacct's text: each from a small sample.
 */
#include "tests/jobs/accounting_lab.h"

#include "jobs/accounting_map.h"

#include <zlib.h>

static void test_slurm_json(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "{\"meta\": {\"command\": [\"sacct\"], \"jobs\": 1},\n"
	    " \"errors\": [],\n"
	    " \"jobs\": [\n"
	    "  {\"job_id\": 12, \"name\": \"train\", \"user\": \"alice\",\n"
	    "   \"association\": {\"account\": \"ml\", \"user\": \"a\"},\n"
	    "   \"partition\": \"gpu\", \"container\": \"img:1\",\n"
	    "   \"array\": {\"job_id\": 10,\n"
	    "     \"task_id\": {\"set\": true, \"number\": 2}},\n"
	    "   \"het\": {\"job_id\": 0, \"job_offset\": {\"set\": false}},\n"
	    "   \"state\": {\"current\": [\"FAILED\"],\n"
	    "     \"reason\": \"NonZeroExitCode\"},\n"
	    "   \"restart_cnt\": 1, \"nodes\": \"n[1-2]\",\n"
	    "   \"time\": {\"start\": 1719230400, \"end\": 1719234000,\n"
	    "     \"submission\": 1719230000, \"elapsed\": 3600,\n"
	    "     \"limit\": {\"set\": true, \"infinite\": true,\n"
	    "       \"number\": 0}},\n"
	    "   \"exit_code\": {\"status\": [\"ERROR\"], \"return_code\":\n"
	    "     {\"set\": true, \"infinite\": false, \"number\": 1},\n"
	    "     \"signal\": {\"id\": {\"set\": false, \"number\": 0}}},\n"
	    "   \"tres\": {\"allocated\": [\n"
	    "     {\"type\": \"cpu\", \"name\": \"\", \"count\": 8},\n"
	    "     {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 4},\n"
	    "     {\"type\": \"gres\", \"name\": \"gpu:a100\",\n"
	    "      \"count\": 4}]},\n"
	    "   \"steps\": [{\"state\": [\"OUT_OF_MEMORY\"]}]},\n"
	    "  {\"job_id\": 20, \"state\": {\"current\": \"COMPLETED\"},\n"
	    "   \"exit_code\": {\"status\": \"SUCCESS\", \"return_code\": 0},\n"
	    "   \"het\": {\"job_id\": 20, \"job_offset\": 0},\n"
	    "   \"time\": {\"elapsed\": 5}},\n"
	    "  {\"job_id\": 30, \"state\": {\"current\": [\"FAILED\"]},\n"
	    "   \"exit_code\": {\"return_code\": {\"number\": 0}, \"signal\":\n"
	    "     {\"signal_id\": 9, \"name\": \"KILL\"}}},\n"
	    "  {\"name\": \"no id\"}\n"
	    "]}\n");
	assert_int_equal(accounting_count(lab.a), 3);
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "10_2");
	assert_string_equal(r->raw_id, "12");
	assert_int_equal(r->line, 4);
	assert_string_equal(r->user, "alice");
	assert_string_equal(r->group, "ml");
	assert_string_equal(r->image, "img:1");
	assert_string_equal(r->state, "FAILED");
	assert_string_equal(r->reason, "OUT_OF_MEMORY (step)");
	assert_int_equal(r->started, 1719230400000000);
	assert_int_equal(r->seconds, 3600);
	assert_int_equal(r->gpus, 4);
	assert_int_equal(r->gpu_seconds, 14400);
	assert_int_equal(r->exit_code, 1);
	assert_int_equal(r->signal, 0);
	assert_int_equal(r->requeues, 1);
	assert_int_equal(r->n_nodes, 2);
	assert_string_equal(lab_at(&lab, 1)->id, "20");
	assert_int_equal(lab_at(&lab, 1)->end, JOB_END_WELL);
	assert_int_equal(lab_at(&lab, 1)->exit_code, 0);
	assert_int_equal(lab_at(&lab, 2)->signal, 9);
	assert_int_equal(accounting_lost(lab.a), 1);
	lab_noted(&lab, "row lost: no job_id");
	lab_free(&lab);
}

static void test_json_of_ages(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "{\"jobs\": [{\"job_id\": 1, \"state\": \"FAILED\", \"time\":\n"
	    "{\"start\": 9223372036854775807, \"end\": 4000000000,\n"
	    "\"submission\": 1719230000, \"elapsed\": 1000000000000}}]}");
	r = lab_at(&lab, 0);
	assert_int_equal(r->started, NO_TIME);
	assert_int_equal(r->ended, NO_TIME);
	assert_int_equal(r->submitted, 1719230000000000);
	assert_int_equal(r->seconds, USAGE_UNKNOWN);
	lab_noted(&lab, "no time '9223372036854775807': left unknown");
	lab_noted(&lab, "a time in the future: left unknown");
	lab_noted(&lab, "no run time '1000000000000': left unknown");
	lab_free(&lab);
}

static void test_squeue_json(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "{\"jobs\": [{\"job_id\": 7, \"job_state\": [\"RUNNING\"],\n"
	    "\"user_name\": \"bob\", \"account\": \"x\", \"array_job_id\":\n"
	    "{\"set\": true, \"number\": 0}, \"start_time\": {\"set\": true,\n"
	    "\"infinite\": false, \"number\": 1719230400}, \"end_time\":\n"
	    "{\"set\": true, \"number\": 4000000000}, \"tres_alloc_str\":\n"
	    "\"cpu=4,gres/gpu=8,node=1\", \"state_reason\": \"None\"},\n"
	    "{\"job_id\": 8, \"job_state\": \"FAILED\", \"exit_code\": 256,\n"
	    "\"gres_detail\": [\"gpu:a100:4(IDX:0-3)\", \"gpu:2\"]},\n"
	    "{\"job_id\": 9, \"job_state\": \"PENDING\", \"start_time\":\n"
	    "4000000000}], \"meta\": {}}");
	lab_quiet(&lab);
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "7");
	assert_string_equal(r->user, "bob");
	assert_int_equal(r->gpus, 8);
	assert_int_equal(r->end, JOB_END_RUNNING);
	assert_int_equal(r->ended, NO_TIME);
	assert_null(r->reason);
	assert_int_equal(lab_at(&lab, 1)->exit_code, 1);
	assert_int_equal(lab_at(&lab, 1)->gpus, 6);
	assert_int_equal(lab_at(&lab, 2)->started, NO_TIME);
	assert_int_equal(lab_at(&lab, 2)->gpu_seconds, 0);
	lab_free(&lab);
}

static void test_cut_off_json(void **state)
{
	struct lab lab;

	(void)state;
	lab_read(&lab,
	    "{\"jobs\": [\n{\"job_id\": 1, \"state\": \"FAILED\"},\n"
	    "{\"job_id\": 2, \"name\": \"br{ack[et\\\"\", \"state\": "
	    "\"FAILED\"}"
	    ",\n{\"job_id\": 3, \"state\": \"FAI");
	assert_int_equal(accounting_count(lab.a), 2);
	assert_string_equal(lab_at(&lab, 1)->name, "br{ack[et\"");
	lab_noted(&lab, "4: row lost: the file is cut off here");
	lab_free(&lab);
	lab_read(&lab,
	    "{\"jobs\": [{\"job_id\": 1, \"state\": \"FAILED\"}, "
	    "{\"job_id\": tru},\n{\"job_id\": 3, \"state\": \"FAILED\"}");
	assert_int_equal(accounting_count(lab.a), 2);
	assert_int_equal(accounting_lost(lab.a), 2);
	lab_free(&lab);
	lab_refuse(NULL, "{\"jobs\": [\n{\"job_id\": 3, \"sta", ":2: the JSON");
}

static void test_jobcomp(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "JobId=12 UserId=alice(1001) GroupId=ml(100) Name=a b=c d "
	    "JobState=FAILED Partition=p TimeLimit=UNLIMITED "
	    "StartTime=2024-06-24T12:00:00 EndTime=2024-06-24T13:00:00 "
	    "NodeList=n[1-2] NodeCnt=2 ProcCnt=8 WorkDir=/home/a b "
	    "ReservationName= Tres=cpu=8,gres/gpu=2 Account= QOS= WcKey= "
	    "Cluster=c SubmitTime=2024-06-24T11:00:00 EligibleTime=Unknown "
	    "ArrayJobId=10 ArrayTaskId=3 DerivedExitCode=0:0 ExitCode=1:0 \n"
	    "JobId=13 UserId=bob(1) GroupId=x(1) Name=y JobState=CANCELLED "
	    "StartTime=Unknown EndTime=2024-06-24T13:00:00 NodeList=(null) "
	    "HetJobId=13 HetJobOffset=0 ExitCode=0:15\n"
	    "JobId=14 something else\n");
	assert_int_equal(accounting_count(lab.a), 2);
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "10_3");
	assert_string_equal(r->raw_id, "12");
	assert_string_equal(r->user, "alice");
	assert_string_equal(r->group, "ml");
	assert_string_equal(r->name, "a b=c d");
	assert_int_equal(r->gpus, 2);
	assert_int_equal(r->gpu_seconds, 7200);
	assert_int_equal(r->exit_code, 1);
	assert_int_equal(r->n_nodes, 2);
	r = lab_at(&lab, 1);
	assert_string_equal(r->id, "13");
	assert_int_equal(r->n_nodes, 0);
	assert_int_equal(r->started, NO_TIME);
	lab_noted(&lab, "3: row lost: no JobId= and JobState=");
	lab_free(&lab);
}

static void test_philly(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "[{\"status\": \"Pass\", \"vc\": \"v1\", \"jobid\": \"app_1\",\n"
	    "\"attempts\": [{\"start_time\": \"2017-10-09 07:00:00\",\n"
	    "\"end_time\": \"2017-10-09 08:00:00\", \"detail\": [{\"ip\":\n"
	    "\"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}]},\n"
	    "{\"start_time\": \"2017-10-09 09:00:00\", \"end_time\":\n"
	    "\"2017-10-09 09:30:00\", \"detail\": [{\"ip\": \"m1\", \"gpus\":\n"
	    "[\"gpu0\"]}, {\"ip\": \"m2\", \"gpus\": [\"gpu5\"]}]}],\n"
	    "\"submitted_time\": \"2017-10-09 06:00:00\", \"user\": \"u\"},\n"
	    "{\"status\": \"Killed\", \"vc\": \"v1\", \"jobid\": \"app_2\",\n"
	    "\"attempts\": [], \"submitted_time\": \"2017-10-09 07:02:12\",\n"
	    "\"user\": \"w\"},\n"
	    "{\"status\": \"Killed\", \"jobid\": \"app_3\", \"attempts\":\n"
	    "[{\"start_time\": null, \"end_time\": \"None\"}]}]\n");
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 4);
	r = lab_at(&lab, 0);
	assert_string_equal(r->state, "Failed");
	assert_int_equal(r->end, JOB_END_FAILED);
	assert_int_equal(r->attempt, 1);
	assert_int_equal(r->gpu_seconds, 7200);
	lab_words(r, "JobState=Failed");
	r = lab_at(&lab, 1);
	assert_string_equal(r->state, "Pass");
	assert_int_equal(r->end, JOB_END_WELL);
	assert_int_equal(r->attempt, 2);
	assert_int_equal(r->gpus, 2);
	assert_int_equal(r->n_nodes, 2);
	assert_string_equal(r->group, "v1");
	assert_ptr_equal(accounting_find(lab.a, NULL, "app_1", 0), r);
	r = lab_at(&lab, 2);
	assert_string_equal(r->state, "Killed");
	assert_int_equal(r->started, NO_TIME);
	assert_int_equal(r->gpu_seconds, 0);
	assert_int_equal(lab_at(&lab, 3)->started, NO_TIME);
	lab_free(&lab);
}

static void test_builtin_maps(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,"
	    "pod_phase,creation_time,deletion_time,scheduled_time\n"
	    "pod-1,6000,100,1,460,,LS,Failed,100,1100,100\n"
	    "pod-2,6000,100,2,1000,,BE,Pending,100,1100,\n");
	lab_quiet(&lab);
	r = lab_at(&lab, 0);
	assert_int_equal(r->gpus, 1);
	assert_int_equal(r->seconds, 1000);
	assert_int_equal(r->gpu_seconds, 460);
	assert_int_equal(r->started, NO_TIME);
	assert_string_equal(r->group, "LS");
	assert_int_equal(lab_at(&lab, 1)->gpu_seconds, 0);
	lab_free(&lab);

	lab_read(&lab,
	    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,"
	    "start_time,end_time,duration,queue\n"
	    "1,u1,vc1,8,64,1,FAILED,2020-04-01 00:00:00,2020-04-01 00:01:00,"
	    "2020-04-01 00:11:00,600,60\n"
	    "2,u1,vc1,8,64,1,CANCELLED,2020-04-01 00:00:00,,"
	    "2020-04-01 00:11:00,0,660\n");
	lab_quiet(&lab);
	r = lab_at(&lab, 0);
	assert_string_equal(r->group, "vc1");
	assert_int_equal(r->gpu_seconds, 4800);
	assert_null(r->partition);
	assert_int_equal(lab_at(&lab, 1)->gpu_seconds, 0);
	lab_free(&lab);

	lab_read(&lab,
	    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,"
	    "start_time,end_time,duration,queue,gpu_time\n"
	    "dlc1,u,1,2,8,Pretrain,FAILED,2023-03-01 00:00:00+08:00,"
	    "2023-03-01 01:00:00+08:00,2023-03-01 02:00:00+08:00,3600,3600,"
	    "7200\n");
	lab_quiet(&lab);
	r = lab_at(&lab, 0);
	assert_int_equal(r->started, 1677603600000000);
	assert_int_equal(r->gpu_seconds, 7200);
	lab_free(&lab);

	/* here duration runs from the submission */
	lab_read(&lab,
	    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,"
	    "shared_mem_per_pod,type,state,submit_time,start_time,end_time,"
	    "fail_time,stop_time,duration,queue,gpu_time\n"
	    "dlc1,u,1,2,8,9,9,Pretrain,FAILED,2023-03-01 00:00:00+08:00,"
	    "2023-03-01 01:00:00+08:00,2023-03-01 02:00:00+08:00,,,7200,3600,"
	    "14400\n");
	lab_quiet(&lab);
	assert_int_equal(lab_at(&lab, 0)->gpu_seconds, 7200);
	lab_free(&lab);
}

static void test_usual_names(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "JobId;Status;Owner;GPUs;Started;Finished;Exit_Code;Nodes\r\n"
	    "\"a;\"\"1\"\"\";success;\"two\nlines\";2;2024-06-24T12:00:00Z;"
	    "2024-06-24T12:01:00Z;0;\"n1,n2\"\r\n"
	    "\r\n"
	    "b;error;x;1;2024-06-24T12:00:00Z;2024-06-24T12:01:00Z;137;n1\r\n"
	    "c;error\r\n");
	assert_int_equal(accounting_count(lab.a), 2);
	lab_noted(&lab, "read by its usual names: id=jobid user=owner");
	lab_noted(&lab, "6: row lost: 2 fields, the header has 8");
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "a;\"1\"");
	assert_string_equal(r->user, "two\nlines");
	assert_int_equal(r->end, JOB_END_WELL);
	assert_int_equal(r->gpu_seconds, 120);
	assert_int_equal(r->n_nodes, 2);
	assert_int_equal(lab_at(&lab, 1)->line, 5);
	assert_int_equal(lab_at(&lab, 1)->exit_code, 137);
	lab_free(&lab);
}

static void test_quote_not_closed(void **state)
{
	struct lab lab;

	(void)state;
	lab_read(&lab,
	    "job_id,state,user\n"
	    "1,FAILED,\"bad\n"
	    "2,FAILED,good\n");
	assert_int_equal(accounting_count(lab.a), 1);
	assert_string_equal(lab_at(&lab, 0)->id, "2");
	lab_noted(&lab, "2: row lost: a quote that is not closed");
	lab_free(&lab);
}

static void test_json_lines(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "{\"job_id\": 5, \"state\": \"FAILED\", \"gpus\": 2, \"nodes\":\n"
	    "[\"a\", \"b\"], \"elapsed\": 10.0}\n");
	assert_int_equal(lab_at(&lab, 0)->gpu_seconds, 20);
	lab_free(&lab);
	lab_read(&lab,
	    "{\"job_id\": 5, \"state\": \"FAILED\", \"gpus\": 2, \"nodes\": "
	    "[\"a\", \"b\"], \"elapsed\": 10.0}\n"
	    "{\"job_id\": 6, \"state\": \"FAI\n"
	    "{\"job_id\": \"7\", \"state\": \"done\", \"gpus\": null}\n");
	assert_int_equal(accounting_count(lab.a), 2);
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "5");
	assert_int_equal(r->n_nodes, 2);
	assert_int_equal(r->gpu_seconds, 20);
	r = lab_at(&lab, 1);
	assert_int_equal(r->end, JOB_END_WELL);
	assert_int_equal(r->line, 3);
	assert_int_equal(r->gpus, NONE);
	lab_noted(&lab, "2: row lost: broken JSON");
	lab_free(&lab);
	lab_read(&lab, "[{\"id\": \"x\", \"status\": \"lost\"}]");
	assert_int_equal(lab_at(&lab, 0)->end, JOB_END_FAILED);
	lab_free(&lab);
}

#define MAP                            \
	"name: ours\n"                 \
	"delimiter: ';'\n"             \
	"time_zone: '+08:00'\n"        \
	"columns:\n"                   \
	"  id: job\n"                  \
	"  state: [result, outcome]\n" \
	"  start: began\n"             \
	"  seconds: took\n"            \
	"  gpus: cards\n"              \
	"  nodes: hosts\n"             \
	"  node_separator: ' '\n"      \
	"  exit: code\n"               \
	"states: {well: [FINE], failed: [BAD, DONE]}\n"

static void test_own_map(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read_map(&lab, MAP,
	    "job;outcome;began;took;cards;hosts;code\n"
	    "1;FINE;2024-06-24T12:00:00;60;2;a b;0\n"
	    "2;DONE;2024-06-24T12:00:00;1:00;2;;1:9\n"
	    "3;FAILED;2024-06-24T12:00:00;60;x;;\n");
	r = lab_at(&lab, 0);
	assert_int_equal(r->end, JOB_END_WELL);
	assert_int_equal(r->started, 1719201600000000);
	assert_int_equal(r->n_nodes, 2);
	assert_int_equal(r->gpu_seconds, 120);
	r = lab_at(&lab, 1);
	assert_int_equal(r->end, JOB_END_FAILED);
	assert_int_equal(r->seconds, 60);
	assert_int_equal(r->signal, 9);
	lab_words(r, "JobState=DONE ExitCode=1:9");
	assert_int_equal(lab_at(&lab, 2)->end, JOB_END_FAILED);
	lab_noted(&lab, "4: no number of GPUs 'x'");
	lab_free(&lab);
	lab_read_map(&lab,
	    "columns: {id: meta.name, state: s, exit_code: c, signal: g}",
	    "{\"meta\": {\"name\": \"j\"}, \"s\": \"F\", \"c\": -6, \"g\": 6}"
	    "\n");
	assert_string_equal(lab_at(&lab, 0)->id, "j");
	assert_int_equal(lab_at(&lab, 0)->signal, 6);
	lab_free(&lab);
}

static void test_bad_maps(void **state)
{
	static const char *const rows[][2] = {
		{ "columns: {id: a, ste: b}", ":1:18: unknown column 'ste'" },
		{ "colums: {}", ":1:1: unknown key 'colums'" },
		{ "columns: [a]", ":1:10: a map is wanted" },
		{ "columns: {id: {}}", ":1:15: a text or a list" },
		{ "columns: {id: a}\ntime_zone: Mars", ":2:12: time_zone" },
		{ "columns: {id: a}\ntimes: odd", ":2:8: times" },
		{ "columns: {id: a}\ndelimiter: ab", ":2:12: delimiter" },
		{ "columns: {id: a}\nstates: {won: [x]}", ":2:10: states" },
		{ "columns: {user: a}", "at least id or state" },
		{ "columns: {id: nope}", "has no column 'nope'" },
		{ "- a", "a column map is a map" },
		{ "columns: {", ":" },
	};
	struct err e = { 0 };
	struct lab lab;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		lab_refuse(rows[i][0], "job,user\n1,u\n", rows[i][1]);
	lab_init(&lab);
	snprintf(lab.map, sizeof lab.map, "/nowhere/map.yaml");
	assert_int_equal(lab_load(&lab, "job,user\n", &e), -1);
	assert_non_null(strstr(e.text, "/nowhere/map.yaml: "));
	lab_free(&lab);
}

#define POD(name, more)                                                     \
	"{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {"       \
	"\"name\": \"" name "\", \"uid\": \"u-" name "\", \"namespace\": "  \
	"\"ns\", \"creationTimestamp\": \"2024-06-24T11:00:00Z\", "         \
	"\"labels\": {\"job-name\": \"job-a\", \"owner\": \"eve\"}}, "      \
	"\"spec\": {\"nodeName\": \"n1\", \"initContainers\": [{\"name\": " \
	"\"i\", \"resources\": {\"limits\": {\"nvidia.com/gpu\": \"1\"}}}]" \
	", \"containers\": [{\"name\": \"side\", \"image\": \"s\"}, "       \
	"{\"name\": \"main\", \"image\": \"m:1\", \"resources\": "          \
	"{\"limits\": {\"nvidia.com/gpu\": \"4\", \"cpu\": \"8\", "         \
	"\"nvidia.com/mig-1g.5gb\": 2}}}]}, " more "}"
#define JOB(name)                                                            \
	"{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": "   \
	"{\"name\": \"" name "\", \"namespace\": \"ns\"}, \"spec\": "        \
	"{\"parallelism\": 2, \"template\": {\"spec\": {\"containers\": "    \
	"[{\"name\": \"c\", \"resources\": {\"limits\": {\"amd.com/gpu\": "  \
	"\"8\"}}}]}}}, \"status\": {\"startTime\": \"2024-06-24T12:00:00Z\"" \
	", \"conditions\": [{\"type\": \"Failed\", \"status\": \"True\", "   \
	"\"reason\": \"BackoffLimitExceeded\", \"lastTransitionTime\": "     \
	"\"2024-06-24T12:10:00Z\"}]}}"

static const char pods[] = "{\"apiVersion\": \"v1\", \"items\": [\n" JOB(
    "job-a") ",\n" JOB("job-b") ",\n" POD("p1",
    "\"status\": {\"phase\": \"Failed\", \"startTime\": "
    "\"2024-06-24T12:00:00Z\", \"containerStatuses\": [{\"name\": "
    "\"main\", \"restartCount\": 1, \"lastState\": {\"terminated\": "
    "{\"exitCode\": 1, \"reason\": \"Error\", \"startedAt\": "
    "\"2024-06-24T12:00:10Z\", \"finishedAt\": "
    "\"2024-06-24T12:00:20Z\"}}, \"state\": {\"terminated\": "
    "{\"exitCode\": 137, \"reason\": \"OOMKilled\", \"startedAt\": "
    "\"2024-06-24T12:01:00Z\", \"finishedAt\": "
    "\"2024-06-24T12:02:40Z\"}}}]}") ",\n" POD("p2",
    "\"status\": {\"phase\": \"Failed\", \"reason\": \"Evicted\", "
    "\"startTime\": \"2024-06-24T12:00:00Z\"}") ",\n" POD("p3",
    "\"status\": {\"phase\": \"Pending\"}") ",\n"
					    "{\"apiVersion\": \"v1\", "
					    "\"kind\": \"Secret\", "
					    "\"metadata\": "
					    "{\"name\": \"s\"}}],\n\"kind\": "
					    "\"List\"}\n";

static void test_kubernetes(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab, pods);
	assert_int_equal(accounting_count(lab.a), 5);
	lab_noted(&lab, "an object of kind Secret");
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "job-b");
	assert_int_equal(r->gpus, 16);
	assert_int_equal(r->seconds, 600);
	assert_int_equal(r->end, JOB_END_FAILED);
	assert_string_equal(r->reason, "BackoffLimitExceeded");
	r = lab_at(&lab, 1);
	assert_string_equal(r->id, "p1");
	assert_int_equal(r->attempt, 1);
	assert_int_equal(r->seconds, 10);
	assert_int_equal(r->exit_code, 1);
	assert_string_equal(r->reason, "Error");
	r = lab_at(&lab, 2);
	assert_int_equal(r->attempt, 2);
	assert_int_equal(r->requeues, 1);
	assert_string_equal(r->raw_id, "u-p1");
	assert_string_equal(r->group, "ns");
	assert_string_equal(r->user, "eve");
	assert_string_equal(r->image, "m:1");
	assert_string_equal(r->nodes[0], "n1");
	assert_int_equal(r->gpus, 6);
	assert_int_equal(r->gpu_seconds, 600);
	assert_int_equal(r->signal, 9);
	lab_words(r, "JobState=Failed Reason=OOMKilled ExitCode=137:9");
	assert_ptr_equal(accounting_find(lab.a, NULL, "u-p1", 0), r);
	r = lab_at(&lab, 3);
	assert_string_equal(r->reason, "Evicted");
	assert_int_equal(r->started, 1719230400000000);
	r = lab_at(&lab, 4);
	assert_int_equal(r->end, JOB_END_PENDING);
	assert_int_equal(r->gpu_seconds, 0);
	lab_free(&lab);
}

static void test_one_pod_and_lines(void **state)
{
	struct lab lab;

	(void)state;
	lab_read(&lab, POD("p1", "\"status\": {\"phase\": \"Succeeded\"}"));
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 1);
	lab_free(&lab);
	lab_read(&lab,
	    POD("p1", "\"status\": {\"phase\": \"Succeeded\"}") "\n" POD(
		"p2", "\"status\": {\"phase\": \"Failed\"}") "\n");
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 2);
	assert_int_equal(lab_at(&lab, 1)->line, 2);
	lab_free(&lab);
}

/* More than one piece, and compressed. */
static void test_gzip(void **state)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct lab lab;
	struct err e = { 0 };
	char path[32];
	gzFile f;

	(void)state;
	buf_adds(&text, "{\"meta\": {}, \"jobs\": [");
	for (int i = 1; i <= 30000; i++)
		buf_addf(&text,
		    "%s\n{\"job_id\": %d, \"state\": {\"current\": "
		    "[\"FAILED\"]}, \"padding\": \"%064d\"}",
		    i > 1 ? "," : "", i, i);
	buf_adds(&text, "]}");
	lab_file(path, "", 0);
	f = gzopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(gzwrite(f, text.p, (unsigned)text.len), (int)text.len);
	gzclose(f);
	lab_init(&lab);
	if (lab_load_file(&lab, path, &e) || accounting_settle(lab.a, &e))
		fail_msg("%s", e.text);
	unlink(path);
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 30000);
	assert_int_equal(lab_at(&lab, 29999)->line, 30001);
	lab_free(&lab);
	buf_release(&text);
}

/* Every start of a file is either read or refused, and never more than that.
 */
static void test_all_starts(void **state)
{
	char text[sizeof pods];

	(void)state;
	for (size_t n = 0; n < sizeof pods - 1; n += 7) {
		struct lab lab;
		struct err e = { 0 };

		memcpy(text, pods, n);
		text[n] = '\0';
		lab_init(&lab);
		if (lab_load(&lab, text, &e))
			assert_true(e.text[0]);
		assert_int_equal(accounting_settle(lab.a, &e), 0);
		assert_true(accounting_count(lab.a) <= 5);
		lab_free(&lab);
	}
}

/* Each of them is there, and well formed. */
static void built_in_maps(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < ACCOUNTING_MAPS; i++) {
		struct accounting_map *m =
		    accounting_map_built_in((enum accounting_builtin)i, &e);

		if (!m)
			fail_msg("%s", e.text);
		accounting_map_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slurm_json),
		cmocka_unit_test(test_json_of_ages),
		cmocka_unit_test(test_squeue_json),
		cmocka_unit_test(test_cut_off_json),
		cmocka_unit_test(test_jobcomp),
		cmocka_unit_test(test_philly),
		cmocka_unit_test(test_builtin_maps),
		cmocka_unit_test(test_usual_names),
		cmocka_unit_test(test_quote_not_closed),
		cmocka_unit_test(test_json_lines),
		cmocka_unit_test(test_own_map),
		cmocka_unit_test(test_bad_maps),
		cmocka_unit_test(test_kubernetes),
		cmocka_unit_test(test_one_pod_and_lines),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_all_starts),
		cmocka_unit_test(built_in_maps),
	};

	return cmocka_run_group_tests(tests, lab_utc, NULL);
}
