package watch

import (
	"math"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/watch/words"
)

// A machine is this process's use of its machine. Many goroutines may use it at once.
type machine struct {
	data     string // folder on the shown disk
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

// A fact is a name and a value, as text.
type fact struct{ Name, Value string }

// shareEvery is the least time over which to measure the use of processors.
const shareEvery = 2 * time.Second

// ShowMachine adds this process to the page of the run: its processors, memory and
// goroutines, and the disk space of the data folder. It is for the process of the run or the
// hub. Call it before the first request.
func (s *Server) ShowMachine() {
	m := &machine{data: s.config.Data, registry: prometheus.NewRegistry(), share: math.NaN()}
	m.registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.machine = m
}

// facts are the current facts.
func (m *machine) facts() []fact {
	now := m.gauges()
	free, total, known := datadir.Space(m.data)
	disk := unknown
	if known {
		disk = size(float64(free)) + " free of " + size(float64(total))
	}
	used := unknown
	if share := m.processors(now); !math.IsNaN(share) {
		used = strconv.FormatFloat(share, 'f', 2, 64) + " of " + strconv.Itoa(runtime.NumCPU())
	}
	memory := unknown
	if v, there := now["process_resident_memory_bytes"]; there {
		memory = size(v)
	}
	return []fact{{"Processors in use", used}, {"Memory", memory}, {"Goroutines", words.Count(runtime.NumGoroutine())}, {"Disk of the data folder", disk}}
}

// unknown stands for facts that this system does not tell.
const unknown = "not known"

// gauges are the process collector's numbers on this system, by name.
func (m *machine) gauges() map[string]float64 {
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
func (m *machine) processors(now map[string]float64) float64 {
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

// size writes a number of bytes.
func size(bytes float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		if bytes < 1000 || unit == "TB" {
			return number(bytes) + " " + unit
		}
		bytes /= 1000
	}
	return ""
}
