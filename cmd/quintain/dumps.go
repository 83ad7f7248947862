package main

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
)

// dumps write rollouts to files for people to read. They are a [run.Sink].
type dumps struct {
	threshold float64
	good      *atropos.Dump // nil: good groups are not written
	failed    *atropos.Dump // nil: failed groups are not written
}

// open opens the files that s asks for.
func (d *dumps) open(dir string, s dumpSettings, runID string) (err error) {
	d.threshold = s.Threshold
	if s.Rollouts {
		if d.good, err = atropos.NewDump(dir, runID, atropos.Good); err != nil {
			return fmt.Errorf("dumps: %w", err)
		}
	}
	if s.Failed {
		if d.failed, err = atropos.NewDump(dir, runID, atropos.Failed); err != nil {
			return fmt.Errorf("dumps: %w", err)
		}
	}
	return nil
}

// Note implements [run.Sink]. It writes a group that is kept and has a score above the
// threshold, or one in which every score is 0.
func (d *dumps) Note(e run.Event) error {
	p, is := e.(run.Played)
	if !is || len(p.Scores) == 0 || p.Drop == rollout.DropDuplicate {
		return nil
	}
	record, err := atropos.NewRecord(p.Trajectories, p.Scores)
	if err != nil {
		return err
	}
	kind, wanted := record.Kind(d.threshold)
	switch {
	case !wanted:
	case kind == atropos.Good && p.Drop == "" && d.good != nil:
		return d.good.Write(record)
	case kind == atropos.Failed && d.failed != nil:
		return d.failed.Write(record)
	}
	return nil
}

// Close closes the files.
func (d *dumps) Close() error {
	var errs []error
	for _, dump := range []*atropos.Dump{d.good, d.failed} {
		if dump != nil {
			errs = append(errs, dump.Close())
		}
	}
	return errors.Join(errs...)
}
