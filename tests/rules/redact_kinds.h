/*
 * What secrets look like, as their makers document it, and how logs show them:
 * each kind is tried in each shape. Not made from the rules: a kind is added
 * here first.
 *
 * In a kind: {hex*32} random letters of an alphabet. In a shape: {N} a name,
 * {S} the secret, {A} and {B} its two halves, {name*n} random filler.
 */
#ifndef TESTS_REDACT_KINDS_H
#define TESTS_REDACT_KINDS_H

/* Told by their form, whatever stands around them. */
static const char *const forms[] = {
	"gh"
	"p_{alnum*36}",
	"gh"
	"o_{alnum*36}",
	"gh"
	"u_{alnum*36}",
	"gh"
	"s_{alnum*36}",
	"gh"
	"r_{alnum*76}",
	"github"
	"_pat_{alnum*22}_{alnum*59}",
	"gl"
	"pat-{alnum*20}",
	"gl"
	"pat-{alnum*27}.01.{lower*9}",
	"gl"
	"dt-{alnum*20}",
	"gl"
	"rt-{alnum*20}",
	"gl"
	"ptt-{hex*40}",
	"gl"
	"cbt-ab_{alnum*20}",
	"gl"
	"soat-{alnum*20}",
	"gl"
	"agent-{alnum*50}",
	"GR"
	"1348941{alnum*20}",
	"hf"
	"_{letter*34}",
	"api"
	"_org_{letter*34}",
	"s"
	"k-{alnum*20}T3BlbkFJ{alnum*20}",
	"s"
	"k-proj-{alnum*74}T3BlbkFJ{alnum*74}",
	"s"
	"k-svcacct-{alnum*58}T3BlbkFJ{alnum*58}",
	"s"
	"k-admin-{alnum*58}",
	"s"
	"k-ant-api03-{alnum*93}AA",
	"s"
	"k-ant-admin01-{alnum*93}AA",
	"s"
	"k-ant-oat01-{alnum*93}AA",
	"s"
	"k-or-v1-{hex*64}",
	"s"
	"k-lf-{hex*8}-{hex*4}-4{hex*3}-8{hex*3}-{hex*12}",
	"s"
	"k-{hex*32}",
	"s"
	"k_{hex*48}",
	"xai"
	"-{alnum*80}",
	"gsk"
	"_{alnum*52}",
	"pplx"
	"-{alnum*48}",
	"r8"
	"_{alnum*37}",
	"fw"
	"_{alnum*24}",
	"tgp"
	"_v1_{alnum*43}",
	"csk"
	"-{lower*48}",
	"nvapi"
	"-{alnum*64}",
	"pcsk"
	"_{alnum*6}_{alnum*64}",
	"lsv2"
	"_pt_{hex*32}_{hex*10}",
	"lsv2"
	"_sk_{hex*32}_{hex*10}",
	"jina"
	"_{hex*32}{alnum*28}",
	"tvly"
	"-{alnum*32}",
	"fc"
	"-{hex*32}",
	"e2b"
	"_{hex*40}",
	"apify"
	"_api_{alnum*36}",
	"rpa"
	"_{upper*46}",
	"KG"
	"AT_{hex*32}",
	"dapi"
	"{hex*32}",
	"dapi"
	"{hex*32}-2",
	"wandb"
	"_v1_{alnum*77}",
	"pnu"
	"_{alnum*36}",
	"dbtc"
	"_{alnum*40}",
	"AI"
	"za{alnum*35}",
	"ya29"
	".{alnum*120}",
	"GOC"
	"SPX-{alnum*28}",
	"1//0"
	"{alnum*60}",
	"AK"
	"IA{upper*16}",
	"AS"
	"IA{upper*16}",
	"ABSK"
	"{alnum*109}=",
	"{alnum*3}8Q~"
	"{alnum*34}",
	"LT"
	"AI{alnum*20}",
	"AK"
	"ID{alnum*32}",
	"AQVN"
	"{alnum*36}",
	"y0"
	"_{alnum*56}",
	"t1"
	".{alnum*40}.{alnum*86}",
	"xox"
	"b-{digit*12}-{digit*12}-{alnum*24}",
	"xox"
	"p-{digit*12}-{digit*12}-{digit*12}-{hex*32}",
	"xox"
	"e.xoxp-1-{alnum*120}",
	"xapp"
	"-1-A{upper*10}-{digit*13}-{hex*64}",
	"MT"
	"{alnum*22}.{alnum*6}.{alnum*38}",
	"{digit*10}:A"
	"A{alnum*33}",
	"S"
	"K{hex*32}",
	"SG"
	".{alnum*22}.{alnum*43}",
	"key"
	"-{hex*32}",
	"{hex*32}"
	"-us12",
	"xkey"
	"sib-{hex*64}-{alnum*16}",
	"sk"
	"_live_{alnum*24}",
	"rk"
	"_live_{alnum*24}",
	"sk"
	"_test_{alnum*24}",
	"wh"
	"sec_{alnum*32}",
	"sq0"
	"csp-{alnum*43}",
	"EAA"
	"A{alnum*60}",
	"shp"
	"at_{hex*32}",
	"shp"
	"ca_{hex*32}",
	"shp"
	"pa_{hex*32}",
	"shp"
	"ss_{hex*32}",
	"access"
	"-production-{hex*8}-{hex*4}-{hex*4}-{hex*4}-{hex*12}",
	"npm"
	"_{alnum*36}",
	"pypi"
	"-AgEIcHlwaS5vcmc{alnum*140}",
	"ruby"
	"gems_{hex*48}",
	"oy2"
	"{lower*43}",
	"cio"
	"{alnum*32}",
	"dckr"
	"_pat_{alnum*27}",
	"AKC"
	"p{alnum*69}",
	"cmV"
	"mdGtu{alnum*56}",
	"CLO"
	"JARS_{hex*60}",
	"{alnum*14}.atlas"
	"v1.{alnum*67}",
	"hvs"
	".{alnum*90}",
	"hvb"
	".{alnum*140}",
	"pul"
	"-{hex*40}",
	"dp"
	".pt.{alnum*43}",
	"dp"
	".st.prd.{alnum*43}",
	"dop"
	"_v1_{hex*64}",
	"doo"
	"_v1_{hex*64}",
	"dor"
	"_v1_{hex*64}",
	"HR"
	"KU-AA{alnum*58}",
	"fm"
	"2_{alnum*100}",
	"fo1"
	"_{alnum*43}",
	"rnd"
	"_{alnum*28}",
	"nfp"
	"_{alnum*36}",
	"sbp"
	"_{hex*40}",
	"sb"
	"_secret_{alnum*31}",
	"pscale"
	"_tkn_{alnum*43}",
	"pscale"
	"_pw_{alnum*43}",
	"napi"
	"_{lower*64}",
	"v1.0"
	"-{hex*24}-{hex*146}",
	"gl"
	"sa_{alnum*32}_{hex*8}",
	"gl"
	"c_eyJ{alnum*80}",
	"NR"
	"AK-{upper*27}",
	"NR"
	"II-{alnum*32}",
	"NR"
	"JS-{hex*19}",
	"sntrys"
	"_eyJ{alnum*100}",
	"sntryu"
	"_{hex*64}",
	"hca"
	"ik_{lower*58}",
	"dt0"
	"c01.{upper*24}.{upper*64}",
	"sq"
	"p_{hex*40}",
	"CCI"
	"PAT_{alnum*22}_{hex*40}",
	"bk"
	"ua_{hex*40}",
	"ATA"
	"TT3xFfGF0{alnum*170}={upper*8}",
	"ATC"
	"TT3xFfGN0{alnum*170}",
	"AT"
	"BB{alnum*32}",
	"lin"
	"_api_{alnum*40}",
	"ntn"
	"_{alnum*46}",
	"secret"
	"_{alnum*43}",
	"pat"
	"{alnum*14}.{hex*64}",
	"figd"
	"_{alnum*40}",
	"sl"
	".{alnum*135}",
	"pat"
	"-na1-{hex*8}-{hex*4}-{hex*4}-{hex*4}-{hex*12}",
	"tfp"
	"_{alnum*59}",
	"CF"
	"PAT-{alnum*43}",
	"sk"
	".eyJ{alnum*80}.{alnum*22}",
	"EAA"
	"CEdEose0cBA{alnum*60}",
	"AAAAAAAAAAAAAAAAAAAAA"
	"{alnum*80}",
	"ops"
	"_eyJ{alnum*250}",
	"A3"
	"-{upper*6}-{upper*11}-{upper*5}-{upper*5}-{upper*5}",
	"tskey"
	"-auth-{alnum*12}-{alnum*32}",
	"PM"
	"AK-{hex*24}-{hex*34}",
	"rdme"
	"_{lower*70}",
	"fio"
	"-u-{alnum*64}",
	"EZ"
	"AK{alnum*54}",
	"duffel"
	"_live_{alnum*43}",
	"shippo"
	"_live_{hex*40}",
	"FLW"
	"SECK-{hex*32}-X",
	"ico"
	"-{alnum*32}",
	"sgp"
	"_{hex*40}",
	"sgp"
	"_{hex*16}_{hex*40}",
	"sm"
	"_pat_{alnum*16}",
	"dn"
	"key-{alnum*26}-{alnum*52}",
	"API"
	"-{upper*26}",
	"sha"
	"256~{alnum*43}",
	"phx"
	"_{alnum*43}",
	"re"
	"_{alnum*8}_{alnum*24}",
	"sdk"
	"-{hex*8}-{hex*4}-{hex*4}-{hex*4}-{hex*12}",
	"mdb"
	"_sa_sk_{alnum*40}",
	"signkey"
	"-prod-{hex*64}",
	"eyJ"
	"{alnum*33}.eyJ{alnum*80}.{alnum*43}",
	"AGE"
	"-SECRET-KEY-1{upper*58}",
	"p8e"
	"-{alnum*32}",
};

/* How a log shows something that nothing names. */
static const char *const around_forms[] = {
	"{S}",
	"RuntimeError: request with {S} was refused",
	"RuntimeError('{S}')",
	"ValueError: \"{S}\" is not valid",
	"args: ['run', '{S}', '--lr', '0.1']",
	"{\"x\": \"{S}\", \"step\": 4}",
	"{\\\"x\\\": \\\"{S}\\\", \\\"step\\\": 4}",
	"x={S}",
	"x={S};y=3",
	"+ tool login {S}",
	"<value>{S}</value>",
	"https://api.example.org/v1/{S}/models",
	"https://api.example.org/v1?x={S}&page=2",
	"https://me:{S}@git.example.org/a/b.git",
	"https://{S}@git.example.org/a/b.git",
	"({S}, 3)",
	"[rank3]: {S}: unauthorized",
	"x%3D{S}%26page%3D2",
	"- old\n+ x: {S}",
	"request failed.{S}",
	"request failedfor_{S}",
	"tried:{S},then gave up",
	"the value {A}\342\200\213{B} was refused",
	"the value {A}\n{B} was refused",
	"\342\224\202 the value {A} \342\224\202\n\342\224\202 {B} was refused "
	"  "
	"\342\224\202",
	"| the value {A} |\n| {B} was refused    |",
	"the value {A}\\\n{B} was refused",
	"b'{S}'",
	"`{S}`",
};

/* Names of what has no form. {S} is random. */
static const char *const names[] = {
	"JUPYTER_TOKEN",
	"K3S_TOKEN",
	"AZURE_STORAGE_KEY",
	"FERNET_KEY",
	"MY_TOKEN",
	"MINIO_ROOT_PASSWORD",
	"GF_SECURITY_ADMIN_PASSWORD",
	"DB_PASSWD",
	"RAY_AUTH_TOKEN",
	"AIRFLOW__CORE__FERNET_KEY",
	"DJANGO_SECRET_KEY",
	"FLASK_SECRET",
	"NEXTAUTH_SECRET",
	"JWT_SECRET",
	"COOKIE_SECRET",
	"DATA_ENCRYPTION_KEY",
	"MEILI_MASTER_KEY",
	"OIDC_CLIENT_SECRET",
	"CI_JOB_TOKEN",
	"DD_API_KEY",
	"DATADOG_APP_KEY",
	"COSMOS_ACCOUNT_KEY",
	"SEARCH_ADMIN_KEY",
	"SERVICEBUS_KEY",
	"LDAP_BIND_PASSWORD",
	"smtpPassword",
	"keystorePassword",
	"sessionToken",
	"x_key_secret",
	"apiCredential",
	"SERVICE_CREDENTIALS",
	"dbPasswd",
	"root_passwd",
	"HF_WRITE_TOKEN",
	"client-secret",
	"private-token",
	"X-Auth-Token",
	"X-Vault-Token",
	"Ocp-Apim-Subscription-Key",
	"x-goog-api-key",
	"nvidia_api_key",
	"clearml_api_secret_key",
	"mlflow.tracking.password",
	"spring.datasource.password",
	"javax.net.ssl.keyStorePassword",
	"hub_token",
	"VAST_API_KEY",
	"RUNPOD_API_KEY",
	"LAMBDA_CLOUD_KEY",
	"SLACK_SIGNING_SECRET",
	"RABBITMQ_PASSWORD",
	"ansible_become_password",
	"vault_password",
	"db.master.passwd",
	"TF_VAR_admin_password",
	"BORG_PASSPHRASE",
	"RESTIC_PASSWORD",
	"SSH_KEY_PASSPHRASE",
	"GPG_PASSPHRASE",
	"accessKeySecret",
	"userPassword",
	"WEBHOOK_SECRET",
	"BOT_TOKEN",
	"consumerSecret",
	"TELEMETRY_INGEST_KEY",
	"LICENSE_KEY",
};

/* How a log shows something that a name tells. */
static const char *const around_names[] = {
	"{N}={S}",
	"{N} = {S}",
	"{N}: {S}",
	"{N}='{S}'",
	"{N}=\"{S}\"",
	"{N} = \"{S}\"  # set by deploy",
	"export {N}={S}",
	"export {N}='{S}'; python train.py",
	"+ export {N}={S}",
	"declare -x {N}=\"{S}\"",
	"setenv {N} {S}",
	"set -gx {N} {S}",
	"set {N}={S}",
	"$env:{N} = \"{S}\"",
	"ENV {N}={S}",
	"ENV {N} {S}",
	"Step 4/9 : ENV {N} {S}",
	"ARG {N}={S}",
	"docker run -e {N}={S} img",
	"docker run --env {N}={S} img",
	"docker build --build-arg {N}={S} .",
	"srun --export=ALL,{N}={S},LR=1 train.sh",
	"{'{N}': '{S}', 'lr': 0.1}",
	"{\"{N}\": \"{S}\", \"lr\": 0.1}",
	"{\"{N}\":\"{S}\"}",
	"{\\\"{N}\\\": \\\"{S}\\\", \\\"lr\\\": 1}",
	"\"{\\\\\\\"{N}\\\\\\\":\\\\\\\"{S}\\\\\\\"}\"",
	"{N}=b'{S}'",
	"{N}: str = '{S}'",
	"{N}: Optional[str] = \"{S}\"",
	"{N}=SecretStr('{S}')",
	"{N}: SecretStr = SecretStr(\"{S}\")",
	"{N} = \"\"\"{S}\"\"\"",
	"{N} = '''{S}'''",
	"Config(lr=0.1, {N}='{S}', epochs=3)",
	"Namespace(lr=0.1, {N}='{S}')",
	"os.environ['{N}'] = '{S}'",
	"os.environ.setdefault(\"{N}\", \"{S}\")",
	"('{N}', '{S}')",
	"[('lr', '1'), ('{N}', '{S}')]",
	"--{N} {S}",
	"--{N}={S}",
	"--{N} '{S}'",
	"['--{N}', '{S}', '--x']",
	"-D{N}={S}",
	"-e {N}={S}",
	"--set {N}={S}",
	"--from-literal={N}={S}",
	"-var '{N}={S}'",
	"-var=\"{N}={S}\"",
	"-H '{N}: {S}'",
	"-H \"{N}: {S}\"",
	"https://h.example.org/x?{N}={S}&page=2",
	"{N}%3D{S}%26x%3D1",
	"%22{N}%22%3A%22{S}%22",
	"-d '{N}={S}&lr=1'",
	"<{N}>{S}</{N}>",
	"<add key=\"{N}\" value=\"{S}\"/>",
	"<property name=\"{N}\" value=\"{S}\" />",
	"<entry key=\"{N}\">{S}</entry>",
	"<name>{N}</name><value>{S}</value>",
	"<name>{N}</name>\n  <value>{S}</value>",
	"name: {N}, value: {S}",
	"- name: {N}\n  value: {S}",
	"- name: {N}\n  value: \"{S}\"",
	"{\"name\": \"{N}\", \"value\": \"{S}\"}",
	"{'name': '{N}', 'value': '{S}'}",
	"{\"Name\":\"{N}\",\"Value\":\"{S}\"}",
	"{\"key\": \"{N}\", \"value\": \"{S}\"}",
	"{\n  \"name\": \"{N}\",\n  \"value\": \"{S}\"\n}",
	"{N}: >-\n  {S}",
	"{N}: |\n  {S}",
	"{N}:\n  {S}",
	":{N} => \"{S}\"",
	"{N} => {S}",
	"'{N}' => '{S}',",
	"define('{N}', '{S}');",
	"setProperty(\"{N}\", \"{S}\")",
	"{User:me {N}:{S} Host:db}",
	"Config { user: \"me\", {N}: \"{S}\" }",
	"Config { user: \"me\", {N}: Some(\"{S}\") }",
	"&{me {N}={S} db}",
	"level=info {N}={S} step=3",
	"| {N} | {S} |",
	"\342\224\202 {N} \342\224\202 {S} \342\224\202",
	"{N}\t{S}",
	"{N} is {S}",
	"{N} is set to {S}",
	"using {N} {S}",
	"jdbc:sqlserver://h:1433;user=me;{N}={S};encrypt=true",
	"{N}\342\200\213={S}",
	"{N}={A}\342\200\213{B}",
	"\342\224\202 {N}={A} \342\224\202\n\342\224\202 {B} \342\224\202",
	"-{N}={A}\n-{B}",
	"+{N}={S}",
	"- {N}: {S}",
	"  {N} ....... {S}",
	"{N}:={S}",
	"{N} := \"{S}\"",
	"const {N} = `{S}`;",
	"let {N}: &str = \"{S}\";",
	"String {N} = \"{S}\";",
	"{N}[0]={S}",
	"KeyError: '{N}={S}'",
};

/* What a shape needs all of: commands, URLs, files, keys. {word} is a password
 * of letters, digits and signs. */
static const char *const wholes[] = {
	"postgresql://me:{word}@db7/x",
	"postgresql+psycopg2://me:{word}@db7:5432/x",
	"postgresql://me:{word}@{word}@db7:5432/x",
	"mysql://root:p@{word}@h:3306/x",
	"redis://default:{alnum*20}@cache:6379/0",
	"redis://:{word}@cache:6379",
	"amqp://guest:{word}@mq//x",
	"mongodb+srv://u:{word}@c0.example.net/x",
	"https://u:{word}%40x@h.example.org/x",
	"ftp://u:{word}@h/x",
	"ldap://cn=me:{word}@h",
	"smb://D;u:{word}@h/x",
	"socks5h://u:{word}@proxy:1080",
	"http_proxy=http://u:{word}@proxy:3128",
	"s3://me:{alnum*40}@bucket/x",
	"clickhouse://default:{word}@h:9000",
	"git clone https://oauth2:{alnum*20}@git.example.org/a.git",
	"pip install --index-url https://u:{word}@pypi.example.org/simple x",
	"echo {alnum*24} | docker login -u me --password-stdin",
	"echo '{alnum*24}' | docker login --username me --password-stdin r.io",
	"echo \"{alnum*24}\" | helm registry login --password-stdin r.io",
	"echo {alnum*24} | gh auth login --with-token",
	"docker login -u me --password {word} r.io",
	"docker login -u me -p {word} r.io",
	"podman login -u me -p {word} r.io",
	"docker login --password-stdin <<< '{alnum*24}'",
	"mysql -uroot -p{word} x",
	"mysqldump --password={word} x",
	"PGPASSWORD={word} pg_dump x",
	"sshpass -p {word} ssh n7",
	"sshpass -p '{word}' scp a n7:",
	"curl -u me:{word} https://h/x",
	"curl --user me:{word} https://h/x",
	"curl -H 'Authorization: Bearer {alnum*30}' https://h/x",
	"curl -H \"Authorization: Bot {alnum*30}\" https://h/x",
	"curl -H 'Authorization: Token {alnum*30}' https://h",
	"curl -H 'Authorization: ApiKey {alnum*30}' https://h",
	"curl -H 'X-Acme-Api: {alnum*30}' https://h",
	"curl -H 'X-Acme-Api-Key: {alnum*30}' https://h",
	"wget --http-password={word} https://h/x",
	"wget --header='PRIVATE-TOKEN: {alnum*20}' https://h",
	"{'Authorization': 'Bot {alnum*30}'}",
	"{'Authorization': 'Key {alnum*30}'}",
	"{\"authorization\":\"Bearer {alnum*30}\"}",
	"('Authorization', 'Bearer {alnum*30}')",
	"authorization: SSWS {alnum*30}",
	"Proxy-Authorization: Basic {base64*28}",
	"http.extraheader AUTHORIZATION: basic {base64*28}",
	"> Authorization: Basic {base64*24}",
	"Cookie: session={alnum*32}",
	"Set-Cookie: connect.sid=s%3A{alnum*32}; Path=/",
	"redis-cli -a {word} ping",
	"redis-cli -h c AUTH {word}",
	"requirepass {word}",
	"CREATE USER me IDENTIFIED BY '{word}'",
	"ALTER ROLE me WITH PASSWORD '{word}'",
	"ALTER USER me PASSWORD '{word}';",
	"machine h.example.org login me password {word}",
	"machine h.example.org\n  login me\n  password {word}",
	"mount -t cifs -o username=me,password={word} //h/x /mnt",
	"smbclient //h/x -U me%{word}",
	"openssl rsa -passin pass:{word} -in k.pem",
	"openssl enc -k {word} -aes-256-cbc",
	"keytool -storepass {word} -list",
	"gpg --passphrase {word} -d x.gpg",
	"zip -P {word} x.zip y",
	"7z x -p{word} x.7z",
	"ldapsearch -D cn=me -w {word} -b x",
	"aws configure set aws_secret_access_key {base64*40}",
	"huggingface-cli login --token {alnum*37}",
	"wandb login {hex*40}",
	"kubectl config set-credentials me --token={alnum*40}",
	"kubectl create secret generic s --from-literal=pw={word}",
	"vault kv put secret/x password={word}",
	"vault login {alnum*26}",
	"az login --service-principal -u a -p {alnum*34} --tenant t",
	"az storage blob list --account-key {base64*86}==",
	"rclone config create r s3 secret_access_key={base64*40}",
	"mc alias set m http://h:9000 me {alnum*32}",
	"ngc config set --api-key {alnum*40}",
	"snowsql -a x -u me --password {word}",
	"client-key-data: {base64*200}==",
	"    client-key-data: {base64*120}",
	"    token: {alnum*60}",
	"users:\n- name: me\n  user:\n    token: {alnum*60}",
	"{\"auths\":{\"r.io\":{\"auth\":\"{base64*40}\"}}}",
	"//registry.example.org/:_authToken={alnum*36}",
	"_auth = {base64*40}",
	"h:5432:x:me:{word}  # .pgpass",
	"Server=h;Database=x;User Id=me;Password={word};",
	"Driver={X};Server=h;Uid=me;Pwd={word};",
	"AccountName=a;AccountKey={base64*86}==;EndpointSuffix=x",
	"Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey={base64*43}=",
	"https://a.blob.core.windows.net/c/x?sv=2022-11-02&sig={alnum*43}%3D",
	"https://b.s3.amazonaws.com/x?X-Amz-Signature={hex*64}&X-Amz-Date=1",
	"https://storage.googleapis.com/x?X-Goog-Signature={hex*256}",
	"https://hooks.slack.com/services/T{upper*8}/B{upper*8}/{alnum*24}",
	"https://discord.com/api/webhooks/{digit*18}/{alnum*68}",
	"https://x.webhook.office.com/webhookb2/{hex*36}@{hex*36}/y",
	"https://u:p@h/?access_token={alnum*30}",
	"http://127.0.0.1:8888/lab?token={hex*48}",
	"http://127.0.0.1:8888/lab?token={hex*24}\n{hex*24}",
	"root:$6${alnum*12}${alnum*86}:19000:0:99999:7:::",
	"me:$apr1${alnum*8}${alnum*22}",
	"$2b$12${alnum*53}",
	"[default]\naws_access_key_id = x\naws_secret_access_key = {base64*40}",
	"aws_session_token={base64*200}",
	"\"SecretAccessKey\": \"{base64*40}\",\n\"SessionToken\": "
	"\"{base64*200}\"",
	"-----BEGIN PRIVATE KEY-----\n{base64*64}\n{base64*64}\n{base64*32}\n"
	"-----END PRIVATE KEY-----",
	"-----BEGIN RSA PRIVATE "
	"KEY-----\\n{base64*64}\\n{base64*64}\\n-----END "
	"RSA PRIVATE KEY-----\\n",
	"+-----BEGIN OPENSSH PRIVATE KEY-----\n+{base64*70}\n+{base64*70}\n"
	"+{base64*30}\n+-----END OPENSSH PRIVATE KEY-----",
	"-    -----BEGIN EC PRIVATE KEY-----\n-    {base64*64}\n-    "
	"{base64*64}\n-    -----END EC PRIVATE KEY-----",
	"> -----BEGIN PRIVATE KEY-----\n> {base64*64}\n> {base64*64}\n"
	"> -----END PRIVATE KEY-----",
	"# -----BEGIN PRIVATE KEY-----\n# {base64*64}\n# {base64*64}\n"
	"# -----END PRIVATE KEY-----",
	"\342\224\202 -----BEGIN PRIVATE KEY----- \342\224\202\n\342\224\202 "
	"{base64*64} \342\224\202\n\342\224\202 {base64*64} \342\224\202\n"
	"\342\224\202 -----END PRIVATE KEY----- \342\224\202",
	"  10 -----BEGIN PRIVATE KEY-----\n  11 {base64*64}\n  12 {base64*64}",
	"\"-----BEGIN PRIVATE "
	"KEY-----\\\\n{base64*64}\\\\n{base64*64}\\\\n-----"
	"END PRIVATE KEY-----\\\\n\"",
	"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{base64*64}\n"
	"{base64*64}\n=aaaa\n-----END PGP PRIVATE KEY BLOCK-----",
	"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{base64*64}\n{base64*64}",
	"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
	"AES-128-CBC,{hex*32}\n\n{base64*64}\n{base64*64}\n-----END RSA "
	"PRIVATE "
	"KEY-----",
	"-----BEGIN PRIVATE KEY----- {base64*64} {base64*64} -----END PRIVATE "
	"KEY-----",
	"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n{base64*64}\n"
	"{base64*64}\nPrivate-MAC: 0a1b2c3d",
	"{\"k\":\"{base64*43}\",\"kty\":\"oct\"}",
	"{\"d\":\"{base64*43}\",\"kty\":\"EC\",\"crv\":\"P-256\"}",
	"PrivateKey = {base64*43}=",
	"PresharedKey = {base64*43}=",
	"key \"{base64*40}==\"; # tsig-key secret",
	"ssh-agent: Enter passphrase for key: {word}",
	"Password for 'https://me@h': {word}",
	"password? {word}",
	"Jupyter: Enter the token {hex*48} to log in",
	"token {hex*48} accepted",
};

#endif
