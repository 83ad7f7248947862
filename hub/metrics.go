package hub

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A runCollector reports the runs of a server to Prometheus.
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
	to <- prometheus.MustNewConstMetric(prometheus.NewDesc("quintain_hub_draining", "1 while no groups are taken.", nil, nil), prometheus.GaugeValue, drained)
	for _, on := range r.running() {
		tellRun(to, on.name, on.Stats())
		tellStore(to, on.name, on.queue.Condition())
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
	counter("groups_in_total", "Groups that were taken.", st.GroupsIn)
	counter("tokens_in_total", "Tokens of groups that were taken.", st.TokensIn)
	counter("groups_out_total", "Groups that were handed out.", st.GroupsOut)
	counter("tokens_out_total", "Tokens of groups that were handed out.", st.TokensOut)
	counter("batches_total", "Batches that were handed out, by whether that was the first time.", st.Batches, "again", "no")
	counter("batches_total", "Batches that were handed out, by whether that was the first time.", st.Again, "again", "yes")
	counter("batches_acked_total", "Batches that were acknowledged.", st.Acked)
	counter("batches_back_total", "Batches that were taken back, by reason.", st.Torn, "reason", "reply_torn")
	counter("batches_back_total", "Batches that were taken back, by reason.", st.Expired, "reason", "lease_expired")
	counter("batches_back_total", "Batches that were taken back, by reason.", st.Nacked, "reason", "given_back")
	counter("posts_total", "Requests that brought groups.", st.Posts)
	counter("refused_total", "Requests that were refused, by reason.", st.Refused, "reason", "invalid")
	counter("refused_total", "Requests that were refused, by reason.", st.Full, "reason", "full")
	counter("duplicates_total", "Groups that had come before.", st.Queue.Duplicates)
	counter("groups_dropped_total", "Groups that were dropped, by reason.", st.Dropped, "reason", "full")
	counter("groups_dropped_total", "Groups that were dropped, by reason.", st.Queue.Corrupt, "reason", "corrupt")
	counter("groups_dropped_total", "Groups that were dropped, by reason.", st.Queue.Lost, "reason", "lost")
	counter("groups_unfit_total", "Groups whose advantages did not fit and were dropped.", st.Unfit)
	for state, count := range map[string]struct{ Groups, Tokens, Bytes int }{
		"waiting": {st.Queue.Waiting.Groups, st.Queue.Waiting.Tokens, st.Queue.Waiting.Bytes},
		"leased":  {st.Queue.Leased.Groups, st.Queue.Leased.Tokens, st.Queue.Leased.Bytes},
		"aside":   {st.Queue.Aside.Groups, st.Queue.Aside.Tokens, st.Queue.Aside.Bytes},
	} {
		gauge("queue_groups", "Groups in the queue, by state.", count.Groups, "state", state)
		gauge("queue_tokens", "Tokens of groups in the queue, by state.", count.Tokens, "state", state)
		gauge("queue_bytes", "Bytes of groups in the queue as stored, by state.", count.Bytes, "state", state)
	}
	gauge("groups_held", "Groups that wait for others to make up a group's size.", st.Held)
	gauge("batches_open", "Batches that are formed and not acknowledged.", st.Open)
	for size, n := range st.Unpackable {
		gauge("groups_unpackable", "Groups that fit into no batch, by their sequences.", n, "sequences", strconv.Itoa(size))
	}
	gauge("envs", "Environments, by whether they were heard from recently.", st.Connected, "connected", "yes")
	gauge("envs", "Environments, by whether they were heard from recently.", st.Envs-st.Connected, "connected", "no")
	gauge("step", "Batches that were handed out, added to the trainer's first step.", st.Step)
	gauge("weights_version", "Version of the weights that the policy's server samples with, as it was told; -1: unknown.", st.Version)
	age := 0.0
	if !st.Queue.OldestPut.IsZero() {
		age = max(0, time.Since(st.Queue.OldestPut).Seconds())
	}
	tell(prometheus.GaugeValue, "queue_oldest_seconds", "Age of the group that has waited longest.", age)
}
