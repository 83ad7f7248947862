package main

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/rollout"
)

// dumps write rollouts to files for people to read. Many goroutines may use them.
type dumps struct {
	threshold float64
	good      *atropos.Dump // nil: good groups are not written
	failed    *atropos.Dump // nil: failed groups are not written
}

// openDumps opens the files that s asks for.
func openDumps(dir string, s dumpSettings, runID string) (*dumps, error) {
	d := &dumps{threshold: s.Threshold}
	var err error
	if s.Rollouts {
		if d.good, err = atropos.NewDump(dir, runID, atropos.Good); err != nil {
			return nil, fmt.Errorf("dumps: %w", err)
		}
	}
	if s.Failed {
		if d.failed, err = atropos.NewDump(dir, runID, atropos.Failed); err != nil {
			return nil, errors.Join(fmt.Errorf("dumps: %w", err), d.Close())
		}
	}
	return d, nil
}

// write writes a group that is kept and has a score above the threshold, or one
// in which every score is 0.
func (d *dumps) write(result rollout.Result, scores []float64, drop rollout.Drop) error {
	if len(scores) == 0 || drop == rollout.DropDuplicate {
		return nil
	}
	record, err := atropos.NewRecord(result.Trajectories, scores)
	if err != nil {
		return err
	}
	kind, wanted := record.Kind(d.threshold)
	switch {
	case !wanted:
	case kind == atropos.Good && drop == "" && d.good != nil:
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

// newRunID returns a random UUID of version 4 (RFC 9562).
func newRunID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
