package remote

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// A Watch counts the faults of a server by their kind, and knows what its requests wait
// for. Many goroutines may use it at once. It is a [prometheus.Collector].
type Watch struct {
	log *slog.Logger

	mu      sync.Mutex
	fault   *Error // why the last request that failed waits; nil: one has succeeded since
	retried map[string]int
	failed  map[string]int
}

// NewWatch returns a Watch that logs the first fault since a request succeeded.
func NewWatch(log *slog.Logger) *Watch {
	return &Watch{log: log, retried: map[string]int{}, failed: map[string]int{}}
}

// Told takes note of a fault after which an exchange is tried again; it is a [Config.Told].
func (w *Watch) Told(fault *Error, _ int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.retried[string(fault.Kind)]++
	if w.fault == nil {
		w.log.Warn("the policy's server fails and is asked again", "err", fault)
	}
	w.fault = fault
}

// Ended takes note of how a request ended.
func (w *Watch) Ended(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if fault, is := errors.AsType[*Error](err); is {
		w.failed[string(fault.Kind)]++
	} else if err == nil {
		w.fault = nil
	}
}

// Waiting returns the fault because of which requests wait to be tried again; nil: they
// wait for nothing but their answers.
func (w *Watch) Waiting() *Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

// Describe implements [prometheus.Collector]. It describes nothing, because the kinds of
// faults are not known before.
func (w *Watch) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (w *Watch) Collect(to chan<- prometheus.Metric) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, counter := range []struct {
		name, help string
		counts     map[string]int
	}{
		{"quintain_policy_retries_total", "Exchanges with the policy's server that were tried again, by the kind of fault.", w.retried},
		{"quintain_policy_failures_total", "Requests to the policy's server that failed in the end, by the kind of fault.", w.failed},
	} {
		desc := prometheus.NewDesc(counter.name, counter.help, []string{"kind"}, nil)
		for _, kind := range slices.Sorted(maps.Keys(counter.counts)) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(counter.counts[kind]), kind)
		}
	}
}
