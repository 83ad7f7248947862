package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxPages bounds concurrent requests for the metrics.
const maxPages = 16

// metrics are the HTTP metrics of a server.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	in, out  *prometheus.CounterVec // bytes of bodies
	refused  prometheus.Counter     // connections turned away
	evicted  prometheus.Counter     // idle connections closed for new ones
	busy     prometheus.Counter     // requests put off for lack of memory
	faults   *prometheus.CounterVec // requests that failed through a fault of the server
	registry *prometheus.Registry
	page     http.Handler
}

// newMetrics returns the metrics of the server called name.
func newMetrics(name string) *metrics {
	counter := func(metric, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "quintain", Subsystem: name, Name: metric, Help: help}
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(counter("http_requests_total", "Requests, by route, method and status."), []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "quintain", Subsystem: name, Name: "http_request_seconds", Help: "Time from a request's header to the end of its reply.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route", "method"}),
		in:       prometheus.NewCounterVec(counter("http_request_bytes_total", "Bytes of request bodies on the wire."), []string{"route"}),
		out:      prometheus.NewCounterVec(counter("http_response_bytes_total", "Bytes of reply bodies on the wire."), []string{"route"}),
		refused:  prometheus.NewCounter(counter("connections_refused_total", "Connections turned away at the limit.")),
		evicted:  prometheus.NewCounter(counter("connections_evicted_total", "Idle connections closed to admit new ones.")),
		busy:     prometheus.NewCounter(counter("http_busy_total", "Requests put off because others held all memory.")),
		faults:   prometheus.NewCounterVec(counter("http_faults_total", "Requests that failed through a fault of the server, such as a broken disk, by route and status."), []string{"route", "status"}),
		registry: prometheus.NewRegistry(),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.in, m.out, m.refused, m.evicted, m.busy, m.faults,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.page = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxPages})
	return m
}

// note counts an answered call.
func (m *metrics) note(c *Call, took time.Duration) {
	route, status := routeLabel(c), c.W.status
	if status == 0 {
		status = 499 // no reply: the client has gone
	}
	method := knownMethod(c.R.Method)
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	if !c.Waits {
		m.seconds.WithLabelValues(route, method).Observe(took.Seconds())
	}
	m.in.WithLabelValues(route).Add(float64(max(0, c.read)))
	m.out.WithLabelValues(route).Add(float64(c.W.bytes))
}

// fault counts a fault of the server.
func (m *metrics) fault(c *Call, status int) {
	m.faults.WithLabelValues(routeLabel(c), strconv.Itoa(status)).Inc()
}

// routeLabel is the label of a call's route.
func routeLabel(c *Call) string {
	if c.Route == "" {
		return "none"
	}
	return c.Route
}

// knownMethod keeps clients from inventing label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return method
	}
	return "other"
}
