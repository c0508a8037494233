// Command hlolayout-beam lints or assigns every HLO dump under a pattern as an Apache Beam pipeline, for fleets of
// dumps that one machine does not want to read. It is a separate module, so that nobody who uses the library or the
// command gets Beam with it.
//
//	hlolayout-beam --input 'gs://dumps/*/*.hlo' --output gs://findings/today --tpu v5e --runner dataflow ...
//
// Without --runner the pipeline runs in this process (prism), which is for trials; Flink and Dataflow are the fleets'
// runners, with Beam's own flags.
//
// # What a lost worker leaves
//
// The files hold the same bytes whatever the runner, the number of workers and the order of work. A runner that
// loses a worker starts its part of the work again, so a dump may be worked on twice, but it has its lines once:
// lines reach a file only through the grouping of its shard, and each file is written under another name and renamed
// when it is whole. A worker that is lost while it writes may leave a file PREFIX-00000-of-00004.jsonl.NAME.part; it
// can be removed when the job has ended. A shard without a dump has no file.
//
// # On a Flink cluster
//
// Every machine of the cluster needs the dumps and the output under the same path, and Beam's boot program, which
// fetches this binary from the job server and starts it as a worker:
//
//	go build -o boot github.com/apache/beam/sdks/v2/go/container
//
// Flink's configuration needs a restart strategy. Until the job manager misses a lost task manager it hands work to it
// again, and each time is an attempt (4 within 4 s in the run below), so:
//
//	restart-strategy.type: fixed-delay
//	restart-strategy.fixed-delay.attempts: 10
//	restart-strategy.fixed-delay.delay: 5 s
//
// Start the cluster, Beam's job server (org.apache.beam.runners.flink.FlinkJobServerDriver of the artifact
// org.apache.beam:beam-runners-flink-1.19, or its job-server jar) and the job:
//
//	java -cp ... org.apache.beam.runners.flink.FlinkJobServerDriver --flink-master localhost:8081 \
//		--job-port 8099 --artifact-port 8098 --expansion-port -1 --artifacts-dir /shared/artifacts
//	hlolayout-beam --input '/shared/dumps/*' --output /shared/out --work assign --shards 4 --runner flink \
//		--endpoint localhost:8099 --parallelism 2 --worker_binary "$(which hlolayout-beam)" \
//		--environment_type PROCESS --environment_config '{"command":"/shared/worker"}'
//
// where /shared/worker gives each worker a folder of its own. Workers of one machine that share boot's default, /tmp,
// overwrite the binary that another one starts:
//
//	#!/bin/sh
//	exec /shared/boot "$@" --semi_persist_dir="$(mktemp -d)"
//
// Workers of a PROCESS environment outlive their task manager and the job. End them when the job has ended, and remove
// their folders, /tmp/bin* too. The other way, --environment_type DOCKER, was not tried.
//
// # What it cost
//
// Flink 1.19.3, Beam's Flink runner 2.62.0 and the Go SDK 2.77.0 ran 2,000 dumps (60 MB; 200 of them gzip, 20 cut)
// with --work assign and 4 shards on a machine of two busy cores: a job manager, a job server and two task managers of
// one slot each, all JVMs of their own. kill -9 ended a task manager in the middle, and another was started 2 s later.
// All files were byte for byte those of the run in one process, 2,000 lines for 2,000 dumps.
//
//	run                                                               wall
//	one process (prism)                                               23 s
//	cluster                                                           84 s
//	cluster, killed when 911 of the 2,000 dumps had been handed out  111 s
//	cluster, killed when a file was half written                     164 s
//
// One process took 9 s of CPU, the cluster's processes 51 s without a kill, 6 of them Go's workers. 30 of the 84 s pass
// before the job runs: Flink takes in the runner's jars (160 files, 152 MB). Each worker copies its binary, 127 MB. The
// job manager and the job server held 0.4 GB each, a task manager 0.7 to 1.1 GB and a worker 0.2 GB. What is lost is
// done again from the start, because Flink pipelines the exchange between the stages and the job is one region. So a
// cluster is for dumps that take one machine many minutes.
package main
