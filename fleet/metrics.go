package fleet

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/fleet/roster"
)

// metrics count what becomes of leases.
type metrics struct {
	*past
	granted prometheus.Counter
	ends    *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		&past{ended: map[roster.Ending]int{}},
		prometheus.NewCounter(prometheus.CounterOpts{Name: "quintain_fleet_granted_total", Help: "Leases granted to workers."}),
		prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_fleet_ended_total", Help: "What became of leases: played, returned, expired with their worker, fenced since another worker had them, or a lie."}, []string{"how"}),
	}
}

// given counts leases that are granted.
func (m metrics) given(n int) {
	m.grant(n)
	m.granted.Add(float64(n))
}

// over counts leases that ended.
func (m metrics) over(how roster.Ending, n int) {
	m.end(how, n)
	m.ends.WithLabelValues(string(how)).Add(float64(n))
}

func (m metrics) all() []prometheus.Collector { return []prometheus.Collector{m.granted, m.ends} }
