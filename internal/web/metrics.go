package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxPages is how many pages of metrics are written at once.
const maxPages = 16

// metrics are what Prometheus learns of the requests of a server.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	in, out  *prometheus.CounterVec // bytes
	refused  prometheus.Counter     // connections beyond the limit
	evicted  prometheus.Counter     // connections that were closed for others
	busy     prometheus.Counter     // requests for which there was no memory
	faults   *prometheus.CounterVec // requests that failed by the fault of the server
	registry *prometheus.Registry
	page     http.Handler
}

// newMetrics returns the metrics of the server of a name.
func newMetrics(name string) *metrics {
	counter := func(metric, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "quintain", Subsystem: name, Name: metric, Help: help}
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(counter("http_requests_total", "Requests, by route, method and status."), []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "quintain", Subsystem: name, Name: "http_request_seconds", Help: "Time from the head of a request to the end of its reply.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "method"}),
		in:       prometheus.NewCounterVec(counter("http_request_bytes_total", "Bytes of the bodies of requests, as they came."), []string{"route"}),
		out:      prometheus.NewCounterVec(counter("http_response_bytes_total", "Bytes of the bodies of replies, as they went."), []string{"route"}),
		refused:  prometheus.NewCounter(counter("connections_refused_total", "Connections beyond the limit.")),
		evicted:  prometheus.NewCounter(counter("connections_evicted_total", "Connections without a request that were closed so that others fit within the limit.")),
		busy:     prometheus.NewCounter(counter("http_busy_total", "Requests that were put off because those under way took all memory.")),
		faults:   prometheus.NewCounterVec(counter("http_faults_total", "Requests that failed by the fault of the server, such as a broken disk, by route and status."), []string{"route", "status"}),
		registry: prometheus.NewRegistry(),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.in, m.out, m.refused, m.evicted, m.busy, m.faults,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.page = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxPages})
	return m
}

// note notes a call that has been answered.
func (m *metrics) note(c *Call, took time.Duration) {
	route, status := routeLabel(c), c.W.status
	if status == 0 {
		status = 499 // nothing was written: the client has gone
	}
	method := knownMethod(c.R.Method)
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	if !c.Waits {
		m.seconds.WithLabelValues(route, method).Observe(took.Seconds())
	}
	m.in.WithLabelValues(route).Add(float64(max(0, c.read)))
	m.out.WithLabelValues(route).Add(float64(c.W.bytes))
}

// fault counts a call that failed by the fault of the server.
func (m *metrics) fault(c *Call, status int) {
	m.faults.WithLabelValues(routeLabel(c), strconv.Itoa(status)).Inc()
}

// routeLabel is the route of a call.
func routeLabel(c *Call) string {
	if c.Route == "" {
		return "none"
	}
	return c.Route
}

// knownMethod keeps clients from adding labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return method
	}
	return "other"
}
