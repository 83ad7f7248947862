// Package artifacts keeps a run in its data folder: logs of steps and evaluations, the
// trace of every episode, metrics, dumps in the form of Atropos, and records in the form of
// AReaL. It sends spans to an OpenTelemetry collector, by OTLP over HTTP in JSON
// (https://opentelemetry.io/docs/specs/otlp).
package artifacts

import (
	"errors"
	"io"
	"log/slog"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/trace"
)

// A Config says what to keep, and where.
type Config struct {
	Folder   *datadir.Folder
	Store    kept.Store        // has the logs of steps and evaluations first; nil: only the folder has them
	Program  string            // name and version, for the trace
	Settings settings.Declarer // all settings, for the trace
	Last     tiny.Step         // of the learner's checkpoint

	Trace   trace.Settings
	Getenv  func(string) string // gives the headers of the collector
	Dumps   export.DumpSettings
	Metrics scalars.Settings
	Records export.Mode   // empty: no records
	Rules   rollout.Rules // of the run, for the records
	OTLP    OTLPSettings  // of spans, for the queue's groups
	Queue   *queue.Queue  // of the run
	Model   string        // that the policy's server is asked for, for the spans; empty: unknown

	MaxTokens int                        // of a reply; 0: no limit
	Exchanges func() [][]pool.Exchange   // of the policy's servers; nil: it has none
	Register  func(prometheus.Collector) // gets the gauges
	Log       *slog.Logger
}

// Artifacts are the open files of a run.
type Artifacts struct {
	run    *run.Run
	config Config
	files  []io.Closer
	areal  *export.Records // nil: none
	spare  *spare
}

// Open opens the artifacts and adds them to r as sinks, before r runs. The caller closes
// them once r has ended.
func Open(r *run.Run, c Config) (*Artifacts, error) {
	a := &Artifacts{run: r, config: c, spare: newSpare(c.Log)}
	c.Register(a.spare.lost)
	var lines []*grown
	for _, name := range []string{datadir.Training, datadir.Evaluations, datadir.Metrics} {
		lines = append(lines, openGrown(c.Folder.Join(name), c.Log))
		a.files = append(a.files, lines[len(lines)-1])
	}
	for _, open := range []func() error{a.openLogs, a.openTrace, a.openMetrics, a.openDumps, a.openRecords, a.openSpans} {
		if err := open(); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	for _, g := range lines {
		g.begin()
		r.AddSink(g)
	}
	return a, nil
}

// Close closes the files, the last first.
func (a *Artifacts) Close() error {
	var errs []error
	for _, f := range slices.Backward(a.files) {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Unknown counts the groups without a record of AReaL, since their log-probabilities are
// unknown.
func (a *Artifacts) Unknown() int {
	if a.areal == nil {
		return 0
	}
	return a.areal.Unknown()
}

// add adds a file that is a sink and does not stop the run.
func (a *Artifacts) add(name string, file io.Closer, sink run.Sink) {
	a.files = append(a.files, a.spare.closer(name, file))
	a.run.AddSink(a.spare.sink(name, sink))
}

// openLogs opens the logs of steps and evaluations.
func (a *Artifacts) openLogs() error {
	logs, err := OpenLogs(kept.Place{Folder: a.config.Folder, Store: a.config.Store, Log: a.config.Log}, a.config.Last)
	if err != nil {
		return err
	}
	earlier, _ := jsonl.ReadLog[run.ExamLine](a.config.Folder.Join(datadir.Evaluations)) // whoever opened it has told what is wrong
	a.run.Recall(earlier)
	a.add("logs", logs, logs)
	return nil
}

// openTrace opens the trace.
func (a *Artifacts) openTrace() error {
	c := &a.config
	if !c.Trace.On {
		return nil
	}
	text, err := settings.Tree(c.Settings)
	if err != nil {
		return err
	}
	head := a.run.Head()
	head.Program, head.Settings = c.Program, text
	dir := c.Folder.Join(datadir.Trace)
	if before, err := trace.Open(dir); err == nil {
		for _, what := range before.Damage() {
			c.Log.Error("the trace is damaged: " + what)
		}
	}
	w, err := trace.NewWriter(dir, head, c.Trace)
	if err != nil {
		return err
	}
	a.add(datadir.Trace, w, run.Records(w))
	a.run.Beside(a.spare.flush(datadir.Trace, w.Run))
	return nil
}

// openMetrics opens the logs of metrics, and the gauges.
func (a *Artifacts) openMetrics() error {
	metrics, err := Metrics(a.run, a.config.Folder.Join(datadir.Metrics), a.config)
	if err == nil {
		a.add(datadir.Metrics, metrics, metrics)
	}
	return err
}

// Metrics opens the metrics of c for r, a sink: the file lines, the other logs, and the gauges.
// The caller adds them, and closes them once r has ended.
func Metrics(r *run.Run, lines string, c Config) (*run.Metrics, error) {
	last, err := scalars.LastLine(lines)
	if err != nil {
		return nil, err
	}
	logs, flow, err := c.Metrics.Open(lines, r.ID(), c.Log)
	if err != nil {
		return nil, err
	}
	if flow != nil {
		r.Beside(flow.Run)
	}
	gauges := scalars.NewGauges()
	c.Register(gauges)
	metrics := run.NewMetrics(append(logs, gauges), c.Metrics.Every, c.MaxTokens)
	metrics.Watch(c.Exchanges)
	metrics.Resume(last.Values)
	return metrics, nil
}

// openDumps opens the dumps.
func (a *Artifacts) openDumps() error {
	c := &a.config
	dumps, err := Dump(a.run, c.Folder.Join(datadir.Dumps), c.Dumps)
	if err != nil || dumps == nil {
		return err
	}
	a.add(datadir.Dumps, dumps, run.Records(dumps))
	c.Register(dumps)
	return nil
}

// Dump opens the dumps of r in a folder, a sink of records; nil: the settings want none. The caller
// adds them, and closes them once r has ended.
func Dump(r *run.Run, folder string, s export.DumpSettings) (*export.Dumps, error) {
	if !s.Rollouts && !s.Failed {
		return nil, nil
	}
	dumps, err := export.OpenDumps(folder, r.ID(), s)
	if err != nil {
		return nil, err
	}
	return dumps, nil
}

// openRecords opens the records of AReaL.
func (a *Artifacts) openRecords() (err error) {
	c := &a.config
	if c.Records == "" {
		return nil
	}
	if a.areal, err = export.OpenRecords(c.Folder.Join(datadir.Records), c.Records, c.Rules); err != nil {
		return err
	}
	a.add(datadir.Records, a.areal, run.Records(a.areal))
	return nil
}
