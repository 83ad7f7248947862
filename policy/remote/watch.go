package remote

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// A Watch counts the faults of a server by kind, and knows why requests wait. Many
// goroutines may use it at once. It is a [prometheus.Collector].
type Watch struct {
	log *slog.Logger

	mu      sync.Mutex
	fault   *Error // why the last failed request waits; nil: one has succeeded since
	retried map[string]int
	failed  map[string]int
}

// NewWatch returns a Watch that logs the first fault after each success.
func NewWatch(log *slog.Logger) *Watch {
	return &Watch{log: log, retried: map[string]int{}, failed: map[string]int{}}
}

// Told records a fault before a retry; it is a [Config.Told]. An [Aborted] reply is only
// counted: its server is well.
func (w *Watch) Told(fault *Error, _ int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.retried[string(fault.Kind)]++
	if fault.Kind == Aborted {
		return
	}
	if w.fault == nil {
		w.log.Warn("the policy's server failed; trying again", "err", fault)
	}
	w.fault = fault
}

// Ended records the end of a request.
func (w *Watch) Ended(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.fault = nil
		return
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		w.failed[string(fault.Kind)]++
	}
}

// Waiting returns the fault that makes requests wait for a retry; nil: none.
func (w *Watch) Waiting() *Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

// Describe implements [prometheus.Collector]. It describes nothing, because the kinds of
// faults are not known beforehand.
func (w *Watch) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (w *Watch) Collect(to chan<- prometheus.Metric) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, counter := range []struct {
		name, help string
		counts     map[string]int
	}{
		{"quintain_policy_retries_total", "Retried requests to the policy's server, by the kind of fault.", w.retried},
		{"quintain_policy_failures_total", "Requests to the policy's server that failed in the end, by the kind of fault.", w.failed},
	} {
		desc := prometheus.NewDesc(counter.name, counter.help, []string{"kind"}, nil)
		for _, kind := range slices.Sorted(maps.Keys(counter.counts)) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(counter.counts[kind]), kind)
		}
	}
}
