package hub

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A runCollector reports a server's runs to Prometheus.
type runCollector struct{ *Server }

// Describe implements [prometheus.Collector]. It describes nothing, because the metrics
// depend on the runs.
func (runCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (r runCollector) Collect(to chan<- prometheus.Metric) {
	drained := 0.0
	if r.draining.Load() {
		drained = 1
	}
	to <- prometheus.MustNewConstMetric(prometheus.NewDesc("quintain_hub_draining", "1 while the hub refuses groups.", nil, nil), prometheus.GaugeValue, drained)
	for _, on := range r.running() {
		st := on.Stats()
		tellRun(to, on.name, st)
		tellServers(to, on.name, st.Servers)
		tellStore(to, on.name, on.queue.Condition())
	}
}

// tellServers reports the versions told for single servers of a run.
func tellServers(to chan<- prometheus.Metric, run string, versions map[string]int32) {
	desc := prometheus.NewDesc("quintain_hub_server_weights_version", "Version of the weights told for one server.", []string{"run", "server"}, nil)
	for server, version := range versions {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(version), run, server)
	}
}

// tellRun reports one run.
func tellRun(to chan<- prometheus.Metric, run string, st Stats) {
	tell := func(kind prometheus.ValueType, name, help string, v float64, labels ...string) {
		names, values := []string{"run"}, []string{run}
		for i := 0; i < len(labels); i += 2 {
			names, values = append(names, labels[i]), append(values, labels[i+1])
		}
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("quintain_hub_"+name, help, names, nil), kind, v, values...)
	}
	counter := func(name, help string, v uint64, labels ...string) {
		tell(prometheus.CounterValue, name, help, float64(v), labels...)
	}
	gauge := func(name, help string, v int, labels ...string) {
		tell(prometheus.GaugeValue, name, help, float64(v), labels...)
	}
	counter("groups_in_total", "Groups taken.", st.GroupsIn)
	counter("tokens_in_total", "Tokens of groups taken.", st.TokensIn)
	counter("groups_out_total", "Groups handed out.", st.GroupsOut)
	counter("tokens_out_total", "Tokens of groups handed out.", st.TokensOut)
	counter("batches_total", "Batches handed out, by whether again.", st.Batches, "again", "no")
	counter("batches_total", "Batches handed out, by whether again.", st.Again, "again", "yes")
	counter("same_problem_total", "Groups of a problem that another environment has played.", st.Twins)
	counter("sequences_padded_total", "Sequences that filled batches of GET /batch.", st.Padded)
	counter("batches_acked_total", "Batches acknowledged.", st.Acked)
	counter("batches_back_total", "Batches taken back, by reason.", st.Torn, "reason", "reply_torn")
	counter("batches_back_total", "Batches taken back, by reason.", st.Expired, "reason", "lease_expired")
	counter("batches_back_total", "Batches taken back, by reason.", st.Nacked, "reason", "given_back")
	counter("posts_total", "Requests with groups.", st.Posts)
	counter("refused_total", "Requests refused, by reason.", st.Refused, "reason", "invalid")
	counter("refused_total", "Requests refused, by reason.", st.Full, "reason", "full")
	counter("duplicates_total", "Groups received before.", st.Queue.Duplicates)
	counter("groups_dropped_total", "Groups dropped, by reason.", st.Dropped, "reason", "full")
	counter("groups_dropped_total", "Groups dropped, by reason.", st.Queue.Corrupt, "reason", "corrupt")
	counter("groups_dropped_total", "Groups dropped, by reason.", st.Queue.Lost, "reason", "lost")
	counter("groups_unfit_total", "Groups with advantages that did not match and were dropped.", st.Unfit)
	for state, count := range map[string]struct{ Groups, Tokens, Bytes int }{
		"waiting": {st.Queue.Waiting.Groups, st.Queue.Waiting.Tokens, st.Queue.Waiting.Bytes},
		"leased":  {st.Queue.Leased.Groups, st.Queue.Leased.Tokens, st.Queue.Leased.Bytes},
		"aside":   {st.Queue.Aside.Groups, st.Queue.Aside.Tokens, st.Queue.Aside.Bytes},
	} {
		gauge("queue_groups", "Groups in the queue, by state.", count.Groups, "state", state)
		gauge("queue_tokens", "Tokens of groups in the queue, by state.", count.Tokens, "state", state)
		gauge("queue_bytes", "Bytes of groups in the queue as stored, by state.", count.Bytes, "state", state)
	}
	gauge("groups_held", "Groups held for others to complete their group size.", st.Held)
	gauge("batches_open", "Open batches: formed and unacknowledged.", st.Open)
	gauge("envs", "Environments, by whether they were heard from recently.", st.Connected, "connected", "yes")
	gauge("envs", "Environments, by whether they were heard from recently.", st.Envs-st.Connected, "connected", "no")
	gauge("step", "The trainer's first step plus the batches handed out.", st.Step)
	gauge("weights_version", "Told version of the weights in use by the policy's server; -1: unknown.", st.Version)
	age := 0.0
	if !st.Queue.OldestPut.IsZero() {
		age = max(0, time.Since(st.Queue.OldestPut).Seconds())
	}
	tell(prometheus.GaugeValue, "queue_oldest_seconds", "Age of the oldest waiting group.", age)
}
