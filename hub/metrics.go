package hub

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what Prometheus is told.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	in, out  *prometheus.CounterVec // bytes
	refused  prometheus.Counter     // connections beyond the limit
	page     http.Handler
}

func newMetrics(t *site) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_hub_http_requests_total", Help: "Requests, by route, method and status."}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quintain_hub_http_request_seconds", Help: "Time from the head of a request to the end of its reply.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "method"}),
		in:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_hub_http_request_bytes_total", Help: "Bytes of bodies of requests, as they came."}, []string{"route"}),
		out:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_hub_http_response_bytes_total", Help: "Bytes of bodies of replies, as they went."}, []string{"route"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{Name: "quintain_hub_connections_refused_total", Help: "Connections beyond the limit."}),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.seconds, m.in, m.out, m.refused, runCollector{t},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
	return m
}

// request notes a request that has been answered.
func (m *metrics) request(c *call, took time.Duration) {
	route := c.route
	if route == "" {
		route = "none"
	}
	status := c.w.status
	if status == 0 {
		status = 499 // nothing was written: the client has gone
	}
	m.requests.WithLabelValues(route, knownMethod(c.r.Method), strconv.Itoa(status)).Inc()
	if !c.waits {
		m.seconds.WithLabelValues(route, knownMethod(c.r.Method)).Observe(took.Seconds())
	}
	m.in.WithLabelValues(route).Add(float64(max(0, c.read)))
	m.out.WithLabelValues(route).Add(float64(c.w.bytes))
}

// knownMethod keeps clients from making labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return method
	}
	return "other"
}

// metricsPage shows the metrics in the text form of Prometheus.
func (s *Server) metricsPage(c *call) { s.metrics.page.ServeHTTP(c.w, c.r) }

// A runCollector tells Prometheus of the runs.
type runCollector struct{ *site }

// Describe tells nothing: which metrics there are depends on the runs.
func (runCollector) Describe(chan<- *prometheus.Desc) {}

// Collect tells of each run as it is now.
func (r runCollector) Collect(to chan<- prometheus.Metric) {
	drained := 0.0
	if r.draining.Load() {
		drained = 1
	}
	to <- prometheus.MustNewConstMetric(prometheus.NewDesc("quintain_hub_draining", "1 where no groups are taken.", nil, nil), prometheus.GaugeValue, drained)
	for _, s := range r.running() {
		tellRun(to, s.name, s.Stats())
	}
}

// tellRun tells of one run.
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
	counter("batches_total", "Batches that were handed out, by whether they were before.", st.Batches, "again", "no")
	counter("batches_total", "Batches that were handed out, by whether they were before.", st.Again, "again", "yes")
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
	counter("groups_unfit_total", "Groups that lost their advantages, which did not fit.", st.Unfit)
	for state, count := range map[string]struct{ Groups, Tokens, Bytes int }{
		"waiting": {st.Queue.Waiting.Groups, st.Queue.Waiting.Tokens, st.Queue.Waiting.Bytes},
		"leased":  {st.Queue.Leased.Groups, st.Queue.Leased.Tokens, st.Queue.Leased.Bytes},
		"aside":   {st.Queue.Aside.Groups, st.Queue.Aside.Tokens, st.Queue.Aside.Bytes},
	} {
		gauge("queue_groups", "Groups in the queue, by what they are.", count.Groups, "state", state)
		gauge("queue_tokens", "Tokens of groups in the queue.", count.Tokens, "state", state)
		gauge("queue_bytes", "Bytes of groups in the queue, as stored.", count.Bytes, "state", state)
	}
	gauge("groups_held", "Groups that wait for others to make up a group's size.", st.Held)
	gauge("batches_open", "Batches that are formed and not acknowledged.", st.Open)
	for size, n := range st.Unpackable {
		gauge("groups_unpackable", "Groups that fit into no batch, by their sequences.", n, "sequences", strconv.Itoa(size))
	}
	gauge("envs", "Environments, by whether they gave a sign of life of late.", st.Connected, "connected", "yes")
	gauge("envs", "Environments, by whether they gave a sign of life of late.", st.Envs-st.Connected, "connected", "no")
	gauge("step", "Batches that were handed out, on top of the trainer's first step.", st.Step)
	age := 0.0
	if !st.Queue.OldestPut.IsZero() {
		age = max(0, time.Since(st.Queue.OldestPut).Seconds())
	}
	tell(prometheus.GaugeValue, "queue_oldest_seconds", "Age of the group that has waited longest.", age)
}
