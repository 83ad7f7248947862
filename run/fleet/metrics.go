package fleet

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Describe implements [prometheus.Collector].
func (p *past) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(p, to) }

// Collect implements [prometheus.Collector].
func (p *past) Collect(to chan<- prometheus.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	granted := prometheus.NewDesc("quintain_fleet_granted_total", "Leases granted to workers.", nil, nil)
	to <- prometheus.MustNewConstMetric(granted, prometheus.CounterValue, float64(p.granted))
	ended := prometheus.NewDesc("quintain_fleet_ended_total", "What became of leases: played, returned, expired with their worker, fenced since another worker had them, or a lie.", []string{"how"}, nil)
	for how, n := range p.ended {
		to <- prometheus.MustNewConstMetric(ended, prometheus.CounterValue, float64(n), string(how))
	}
}
