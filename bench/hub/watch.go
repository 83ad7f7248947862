package main

import (
	"slices"
	"sync"
	"time"
)

// A watch collects durations from many goroutines.
type watch struct {
	mu    sync.Mutex
	spans []time.Duration
}

func (w *watch) note(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spans = append(w.spans, d)
}

// Latency summarizes durations.
type Latency struct {
	N   int     `json:"n"` // durations
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

func (w *watch) latency() Latency {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.spans)
	if n == 0 {
		return Latency{}
	}
	slices.Sort(w.spans)
	at := func(part float64) float64 {
		return float64(w.spans[min(n-1, int(part*float64(n)))].Microseconds()) / 1000
	}
	return Latency{n, at(0.5), at(0.99), at(1)}
}
