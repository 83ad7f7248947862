package scalars

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Gauges is a [Log] that shows the last value of each name as a gauge of Prometheus:
// train/percent_correct is quintain_train_percent_correct. It is a
// [prometheus.Collector]; many goroutines may use it at once.
type Gauges struct {
	mu   sync.Mutex
	last map[string]float64
}

// NewGauges returns gauges without values.
func NewGauges() *Gauges { return &Gauges{last: map[string]float64{}} }

// Add implements [Log].
func (g *Gauges) Add(row Row) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range row.names() {
		g.last[gaugeName(name)] = row.Values[name]
	}
	return nil
}

// Close implements [Log]. The gauges stay.
func (g *Gauges) Close() error { return nil }

// Describe implements [prometheus.Collector]. It describes nothing, because the names are
// not known before.
func (g *Gauges) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (g *Gauges) Collect(to chan<- prometheus.Metric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, value := range g.last {
		desc := prometheus.NewDesc(name, "The last value of the run's metric of this name.", nil, nil)
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
}

// gaugeName returns a name in characters that Prometheus accepts.
func gaugeName(name string) string { return "quintain_" + letters(name, "_") }

// letters replaces the characters of a name by underscores, except ASCII letters, digits and
// those in others.
func letters(name, others string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(others, r) {
			return r
		}
		return '_'
	}, name)
}
