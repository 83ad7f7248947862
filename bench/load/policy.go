package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// A StreamLoad describes a measurement.
type StreamLoad struct {
	Streams int           // at once, 1 or more
	Rounds  int           // successive requests of each stream, 1 or more
	Ramp    time.Duration // time over which the streams start
	Prompt  int           // tokens, 1 or more
	Tokens  int           // most tokens of a reply; 0: the server decides

	// Ideal returns the time of a reply of n tokens from a server with no overhead; nil:
	// unknown.
	Ideal func(n int) time.Duration
}

// A StreamRow is the result. Times are in milliseconds.
type StreamRow struct {
	Streams        int     `json:"streams"`
	Requests       int     `json:"requests"` // answered
	Errors         int     `json:"errors"`
	LastError      string  `json:"last_error,omitempty"`
	Seconds        float64 `json:"seconds"`
	RequestsPerS   float64 `json:"requests_per_s"`
	TokensPerS     float64 `json:"tokens_per_s"`
	LatencyP50     float64 `json:"latency_p50_ms"`
	LatencyP99     float64 `json:"latency_p99_ms"`
	AddedP50       float64 `json:"added_p50_ms,omitempty"` // time of a reply beyond the ideal
	AddedP99       float64 `json:"added_p99_ms,omitempty"`
	BytesPerStream int     `json:"bytes_per_stream"` // peak memory of this process beyond the start
	MostAtOnce     int     `json:"most_at_once"`     // requests in flight
}

// Check reports the first invalid number.
func (l StreamLoad) Check() error {
	for _, n := range []struct {
		name  string
		value int
	}{{"streams", l.Streams}, {"rounds", l.Rounds}, {"prompt", l.Prompt}} {
		if n.value < 1 {
			return fmt.Errorf("%s: is %d, want 1 or more", n.name, n.value)
		}
	}
	if l.Tokens < 0 || l.Ramp < 0 {
		return fmt.Errorf("tokens and ramp: want 0 or more")
	}
	return nil
}

// A streamSession is a running measurement.
type streamSession struct {
	load StreamLoad
	from policy.Generator

	mu      sync.Mutex
	row     StreamRow
	running int
	tokens  int
	took    []time.Duration
	added   []time.Duration
}

// Run puts l on g, and returns when all streams have ended.
func (l StreamLoad) Run(ctx context.Context, g policy.Generator) (StreamRow, error) {
	s := streamSession{load: l, from: g, row: StreamRow{Streams: l.Streams}}
	over := make(chan struct{})
	var watching, streams sync.WaitGroup
	before := memory()
	most := before
	watching.Go(func() { most = watch(over, before) })
	start := time.Now()
	for i := range l.Streams {
		streams.Go(func() { s.stream(ctx, i) })
	}
	streams.Wait()
	s.row.Seconds = time.Since(start).Seconds()
	close(over)
	watching.Wait()
	s.row.BytesPerStream = int((most - before) / uint64(l.Streams))
	s.row.Requests = len(s.took)
	s.row.RequestsPerS, s.row.TokensPerS = float64(len(s.took))/s.row.Seconds, float64(s.tokens)/s.row.Seconds
	s.row.LatencyP50, s.row.LatencyP99 = quantile(s.took, 0.5), quantile(s.took, 0.99)
	s.row.AddedP50, s.row.AddedP99 = quantile(s.added, 0.5), quantile(s.added, 0.99)
	return s.row, context.Cause(ctx)
}

// stream makes the requests of stream i.
func (s *streamSession) stream(ctx context.Context, i int) {
	begin := time.NewTimer(s.load.Ramp * time.Duration(i) / time.Duration(s.load.Streams))
	defer begin.Stop()
	select {
	case <-begin.C:
	case <-ctx.Done():
	}
	prompt := policy.Prompt{Key: fmt.Sprint("stream ", i), N: 1, Tokens: make([]quintain.Token, s.load.Prompt)}
	prompt.Sampling = quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: s.load.Tokens}
	for round := 0; round < s.load.Rounds && ctx.Err() == nil; round++ {
		for k := range prompt.Tokens {
			prompt.Tokens[k] = quintain.Token('a' + (i+round+k*k)%26)
		}
		s.count(1)
		start := time.Now()
		outputs, err := s.from.Generate(ctx, prompt)
		s.note(time.Since(start), outputs, err)
	}
}

// count counts the requests in flight.
func (s *streamSession) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += n
	s.row.MostAtOnce = max(s.row.MostAtOnce, s.running)
}

// note records a request's time.
func (s *streamSession) note(took time.Duration, outputs []policy.Output, err error) {
	s.count(-1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.row.Errors++
		s.row.LastError = err.Error()
		return
	}
	n := len(outputs[0].Tokens)
	s.tokens += n
	s.took = append(s.took, took)
	if s.load.Ideal != nil {
		s.added = append(s.added, took-s.load.Ideal(n))
	}
}

// memory returns the resident memory of this process, in bytes.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}

// watch returns the peak memory of this process until over closes, at least least.
func watch(over <-chan struct{}, least uint64) (most uint64) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	most = least
	for {
		select {
		case <-tick.C:
			most = max(most, memory())
		case <-over:
			return max(most, memory())
		}
	}
}

// quantile sorts times and returns their q-th quantile in milliseconds, or 0 if there are
// none.
func quantile(times []time.Duration, q float64) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	at := min(len(times)-1, int(q*float64(len(times))))
	return float64(times[at].Microseconds()) / 1000
}
