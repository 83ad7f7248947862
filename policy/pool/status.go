package pool

import (
	"github.com/prometheus/client_golang/prometheus"
)

// A Status is the state of a pool.
type Status struct {
	UnderWay int // samples in flight on servers
	Waiting  int // samples waiting here
	Limit    int // of samples in flight
	Servers  []Server
}

// A Server is the status of a server in a pool.
type Server struct {
	URL      string
	State    State
	UnderWay int   // samples
	Fault    error // why it is down; nil: it is up, or unprobed
	Load     Load  // its last report; zero: none
	Old      bool  // it is up, but its weights are too old for it to be used
}

// Status returns the pool's state.
func (p *Pool[C]) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Status{UnderWay: p.underWay, Limit: p.limit()}
	for e := p.queue.Front(); e != nil; e = e.Next() {
		s.Waiting += e.Value.(*request[C]).n
	}
	for _, m := range p.members {
		s.Servers = append(s.Servers, Server{URL: m.url, State: m.state, UnderWay: m.underWay, Fault: m.fault, Load: m.last, Old: m.state == Up && m.out})
	}
	return s
}

// Describe implements [prometheus.Collector]. It describes nothing, because the servers
// change.
func (p *Pool[C]) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (p *Pool[C]) Collect(to chan<- prometheus.Metric) {
	gauge := func(name, help string, value float64, label ...string) {
		var names []string
		if len(label) > 0 {
			names = []string{"server"}
		}
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), prometheus.GaugeValue, value, label...)
	}
	s := p.Status()
	gauge("quintain_pool_under_way", "Samples in flight on the policy's servers.", float64(s.UnderWay))
	gauge("quintain_pool_waiting", "Samples waiting for room on the policy's servers.", float64(s.Waiting))
	gauge("quintain_pool_limit", "Most samples in flight at once.", float64(s.Limit))
	for _, of := range s.Servers {
		up := 0.0
		if of.State == Up && !of.Old {
			up = 1
		}
		gauge("quintain_pool_server_up", "1 if the server is used, 0 if it is down or draining, or has too old weights.", up, of.URL)
		gauge("quintain_pool_server_under_way", "Samples in flight on the server.", float64(of.UnderWay), of.URL)
		gauge("quintain_pool_server_cache_use", "Used part of the server's KV cache, as it reports.", of.Load.Use, of.URL)
	}
}
