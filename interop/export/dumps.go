package export

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// DumpSettings says which Atropos dumps to write; see docs/formats/dump.md.
type DumpSettings struct {
	Rollouts  bool    `json:"rollouts"`  // groups with a score above Threshold
	Failed    bool    `json:"failed"`    // groups with only zero scores
	Threshold float64 `json:"threshold"` // 0 to 1
}

// DefaultDumps returns the defaults: the threshold of Atropos' environment, and no dumps.
func DefaultDumps() DumpSettings { return DumpSettings{Threshold: 0.7} }

// Declare implements [settings.Declarer].
func (s *DumpSettings) Declare(d *settings.Section) {
	d.Bool(&s.Rollouts, "rollouts", "write groups with a score above the threshold to DATA/dumps")
	d.Bool(&s.Failed, "failed", "write groups with only zero scores to DATA/dumps")
	d.Float(&s.Threshold, "threshold", "threshold of a good score").Between(0, 1)
}

// Dumps is a [Sink] of Atropos' dumps: the rollouts of kept groups with a score above the
// threshold, and of groups with only zero scores.
type Dumps struct {
	threshold    float64
	good, failed *atropos.Dump // nil: not written
}

// OpenDumps returns a sink that writes the files of a run to dir.
func OpenDumps(dir, runID string, s DumpSettings) (*Dumps, error) {
	d := &Dumps{threshold: s.Threshold}
	for _, one := range []struct {
		wanted bool
		kind   atropos.Kind
		dump   **atropos.Dump
	}{{s.Rollouts, atropos.Good, &d.good}, {s.Failed, atropos.Failed, &d.failed}} {
		if !one.wanted {
			continue
		}
		dump, err := atropos.NewDump(dir, runID, one.kind)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("dumps: %w", err), d.Close())
		}
		*one.dump = dump
	}
	return d, nil
}

// Write implements [Sink]. It ignores duplicate groups of a problem.
func (d *Dumps) Write(r *trace.Record) error {
	if len(r.Scores) == 0 || r.Drop == string(rollout.DropDuplicate) {
		return nil
	}
	record, err := atropos.NewRecord(r.Episodes, r.Scores)
	if err != nil {
		return fmt.Errorf("dumps: group %s: %w", r.Group(), err)
	}
	kind, wanted := record.Kind(d.threshold)
	switch {
	case wanted && kind == atropos.Good && r.Drop == "" && d.good != nil:
		return d.good.Write(record)
	case wanted && kind == atropos.Failed && d.failed != nil:
		return d.failed.Write(record)
	}
	return nil
}

// Describe implements [prometheus.Collector]. It describes nothing, because the dumps
// depend on the settings.
func (d *Dumps) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector]: the full files of each dump, and the lines of
// its current file.
func (d *Dumps) Collect(to chan<- prometheus.Metric) {
	for kind, dump := range map[atropos.Kind]*atropos.Dump{atropos.Good: d.good, atropos.Failed: d.failed} {
		if dump == nil {
			continue
		}
		gauge := func(name, help string, value int) {
			desc := prometheus.NewDesc("quintain_dump_"+name, help, []string{"kind"}, nil)
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), string(kind))
		}
		full, lines := dump.Progress()
		gauge("full_files", "Full files of rollouts.", full)
		gauge("lines", "Groups in the current file of rollouts: of rollouts, 100 fill it, of FAILED_rollouts 50.", lines)
	}
}

// Close closes the files.
func (d *Dumps) Close() error {
	var errs []error
	for _, dump := range []*atropos.Dump{d.good, d.failed} {
		if dump != nil {
			errs = append(errs, dump.Close())
		}
	}
	return errors.Join(errs...)
}
