package service

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
)

// lost counts the requests without a result by a fault of this machine, by status. A client that takes any
// such answer for a failed test will have made a wrong zero of each.
type lost struct {
	mu       sync.Mutex
	byStatus map[int]int64
}

// Counted returns routes whose lost requests the server counts.
func (s *Server) Counted(routes []web.Route) []web.Route {
	routes = slices.Clone(routes)
	for i, r := range routes {
		routes[i].Serve = func(c *web.Call) error {
			err := r.Serve(c)
			if refused, ok := errors.AsType[*web.Error](err); ok && refused.Status >= http.StatusInternalServerError {
				s.lost.mu.Lock()
				defer s.lost.mu.Unlock()
				s.lost.byStatus[refused.Status]++
			}
			return err
		}
	}
	return routes
}

// Describe implements [prometheus.Collector].
func (s *Server) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, to) }

// Collect implements [prometheus.Collector]: it reports what the sandbox did.
func (s *Server) Collect(to chan<- prometheus.Metric) {
	gauge := func(name, help string, n int64) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("quintain_sandbox_"+name, help, nil, nil), prometheus.GaugeValue, float64(n))
	}
	gauge("running", "Jobs and cells under way.", s.gate.running.Load())
	gauge("waiting", "Jobs and cells that wait for a turn.", s.gate.waiting.Load())
	gauge("sessions", "Open sessions.", int64(s.sessions.Count()))
	s.gate.mu.Lock()
	ends := maps.Clone(s.gate.ends)
	s.gate.mu.Unlock()
	jobs := prometheus.NewDesc("quintain_sandbox_jobs_total", "Jobs and cells with a result, by how they ended.", []string{"end"}, nil)
	for _, end := range sandbox.Ends() {
		to <- prometheus.MustNewConstMetric(jobs, prometheus.CounterValue, float64(ends[end]), string(end))
	}
	s.lost.mu.Lock()
	defer s.lost.mu.Unlock()
	lost := prometheus.NewDesc("quintain_sandbox_lost", "Requests without a result by a fault of this machine, by status: a client may take each for a failed test.", []string{"status"}, nil)
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		to <- prometheus.MustNewConstMetric(lost, prometheus.CounterValue, float64(s.lost.byStatus[status]), strconv.Itoa(status))
	}
}
