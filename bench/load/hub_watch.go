package main

import (
	"slices"
	"sync"
	"time"
)

// A watchHub collects durations from many goroutines.
type watchHub struct {
	mu    sync.Mutex
	spans []time.Duration
}

func (w *watchHub) note(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spans = append(w.spans, d)
}

// HubLatency summarizes durations.
type HubLatency struct {
	N   int     `json:"n"` // durations
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

func (w *watchHub) latency() HubLatency {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.spans)
	if n == 0 {
		return HubLatency{}
	}
	slices.Sort(w.spans)
	at := func(part float64) float64 {
		return float64(w.spans[min(n-1, int(part*float64(n)))].Microseconds()) / 1000
	}
	return HubLatency{n, at(0.5), at(0.99), at(1)}
}
