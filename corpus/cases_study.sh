# More jobs in the categories of the study: other languages than Python, other
# tongues than English, several launches in one file; see cases.sh for the form.
# job TARGET PROJECT NEEDS EXPECTED COMMAND
# shellcheck shell=sh disable=SC2016,SC2317,SC2329

# Needs that are more than a command. A function is a command to "command -v".
translated() {
	command -v localedef || return 1
	for tongue in de_DE es_ES fr_FR ja_JP zh_CN; do
		[ -f "/usr/share/i18n/locales/$tongue" ] || return 1
		[ -f "/usr/share/locale/${tongue%_*}/LC_MESSAGES/libc.mo" ] ||
			[ -f "/usr/share/locale/$tongue/LC_MESSAGES/libc.mo" ] ||
			return 1
	done
}
if translated >/dev/null; then
	translations() { :; }
fi
if /usr/bin/python3 -c 'import nbclient, ipykernel' 2>/dev/null; then
	notebooks() { :; }
fi
rust=$(rustc --print sysroot 2>/dev/null)/bin/rustc
java='javac -d classes Features.java && java -XX:+UseSerialGC -cp classes'
in_rust="$rust -O -o subword subword.rs && bash ~/tools/run.sh ./subword"
in_fortran='gfortran -g -O0 -fcheck=all -o downscale downscale.f90 &&
	bash ~/tools/run.sh ./downscale'

# --- execution environment ---
job path_not_found/masken_de.log stages translations \
	"Datei oder Verzeichnis nicht gefunden" \
	'bash ~/tools/locale.sh de_DE.UTF-8 bash aufbereiten.sh anlegen masken'
job path_not_found/item_table.log recsys /usr/bin/javac \
	"NoSuchFileException: store/2025-03-10" \
	"$java lab.features.Features store"
job path_not_found/forcing_fortran.log climate /usr/bin/gfortran \
	"Cannot open file 'input/forcing_1998.dat'" \
	"$in_fortran forcing"
job path_not_found/third_launch.log captions - \
	"No such file or directory: 'images/web_2024'" \
	'bash launches.sh root report pictures'
job library_not_found/node_module.log label /usr/bin/node \
	"Cannot find module 'onnx-lite-node'" \
	'node prelabel.js weights'
job library_not_found/subword_jni.log recsys /usr/bin/javac \
	"UnsatisfiedLinkError: no subword_jni" \
	"$java lab.features.Features tokenizer"
job library_not_found/segmenter_perl.log cleanup /usr/bin/perl \
	"Can't locate Lingua/SentenceEdge.pm" \
	'bash clean.sh segment'
job library_not_found/lazy_registry.log captions - \
	"No module named 'caption_decoders'" \
	'python3 train.py --stage registry'
job permission_denied/cache_ja.log stages ns,translations \
	"許可がありません" \
	'echo word >/mnt/data/vocab.txt; chmod 777 .
	bash ~/tools/locale.sh ja_JP.UTF-8 $AS bash junbi.sh /mnt/data'
job permission_denied/ausgabe_de.log stages ns,translations \
	"[Errno 13] Keine Berechtigung" \
	'bash ~/tools/locale.sh de_DE.UTF-8 $AS python3 fit_tiles.py /mnt/data'
job permission_denied/pip_system.log multimodal - \
	"Consider using the \`--user\` option" \
	'python3 fit.py pip'
job permission_denied/docker_socket.log multimodal - \
	"Docker daemon socket" \
	'python3 fit.py docker'

# --- deep learning ---
job tensor_mismatch/thin_volume.log medical torch \
	"resize storage that is not resizable" \
	'python3 volumes.py slices'
job tensor_mismatch/embed_notebook.log notebooks notebooks \
	"mismatch in its core dimension" \
	'python3 nightly.py embed'
job tensor_mismatch/contract_jax.log multimodal - \
	"dot_general requires contracting" \
	'python3 fit.py contract 2>&1 | python3 ~/tools/tag.py rank 3'
job tensor_mismatch/fuse_keras.log multimodal - \
	"expected axis -1 of input shape" \
	'python3 fit.py keras_axis'
job gpu_out_of_memory/ray_actor.log multimodal - \
	"RayTaskError(OutOfMemoryError)" \
	'python3 fit.py ray_actor'
job gpu_out_of_memory/cublas_handle.log multimodal - \
	"CUBLAS_STATUS_ALLOC_FAILED" \
	'python3 fit.py cublas'
job gpu_out_of_memory/llama_buffer.log multimodal - \
	"cudaMalloc failed: out of memory" \
	'python3 fit.py llama'
job gpu_out_of_memory/cache_blocks.log multimodal - \
	"No available memory for the cache blocks" \
	'python3 fit.py engine'
job gpu_out_of_memory/halving.log medical torch \
	"no batch size fits" \
	'python3 volumes.py reduced'
job cpu_out_of_memory/heap_java.log recsys /usr/bin/javac \
	"OutOfMemoryError: Java heap space" \
	"$java -Xmx48m lab.features.Features heap"
job cpu_out_of_memory/heap_node.log label /usr/bin/node \
	"JavaScript heap out of memory" \
	'node --max-old-space-size=40 prelabel.js batch'
job cpu_out_of_memory/pair_table_rust.log tokens rustc,cc \
	"memory allocation of 210453397504 bytes failed" \
	"ulimit -v 8000000; $in_rust table"
job cpu_out_of_memory/members_fortran.log climate /usr/bin/gfortran \
	"Error allocating 8589934592 bytes" \
	"ulimit -v 6000000; $in_fortran ensemble"
job cpu_out_of_memory/getoetet_de.log native translations \
	"Getötet" \
	'bash ~/tools/locale.sh de_DE.UTF-8 bash ~/tools/run.sh \
	python3 limit.py; exit 137'
job loss_nan/policy_loc.log rl torch \
	"found invalid values" \
	'python3 ppo.py explore'
job loss_nan/terminate_on_nan.log multimodal - \
	"Invalid loss, terminating training" \
	'python3 fit.py terminate'
job loss_nan/check_numerics_tf.log multimodal - \
	"Tensor had NaN values" \
	'python3 fit.py numerics'
job loss_nan/forward_rank5.log multimodal - \
	"found NaN in local forward loss" \
	'python3 fit.py megatron'
job framework_api_misuse/inplace_trunk.log rl torch \
	"modified by an inplace operation" \
	'python3 ppo.py critic'
job framework_api_misuse/numpy_of_grad.log rl torch \
	"call numpy() on Tensor that requires grad" \
	'python3 ppo.py plot 2>&1 | python3 ~/tools/tag.py docker'
job framework_api_misuse/uninitialized_tf.log multimodal - \
	"Attempting to use uninitialized value" \
	'python3 fit.py uninitialized'
job framework_api_misuse/two_devices.log multimodal - \
	"same device" \
	'python3 fit.py devices'

# --- general code errors ---
job illegal_argument/rate_with_comma.log recsys /usr/bin/javac \
	"NumberFormatException: For input string" \
	"$java lab.features.Features sampling"
job illegal_argument/option_ja.log stages translations,cc \
	"無効なオプション" \
	'gcc -o tokenise tokenise.c
	bash ~/tools/locale.sh ja_JP.UTF-8 bash woerter.sh -n 12'
job illegal_argument/hydra_struct.log multimodal - \
	"Could not override 'optim.warmup'" \
	'python3 fit.py hydra'
job type_mismatch/dwell_cast.log recsys /usr/bin/javac \
	"ClassCastException" \
	"$java lab.features.Features cast"
job type_mismatch/scores_json.log captions - \
	"Object of type float32 is not JSON" \
	'bash launches.sh registry report'
job type_mismatch/cleanup_after.log captions - \
	"not supported between instances" \
	'python3 train.py --stage goodbye'
job type_mismatch/float_slices.log medical torch \
	"cannot be interpreted as an integer" \
	'python3 volumes.py resample'
job type_mismatch/bigint_node.log label /usr/bin/node \
	"Cannot mix BigInt" \
	'node prelabel.js offsets'
job type_mismatch/linear_list.log medical torch \
	"must be Tensor, not list" \
	'python3 volumes.py arguments 2>&1 | python3 ~/tools/tag.py srun 0'
job key_not_found/queue_tcl.log cleanup /usr/bin/tclsh \
	'key "weekend" not known' \
	'tclsh queue.tcl'
job key_not_found/clicks_notebook.log notebooks notebooks,pandas \
	"KeyError: 'hour_of_day'" \
	'python3 nightly.py clicks'
job key_not_found/settings_from.log captions - \
	"KeyError: 'heads'" \
	'python3 train.py --stage settings 2>&1 | tail -n 20'
job key_not_found/caption_root.log captions - \
	"KeyError: 'CAPTION_ROOT'" \
	'python3 train.py --stage root'
job key_not_found/optimizer_state.log medical torch \
	"KeyError: 'optim'" \
	'python3 volumes.py checkpoint 2>&1 | python3 ~/tools/tag.py cri'
job key_not_found/cut_off.log captions - \
	"KeyError('caption_fr')" \
	'python3 train.py --stage records 2>&1 | head -n 13'
job null_reference/profile_java.log recsys /usr/bin/javac \
	"NullPointerException: Cannot invoke" \
	"$java lab.features.Features profiles"
job null_reference/frame_node.log label /usr/bin/node \
	"Cannot read properties of undefined" \
	'node prelabel.js frames'
job null_reference/header_worker.log medical torch \
	"'NoneType' object is not subscriptable" \
	'python3 volumes.py headers'
job null_reference/merge_rule_rust.log tokens rustc,cc \
	"Option::unwrap()" \
	"$in_rust apply"
job null_reference/document_perl.log cleanup /usr/bin/perl \
	"on an undefined value" \
	'bash clean.sh doc'
job attribute_not_found/wrapped_encode.log medical torch \
	"'DistributedDataParallel' object has no attribute" \
	'python3 volumes.py wrapped'
job attribute_not_found/organ_table.log medical torch \
	"Can't get attribute 'OrganTable'" \
	'python3 volumes.py organs 2>&1 | python3 ~/tools/tag.py stamp'
job attribute_not_found/circular_vocabs.log captions - \
	"partially initialized module" \
	'python3 train.py --stage circular'
job attribute_not_found/batchsize.log captions - \
	"Did you mean: 'batch_size'?" \
	'python3 train.py --stage width'
job attribute_not_found/lemmas_perl.log cleanup /usr/bin/perl \
	"Can't locate object method" \
	'bash clean.sh lemma'
job attribute_not_found/predict_all_node.log label /usr/bin/node \
	"is not a function" \
	'node prelabel.js exporter'
job syntax_error/skript_zh.log stages translations \
	"附近有语法错误" \
	'bash ~/tools/locale.sh zh_CN.UTF-8 bash xunlian.sh'
job syntax_error/palette_node.log label /usr/bin/node \
	"SyntaxError: missing )" \
	'node render.js'
job syntax_error/plots_notebook.log notebooks notebooks \
	"unindent does not match" \
	'python3 nightly.py plots'
job illegal_index/history_java.log recsys /usr/bin/javac \
	"Index 50 out of bounds for length 50" \
	"$java lab.features.Features history"
job illegal_index/merges_rust.log tokens rustc,cc \
	"index out of bounds: the len is 5" \
	"export RUST_BACKTRACE=1; $in_rust shard"
job illegal_index/halo_fortran.log climate /usr/bin/gfortran \
	"above upper bound of 64" \
	"$in_fortran halo"
job undefined_variable/min_score_node.log label /usr/bin/node \
	"minScore is not defined" \
	'node prelabel.js thresholds'
job undefined_variable/max_words_perl.log cleanup /usr/bin/perl \
	"Global symbol" \
	'bash clean.sh vocab'
job undefined_variable/free_norm.log captions - \
	"cannot access free variable" \
	'python3 train.py --stage smoothing'
job undefined_variable/labels_notebook.log notebooks notebooks \
	"'labels' is not defined" \
	'python3 -m IPython --colors=Linux order.ipy'
job undefined_variable/resultats_fr.log stages translations \
	"variable sans liaison" \
	'bash ~/tools/locale.sh fr_FR.UTF-8 bash essais.sh'
job not_implemented/render_bare.log rl torch \
	"NotImplementedError" \
	'python3 ppo.py record'
job not_implemented/onnx_unflatten.log medical torch \
	"Exporting the operator" \
	'python3 volumes.py onnx'
job not_implemented/append_java.log recsys /usr/bin/javac \
	"UnsupportedOperationException" \
	"$java lab.features.Features append"
job not_implemented/fallback_rust.log tokens rustc,cc \
	"not implemented: byte fallback" \
	"$in_rust fallback"
job not_implemented/layout_tf.log multimodal - \
	"only supports the NHWC" \
	'python3 fit.py unimplemented'
job division_by_zero/cold_start_java.log recsys /usr/bin/javac \
	"/ by zero" \
	"$java lab.features.Features rate"
job division_by_zero/buckets_rust.log tokens rustc,cc \
	"attempt to divide by zero" \
	"$in_rust buckets 0"
job division_by_zero/precision_perl.log cleanup /usr/bin/perl \
	"Illegal division by zero" \
	'bash clean.sh empty'
job division_by_zero/knoten_de.log stages translations \
	"Division durch 0" \
	'export KNOTEN=0
	bash ~/tools/locale.sh de_DE.UTF-8 bash aufbereiten.sh anlegen aufteilen'
job division_by_zero/modulo_guarded.log captions - \
	"integer modulo by zero" \
	'python3 train.py --stage modulo --guard'

# --- data ---
job corrupt_data/archivo_es.log stages translations \
	"Fin de fichero inesperado" \
	'bash ~/tools/locale.sh es_ES.UTF-8 bash archivos.sh'
job corrupt_data/checksums.log captions - \
	"computed checksum did NOT match" \
	'bash verify.sh'
job corrupt_data/flipped_bit.log medical torch \
	"incorrect data check" \
	'python3 volumes.py checksum'
job corrupt_data/station_fortran.log climate /usr/bin/gfortran \
	"Bad real number" \
	"$in_fortran station"
job unexpected_encoding/titles_java.log recsys /usr/bin/javac \
	"MalformedInputException: Input length = 1" \
	"$java lab.features.Features titles"
job unexpected_encoding/wiki_rust.log tokens rustc,cc \
	"stream did not contain valid UTF-8" \
	"$in_rust lines"
job unexpected_encoding/hypothesis_perl.log cleanup /usr/bin/perl \
	"does not map to Unicode" \
	'bash clean.sh encoding'
job unexpected_encoding/file_names.log captions - \
	"surrogates not allowed" \
	'python3 train.py --stage names'

# --- platform, in translation ---
job storage_fault/poids_fr.log stages ns,translations \
	"Aucun espace disponible sur le périphérique" \
	'bash ~/tools/locale.sh fr_FR.UTF-8 bash copie.sh /mnt/scratch'
job native_crash/liste_de.log native cc,translations \
	"Speicherzugriffsfehler" \
	'gcc -O0 -o sim sim.c &&
	bash ~/tools/locale.sh de_DE.UTF-8 bash ~/tools/run.sh ./sim walk'

# --- jobs that ended well ---
job none/vorlauf_de.log stages translations \
	"model saved" \
	'bash ~/tools/locale.sh de_DE.UTF-8 bash aufbereiten.sh anlegen vorlauf'
job none/third_launch.log captions - \
	"launch 3 ended with status 0" \
	'bash launches.sh pictures settings fit'
