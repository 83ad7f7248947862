package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/tasks/list"
)

// A Source says where problems come from: tasks, a mixture of them, a file of problems, or
// a scenario that is a program with problems of its own. With none of them, the caller
// names the usual tasks.
type Source struct {
	Tasks    Choices
	Mixture  string // path of a file
	File     string // path of a file of problems
	Columns  dataset.Columns
	Scenario ScenarioChoice

	used   int     // rows of the file
	faults []error // of its other rows
}

// Declare implements [settings.Declarer].
func (s *Source) Declare(d *settings.Section) {
	d.Value(&s.Tasks, "tasks", "tasks with their levels: chain_sum:0-3=2 is four levels with weight 2 together; composite: all tasks; if none is named, those that the policy is made for, or all at level 0").Flag("tasks")
	d.Text(&s.Mixture, "mixture", "file of tasks with weights, YAML in the form of reasoning-gym's composite, in place of the tasks").Flag("mixture")
	d.Text(&s.File, "problems", "file of problems with gold answers, JSON lines, a JSON list, CSV or Parquet, in place of the tasks").Flag("problems")
	d.Section(&s.Columns, "columns", "the columns of the file of problems")
	s.Scenario.Declare(d)
	d.Section(s.Scenario.Sandbox(), "sandbox", "where programs of a policy run (docs/sandbox.md)")
}

// A FileError says that a file of problems or a mixture cannot be read.
type FileError struct {
	Setting string // that names the file
	Err     error
}

// Error names the setting and the reason.
func (e *FileError) Error() string { return e.Setting + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// Given reports whether the settings name tasks, a mixture or a file.
func (s *Source) Given() bool { return len(s.Tasks) > 0 || s.File != "" || s.Mixture != "" }

// ReadMixture sets the tasks to those of the mixture, if there is one. It returns the seed
// of the mixture; a mixture without one, and no mixture, have the given seed.
func (s *Source) ReadMixture(seed uint64) (uint64, error) {
	if s.Mixture == "" {
		return seed, nil
	}
	if len(s.Tasks) > 0 || s.File != "" {
		return seed, errors.New("mixture: there is a mixture, and there are tasks or a file of problems; choose one")
	}
	m, err := OpenMixture(s.Mixture, seed)
	if err != nil {
		return seed, err
	}
	s.Tasks = m.Datasets
	return m.Seed, nil
}

// OpenMixture reads the mixture in a file. Seed is for a file without one.
func OpenMixture(path string, seed uint64) (Mixture, error) {
	var from settings.Sources
	if err := from.ReadFile(path); err != nil {
		return Mixture{}, &FileError{"mixture", err}
	}
	return ReadMixture(path, from.Data, seed)
}

// Streams returns the streams of problems under a seed. Usual chooses the tasks if the
// settings name none. The error is a [*FileError] if the file of problems cannot be read;
// other errors are faults of the settings.
func (s *Source) Streams(usual func(*task.Set) Choices, seed uint64) ([]rollout.Stream, error) {
	if own := s.Scenario.Streams(seed); own != nil {
		if s.Given() {
			return nil, errors.New("environment: it has problems of its own: leave out tasks, mixture and problems")
		}
		return own, nil
	}
	if s.File != "" {
		return s.fileStream(seed)
	}
	all, err := task.NewSet(TasksOf(s.Scenario.Name))
	if err != nil {
		return nil, err
	}
	chosen := s.Tasks
	if len(chosen) == 0 {
		chosen = usual(all)
	}
	if err := chosen.once(); err != nil {
		return nil, fmt.Errorf("tasks: %w", err)
	}
	streams, err := chosen.Streams(all, &s.Scenario, seed)
	if err != nil {
		return nil, fmt.Errorf("tasks: %w", err)
	}
	return streams, nil
}

// fileStream returns the stream of the file of problems.
func (s *Source) fileStream(seed uint64) ([]rollout.Stream, error) {
	if len(s.Tasks) > 0 {
		return nil, errors.New("problems: there is a file of problems, and there are tasks; choose one")
	}
	rows, err := s.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &FileError{"problems", &settings.MissingError{Path: s.File}}
	case err != nil:
		return nil, &FileError{"problems", fmt.Errorf("%s: %w", s.File, err)}
	}
	played, err := s.Scenario.Over(rows)
	if err != nil {
		return nil, err
	}
	return []rollout.Stream{{Scenario: played, Seed: seed, Weight: 1, Label: rows.Info().Name}}, nil
}

// open reads the file of problems: of code problems for the scenario code.
func (s *Source) open() (quintain.Task, error) {
	file, err := dataset.OpenRows(s.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if s.Scenario.Name == codeplay.CodeSpec.Name {
		set, err := problems.Open(file, problems.Settings{})
		if err != nil {
			return nil, err
		}
		s.used, s.faults = set.Size(0), wide(set.Faults())
		return set, nil
	}
	set, err := dataset.Open(file, s.Columns, mathverify.Grade)
	if err != nil {
		if code, readErr := problems.IsCode(file); code && readErr == nil {
			err = errors.New("these problems ask for programs: choose --scenario code")
		}
		return nil, err
	}
	s.used, s.faults = set.Size(0), wide(set.Faults())
	return set, nil
}

func wide[E error](faults []E) (all []error) {
	for _, f := range faults {
		all = append(all, f)
	}
	return all
}

// Finds returns a function that finds the scenario that plays a stored problem now: that of one of
// the streams, or the task of its name with the chosen settings of its scenario.
func (s *Source) Finds(streams []rollout.Stream) func(quintain.Problem) (quintain.Scenario, error) {
	return func(p quintain.Problem) (quintain.Scenario, error) {
		name, _, _ := strings.Cut(p.Scenario, ".v")
		for _, of := range streams {
			if of.Scenario.TaskInfo().Name == p.Task && (name == "" || of.Scenario.Info().Name == name) {
				return of.Scenario, nil
			}
		}
		chosen := s.Scenario
		if name != "" && name != chosen.Name {
			if err := chosen.Set(name); err != nil {
				return nil, err
			}
		}
		tasks, err := task.NewSet(TasksOf(chosen.Name))
		if err != nil {
			return nil, err
		}
		t, err := tasks.Get(p.Task)
		if err != nil {
			return nil, err
		}
		return chosen.Over(t)
	}
}

// Skipped returns how many rows of the file that Streams has read are used, and the faults of the
// others.
func (s *Source) Skipped() (used int, faults []error) { return s.used, s.faults }

// once refuses a task that is listed twice at the same level, or with the same parameters.
func (l Choices) once() error {
	for i, c := range l {
		same := func(other Choice) bool {
			return c.Name == other.Name && c.Level == other.Level && string(c.Params) == string(other.Params)
		}
		if !slices.ContainsFunc(l[:i], same) {
			continue
		}
		if c.Params != nil {
			return fmt.Errorf("%s is listed twice with the same parameters: name it once, with a weight", c.Name)
		}
		return fmt.Errorf("%s:%d is listed twice: name it once, with a weight (%[1]s:%[2]d=2)", c.Name, c.Level)
	}
	return nil
}

// Usual returns the tasks that a scenario plays if none are named: all at level 0.
func Usual(all *task.Set, scenario string) (choices Choices) {
	if scenario == "math_multi_turn" {
		return Choices{{Name: "chain_sum", Level: 2, Weight: 1}}
	}
	for _, t := range all.All() {
		choices = append(choices, Choice{Name: t.Info().Name, Weight: 1})
	}
	return choices
}

// Courses makes courses of streams, for a curriculum: adjacent streams of one task are the
// levels of its course. A stream that stands alone, without custom parameters, gets all
// harder levels too; one that has a course keeps it.
func Courses(streams []rollout.Stream) (all []rollout.Stream) {
	for first := 0; first < len(streams); {
		info := streams[first].Scenario.TaskInfo()
		end := first + 1
		if streams[first].Course != "" { // a split is no level of difficulty
			all = append(all, streams[first])
			first = end
			continue
		}
		for end < len(streams) && streams[end].Scenario.TaskInfo().Name == info.Name {
			end++
		}
		levels := slices.Clone(streams[first:end])
		if len(levels) == 1 {
			levels = upFrom(levels[0], len(info.Levels))
		}
		for i := range levels {
			levels[i].Course = info.Name
		}
		all = append(all, levels...)
		first = end
	}
	return all
}

// upFrom returns the stream of a level and those of all harder levels, up to n. They share
// its weight.
func upFrom(easiest rollout.Stream, n int) (levels []rollout.Stream) {
	easiest.Weight /= float64(n - easiest.Level)
	for ; easiest.Level < n; easiest.Level++ {
		levels = append(levels, easiest)
	}
	return levels
}

// One returns the stream of the file of problems, or [ScenarioChoice.One] without a file.
func (s *Source) One(name string, easiest func(Choice) Choice, seed uint64) ([]rollout.Stream, error) {
	switch {
	case s.File == "":
		return s.Scenario.One(name, easiest, seed)
	case name != "":
		return nil, errors.New("problems: there is a file of problems, and there is a task; choose one")
	}
	return s.fileStream(seed)
}

// OnlyTask names the task of a scenario that plays one task; empty: it plays several.
func (s *ScenarioChoice) OnlyTask() string {
	if tasks := TasksOf(s.Name); !s.Environment.Set() && len(tasks) == 1 {
		return tasks[0].Info().Name
	}
	return ""
}

// One returns the stream of one task, written NAME or NAME:LEVEL. For a program with its own
// problems it is the stream of one of its levels, and an empty name means the first. For
// NAME alone, easiest may choose the level or parameters. Without a name it is the task of a
// scenario that has one; else there is no stream, unless a program plays tasks, which is an error.
func (s *ScenarioChoice) One(name string, easiest func(Choice) Choice, seed uint64) ([]rollout.Stream, error) {
	if own := s.Streams(seed); own != nil {
		return ownLevel(own, name)
	}
	if name == "" && s.Environment.Set() {
		return nil, errors.New("environment: it plays tasks: name one")
	}
	if name = cmp.Or(name, s.OnlyTask()); name == "" {
		return nil, nil
	}
	var chosen Choices
	if err := chosen.Set(name); err != nil {
		return nil, err
	}
	if len(chosen) != 1 {
		return nil, fmt.Errorf("%s: want one task at one level", name)
	}
	if !strings.Contains(name, ":") {
		chosen[0] = easiest(chosen[0])
	}
	all, err := task.NewSet(TasksOf(s.Name))
	if err != nil {
		return nil, err
	}
	return chosen.Streams(all, s, seed)
}

// ownLevel returns the stream of a level of a program, written NAME or NAME:LEVEL; without
// a name, the first.
func ownLevel(own []rollout.Stream, name string) ([]rollout.Stream, error) {
	var plays []string
	for i, s := range own {
		of := s.Scenario.TaskInfo()
		if name == "" || name == of.Name || name == fmt.Sprintf("%s:%d", of.Name, s.Level) {
			return own[i : i+1], nil
		}
		if s.Level == 0 {
			plays = append(plays, fmt.Sprintf("%s, at the levels 0 to %d", of.Name, len(of.Levels)-1))
		}
	}
	return nil, fmt.Errorf("%s: the program plays %s", name, strings.Join(plays, "; "))
}

// A Draft names the problems that a command makes: a task, at a level or with parameters,
// and the place of the first problem.
type Draft struct {
	Scenario string // whose tasks they are; empty: any that one answer solves

	Task   string // [list.Composite]: all tasks, mixed
	Seed   uint64
	Level  int
	Params string // a JSON object; empty: the level's
	Index  int
}

// Open returns the task, with the parameters if they are given.
func (d *Draft) Open() (quintain.Task, error) {
	all := TasksOf(d.Scenario)
	if d.Task == list.Composite { // it opens all of them
		composite, err := NewComposite()
		if err != nil {
			return nil, err
		}
		all = append(all, composite)
	}
	tasks, err := task.NewSet(all)
	if err != nil {
		return nil, err
	}
	t, err := tasks.Get(d.Task)
	if err != nil {
		return nil, fmt.Errorf("%w (quintain tasks list names them all)", err)
	}
	if d.Params == "" {
		return t, nil
	}
	return t.With([]byte(d.Params))
}

// Draw names the first problem.
func (d *Draft) Draw() quintain.Draw {
	if d.Params != "" {
		return quintain.Draw{Seed: d.Seed, Index: d.Index}
	}
	return quintain.Draw{Seed: d.Seed, Level: d.Level, Index: d.Index}
}

// ExampleTask names a task that is short to show: chain_sum, or else the first.
func ExampleTask(tasks []quintain.Task) string {
	const short = "chain_sum"
	if len(tasks) == 0 || slices.ContainsFunc(tasks, func(t quintain.Task) bool { return t.Info().Name == short }) {
		return short // which may be unplayable: the error then says why
	}
	return tasks[0].Info().Name
}
