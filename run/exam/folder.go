package exam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// Names in a folder.
const (
	planName   = "examination.json"
	ReportName = "report.json"
)

// maxPlan is the largest size of a plan in bytes.
const maxPlan = 64 << 20

// A Folder is an open folder. Many goroutines may use it.
type Folder struct {
	path   string
	lock   io.Closer
	trace  *trace.Writer
	kept   map[string]*Problem
	wanted map[string]bool // IDs of all problems
	plan   *Plan

	mu sync.Mutex // of writing a record and flushing it
}

// OpenFolder opens the folder at path for this process alone, and makes it if it does not exist.
// An existing one must have an equal plan; otherwise the error names the first difference.
// The caller closes the folder.
func OpenFolder(path string, plan *Plan, sets []Set) (*Folder, error) {
	f := &Folder{path: path, plan: plan, wanted: map[string]bool{}, kept: map[string]*Problem{}}
	for i := range sets {
		for _, p := range sets[i].Problems {
			f.wanted[p.ID()] = true
		}
	}
	if err := f.open(f.head(sets)); err != nil {
		return nil, fmt.Errorf("evaluation folder %s: %w", path, errors.Join(err, f.Close()))
	}
	return f, nil
}

// head returns the head of the trace of sets, without its settings.
func (f *Folder) head(sets []Set) trace.Head {
	h := trace.Head{Run: filepath.Base(f.path), Program: f.plan.Program}
	all := map[string]quintain.ScenarioInfo{}
	for i := range sets {
		info := sets[i].Scenario.Info()
		all[info.ID()] = info
		if len(sets[i].Problems) > 0 {
			h.Call(sets[i].Problems[0], sets[i].Level)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		h.Scenarios = append(h.Scenarios, all[id])
	}
	return h
}

// open locks the folder, compares the plan, and reads and opens the trace.
func (f *Folder) open(head trace.Head) (err error) {
	if err := datadir.MakeFolder(f.path); err != nil {
		return err
	}
	if f.lock, err = datadir.Lock(f.path); err != nil {
		return err
	}
	if err := f.agree(); err != nil {
		return err
	}
	if head.Settings, err = json.Marshal(f.plan.Settings); err != nil {
		return err
	}
	whole := trace.Default()
	whole.MaxBytes = math.MaxInt64 // results are not removed
	if f.trace, err = trace.NewWriter(f.tracePath(), head, whole); err != nil {
		return err
	}
	return f.recall()
}

// tracePath is the folder of the trace.
func (f *Folder) tracePath() string { return filepath.Join(f.path, datadir.Trace) }

// agree compares the plan with that of the folder, or writes it to a new one.
func (f *Folder) agree() error {
	there, err := readPlan(filepath.Join(f.path, planName))
	if err == nil {
		return f.plan.same(there)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			return fmt.Errorf("it has %s but no %s, so it holds something else: choose a new folder", e.Name(), planName)
		}
	}
	var text bytes.Buffer
	if err := strictjson.WriteIndented(&text, f.plan); err != nil {
		return err
	}
	return datadir.WriteFile(filepath.Join(f.path, planName), text.Bytes())
}

// recall reads the results of the trace.
func (f *Folder) recall() error {
	r, err := trace.Open(f.tracePath())
	if err != nil {
		return err
	}
	for _, e := range r.Find(trace.Query{Drop: trace.Kept}) {
		if !f.wanted[e.Group] {
			continue
		}
		record, err := r.Read(e.Ref)
		if errors.Is(err, trace.ErrDamaged) {
			continue // its problem is played again
		}
		if err != nil {
			return err
		}
		if len(record.Episodes) == f.plan.Samples {
			f.kept[e.Group] = NewProblem(e.Group, record.Episodes)
		}
	}
	return nil
}

// Kept returns the results that the folder had when it was opened, by the IDs of their
// problems, for [exam.Exam].
func (f *Folder) Kept() map[string]*Problem { return f.kept }

// Keep writes the episodes of a problem to the trace. Once it returns, they survive a crash
// of the process. A problem that was cut, or that another try may mend, has no result.
func (f *Folder) Keep(r rollout.Result) error {
	record := &trace.Record{Problem: r.Job.Problem, Episodes: r.Trajectories, Drop: string(unfinished(r)), Time: time.Now().UTC()}
	for i := range r.Trajectories {
		if r.Trajectories[i].Outcome.Rewarded() {
			record.Scores = append(record.Scores, r.Trajectories[i].Reward())
		}
	}
	if len(record.Scores) < len(r.Trajectories) {
		record.Scores = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.trace.Write(record); err != nil {
		return err
	}
	return f.trace.Flush()
}

// unfinished says why a result does not count; empty: it counts.
func unfinished(r rollout.Result) rollout.Drop {
	has := func(o quintain.Outcome) bool {
		return slices.ContainsFunc(r.Trajectories, func(t quintain.Trajectory) bool { return t.Outcome == o })
	}
	switch {
	case has(quintain.Cancelled):
		return rollout.DropCancelled
	case has(quintain.Ungraded):
		return rollout.DropUngraded
	case r.Again:
		return rollout.DropInfra
	}
	return ""
}

// Write writes a file into the folder, completely or not at all.
func (f *Folder) Write(name string, text []byte) error {
	return datadir.WriteFile(filepath.Join(f.path, name), text)
}

// Close closes the trace and frees the folder.
func (f *Folder) Close() (err error) {
	if f.trace != nil {
		err = f.trace.Close()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// ReadReport reads the report of the folder at path, or of a file.
func ReadReport(path string) (*Report, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: want a folder that quintain eval --out wrote, or a report.json", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readReportFile(path)
	}
	r, err := readReportFile(filepath.Join(path, ReportName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, planned := os.Stat(filepath.Join(path, planName)); planned == nil {
			return nil, fmt.Errorf("%s has no report, since its evaluation was killed: go on with it by the same command", path)
		}
		return nil, fmt.Errorf("%s is no folder of an evaluation: it has no %s", path, ReportName)
	}
	return r, err
}

// readPlan reads the plan of a folder.
func readPlan(path string) (*Plan, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var p Plan
	text, err := io.ReadAll(io.LimitReader(file, maxPlan))
	if err != nil {
		return nil, err
	}
	if err := strictjson.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", planName, err)
	}
	return &p, nil
}
