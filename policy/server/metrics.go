package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/pool"
)

// Exchanges returns each server's exchanges since the last call; see [pool.Pool.Exchanges].
func (s *Server) Exchanges() [][]pool.Exchange {
	if !s.isReady() || s.pool == nil {
		return nil
	}
	return s.pool.Exchanges()
}

// Describe implements [prometheus.Collector]. It describes nothing: the metrics depend on
// the server.
func (s *Server) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector]: the server's faults, the versions of its weights,
// the turns by the drift of the chat template, and the continued replies.
func (s *Server) Collect(to chan<- prometheus.Metric) {
	s.watch.Collect(to)
	if !s.isReady() || s.pool == nil {
		return
	}
	s.pool.Collect(to)
	s.lags.Collect(to)
	if s.tokens == nil {
		return
	}
	n := s.tokens.Policy.Stats()
	turns := prometheus.NewDesc("quintain_policy_turns_total",
		"Turns after the first of a conversation, by the drift of the chat template.", []string{"drift"}, nil)
	for drift, count := range map[exact.Drift]int64{exact.Clean: n.Clean, exact.Realigned: n.Realigned, exact.Forked: n.Forked} {
		to <- prometheus.MustNewConstMetric(turns, prometheus.CounterValue, float64(count), string(drift))
	}
	resumed := prometheus.NewDesc("quintain_policy_resumed_total", "Continuations of replies that the server interrupted.", nil, nil)
	to <- prometheus.MustNewConstMetric(resumed, prometheus.CounterValue, float64(n.Resumed))
}
