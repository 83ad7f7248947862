package watch

import (
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// A machineMeter is this process's use of its machine. Many goroutines may use it at once.
type machineMeter struct {
	registry *prometheus.Registry

	mu    sync.Mutex
	last  sampled
	share float64 // processors in use at last; NaN: unknown
}

// A sampled is the process's CPU time at a time.
type sampled struct {
	at      time.Time
	seconds float64
}

// A machineUse is what the process uses. NaN stands for what this system does not tell.
type machineUse struct {
	Processors float64 // on average since the last measurement, at first since the process began
	Memory     float64 // bytes
}

// shareEvery is the least time over which to measure the use of processors.
const shareEvery = 2 * time.Second

// newMachineMeter returns the machine of this process.
func newMachineMeter() *machineMeter {
	m := &machineMeter{registry: prometheus.NewRegistry(), share: math.NaN()}
	m.registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// use is the current use.
func (m *machineMeter) use() machineUse {
	now := m.gauges()
	use := machineUse{Processors: m.processors(now), Memory: math.NaN()}
	if v, there := now["process_resident_memory_bytes"]; there {
		use.Memory = v
	}
	return use
}

// gauges are the process collector's numbers on this system, by name.
func (m *machineMeter) gauges() map[string]float64 {
	families, err := m.registry.Gather()
	if err != nil {
		return nil // all unknown
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, one := range f.GetMetric() {
			all[f.GetName()] = one.GetGauge().GetValue() + one.GetCounter().GetValue() // one of the two is set
		}
	}
	return all
}

// processors is the average number in use since the last measurement, at first since the
// process began; NaN: unknown.
func (m *machineMeter) processors(now map[string]float64) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	seconds, there := now["process_cpu_seconds_total"]
	began, dated := now["process_start_time_seconds"]
	if m.last.at.IsZero() && dated {
		m.last.at = time.UnixMicro(int64(1e6 * began))
	}
	if past := time.Since(m.last.at); there && !m.last.at.IsZero() && past >= shareEvery {
		m.share = (seconds - m.last.seconds) / past.Seconds()
		m.last = sampled{time.Now(), seconds}
	}
	return m.share
}
