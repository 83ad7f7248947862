// Package scalars logs the metrics of a run, step by step: as JSON lines, in event files of
// TensorBoard, on an MLflow server, and as Prometheus gauges.
package scalars

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"
)

// A Row has the values of one step by name. Slashes separate the parts of a name, such as
// train/percent_correct. Logs skip values that are not finite.
type Row struct {
	Step   int
	Time   time.Time
	Values map[string]float64
}

// names lists the names of the finite values of a row, sorted.
func (r *Row) names() []string {
	finite := func(name string) bool { return !math.IsNaN(r.Values[name]) && !math.IsInf(r.Values[name], 0) }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Values)), func(name string) bool { return !finite(name) })
}

// A Log takes rows; it may keep the maps of their values. It is for one goroutine.
type Log interface {
	// Add takes a row. Steps never fall.
	Add(Row) error

	// Close keeps the added rows, and closes the log.
	Close() error
}

// All hands each row to several logs.
type All []Log

// Add implements [Log]. An error of one log keeps the row from no other.
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
