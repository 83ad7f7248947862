package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/screen"
)

// A server is the policy of a server, and what is known of the server's faults. Many
// goroutines may use it. It is a [prometheus.Collector].
type server struct {
	*openai.Client
	url     string
	model   string
	retries int // of an exchange, at most
	log     *slog.Logger

	mu      sync.Mutex
	waiting string         // why the last request that failed waits; empty: one has succeeded since
	again   map[string]int // exchanges that were tried again, by the kind of fault
	failed  map[string]int // requests that failed in the end, by the kind of fault
}

// newServer returns the server of a config.
func newServer(config openai.Config, log *slog.Logger) (*server, error) {
	s := &server{url: config.Server.URL, model: config.Model, retries: max(0, config.Server.Retries), log: log, again: map[string]int{}, failed: map[string]int{}}
	config.Server.Told = s.told
	var err error
	s.Client, err = openai.New(config)
	return s, err
}

// Sample implements [quintain.Policy].
func (s *server) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	samples, err := s.Client.Sample(ctx, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault, is := errors.AsType[*remote.Error](err); is {
		s.failed[string(fault.Kind)]++
	} else if err == nil {
		s.waiting = ""
	}
	return samples, err
}

// told takes note of a fault after which an exchange is tried again. The first since a
// request succeeded is logged.
func (s *server) told(fault *remote.Error, attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again[string(fault.Kind)]++
	if s.waiting == "" {
		s.log.Warn("the policy's server fails and is asked again", "err", fault)
	}
	cause := screen.Clip(strings.TrimPrefix(fault.Error(), fault.URL+": "), 100)
	s.waiting = fmt.Sprintf("waiting for the server: %s (retry %d of %d)", cause, attempt, s.retries)
}

// Waiting says what the policy waits for; empty: for nothing but its replies.
func (s *server) Waiting() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// look says what is found at the server's address, within a few seconds.
func (s *server) look(ctx context.Context) string {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer within 5 s"))
	defer cancel()
	err := s.Check(ctx)
	if err == nil {
		return fmt.Sprintf("the server %s has the model %s", s.url, s.model)
	}
	return fmt.Sprintf("the server %s cannot be used yet: %v", s.url, err)
}

// Describe implements [prometheus.Collector]. It describes nothing, because the kinds of
// faults are not known before.
func (s *server) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (s *server) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, counter := range []struct {
		name, help string
		counts     map[string]int
	}{
		{"quintain_policy_retries_total", "Exchanges with the policy's server that were tried again, by the kind of fault.", s.again},
		{"quintain_policy_failures_total", "Requests to the policy's server that failed in the end, by the kind of fault.", s.failed},
	} {
		desc := prometheus.NewDesc(counter.name, counter.help, []string{"kind"}, nil)
		for _, kind := range slices.Sorted(maps.Keys(counter.counts)) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(counter.counts[kind]), kind)
		}
	}
}

// warnings say what a run of these settings will not do that its user may expect.
func (c *config) warnings() (all []string) {
	if c.Policy.Kind != kindOpenAI {
		return nil
	}
	if c.Run.Consumer == consumerBuiltin {
		all = append(all, "nothing is trained here: the batches are taken and forgotten. "+
			"For a trainer of your own, add --consumer hub; to keep what is played, export the trace (quintain trace export)")
	}
	if c.Run.Consumer == consumerHub && !c.Policy.OpenAI.TokenIDs {
		all = append(all, "the tokens that the trainer gets are the bytes of the texts, not those of the model: add --token-ids if the server is vLLM or SGLang")
	}
	return all
}
