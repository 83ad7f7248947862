package fleet

import "github.com/prometheus/client_golang/prometheus"

// metrics count what becomes of leases.
type metrics struct {
	granted prometheus.Counter
	ends    *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		prometheus.NewCounter(prometheus.CounterOpts{Name: "quintain_fleet_granted_total", Help: "Leases granted to workers."}),
		prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_fleet_ended_total", Help: "What became of leases: played, returned, expired with their worker, fenced since another worker had them, or a lie."}, []string{"how"}),
	}
}

func (m metrics) ended(how string) { m.ends.WithLabelValues(how).Inc() }

func (m metrics) all() []prometheus.Collector { return []prometheus.Collector{m.granted, m.ends} }
