// Package scalars keeps the numbers of a run, step by step, where people look at them:
// as JSON lines, in the event files of TensorBoard, on an MLflow server, and as gauges of
// Prometheus.
package scalars

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"
)

// A Row is the numbers of one step, by name. Names have parts that are set apart by
// slashes, such as train/percent_correct. A number that is not finite is not kept.
type Row struct {
	Step   int
	Time   time.Time
	Values map[string]float64
}

// names lists the names of the finite numbers of a row, sorted.
func (r *Row) names() []string {
	finite := func(name string) bool { return !math.IsNaN(r.Values[name]) && !math.IsInf(r.Values[name], 0) }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Values)), func(name string) bool { return !finite(name) })
}

// A Log takes rows; it may keep the maps of their values. It is for one goroutine.
type Log interface {
	// Add takes a row. Steps never fall.
	Add(Row) error

	// Close keeps what was added, and closes the log.
	Close() error
}

// All is several logs that take the same rows.
type All []Log

// Add implements [Log]. All logs get the row, whatever fails.
func (a All) Add(row Row) error {
	var errs []error
	for _, log := range a {
		errs = append(errs, log.Add(row))
	}
	return errors.Join(errs...)
}

// Close implements [Log].
func (a All) Close() error {
	var errs []error
	for _, log := range a {
		errs = append(errs, log.Close())
	}
	return errors.Join(errs...)
}
