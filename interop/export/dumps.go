package export

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/trace"
)

// DumpSettings say which dumps of Atropos are written; see docs/formats/dump.md.
type DumpSettings struct {
	Rollouts  bool    `json:"rollouts"`  // groups with a score above Threshold
	Failed    bool    `json:"failed"`    // groups in which every score is 0
	Threshold float64 `json:"threshold"` // 0 to 1
}

// DefaultDumps returns the defaults: the threshold of Atropos' environment, and no dumps.
func DefaultDumps() DumpSettings { return DumpSettings{Threshold: 0.7} }

// Declare implements [settings.Declarer].
func (s *DumpSettings) Declare(d *settings.Section) {
	d.Bool(&s.Rollouts, "rollouts", "write groups with a score above the threshold to DATA/dumps").Flag("dump-rollouts")
	d.Bool(&s.Failed, "failed", "write groups in which every score is 0 to DATA/dumps").Flag("dump-failed")
	d.Float(&s.Threshold, "threshold", "a score above this is good").Between(0, 1).Flag("")
}

// Dumps is a [Sink] of Atropos' dumps: the rollouts of kept groups with a score above the
// threshold, and those of groups whose scores are all 0.
type Dumps struct {
	threshold    float64
	good, failed *atropos.Dump // nil: not written
}

// OpenDumps returns a sink that writes the files of a run to dir.
func OpenDumps(dir, runID string, s DumpSettings) (*Dumps, error) {
	d := &Dumps{threshold: s.Threshold}
	var err error
	if s.Rollouts {
		d.good, err = atropos.NewDump(dir, runID, atropos.Good)
	}
	if s.Failed && err == nil {
		d.failed, err = atropos.NewDump(dir, runID, atropos.Failed)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dumps: %w", err), d.Close())
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
	switch kind, wanted := record.Kind(d.threshold); {
	case !wanted:
	case kind == atropos.Good && r.Drop == "" && d.good != nil:
		return d.good.Write(record)
	case kind == atropos.Failed && d.failed != nil:
		return d.failed.Write(record)
	}
	return nil
}

// Describe implements [prometheus.Collector]. It describes nothing, because what is dumped
// is a setting.
func (d *Dumps) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector]: the full files of each dump, and the lines of
// the file that is being written.
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
		gauge("full_files", "Files of rollouts that are full.", full)
		gauge("lines", "Groups in the file of rollouts that is being filled: with rollouts, 100 fill it, with FAILED_rollouts 50.", lines)
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
