// Package names resolves the names in requests: problems of tasks, and the scenarios that
// play them.
package names

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/list"
)

// A Book finds tasks and scenarios by name. Many goroutines may use it at once. Its errors
// are about the request, and name the field.
type Book struct {
	Sandbox backend.Settings // of programs that a policy writes; set it before the first request

	tasks     *task.Set
	scenarios []scenario.Spec
	guests    []Guest
	usual     string // scenario of a problem that names none
	owner     func(task string) string
	ids       map[string]string // of scenarios, by name
	by        reasoninggym.By
	problems  *pipe.Problems
	over      sync.Map // by name or ID, and task: a played
}

// A Config says what a book knows.
type Config struct {
	Tasks     *task.Set
	Scenarios []scenario.Spec
	Usual     string                   // scenario that plays the problems that name none, one of Scenarios
	Owner     func(task string) string // names the scenario that a task is made for; empty: any; nil: none is
	Scores    reasoninggym.By          // empty: ours
	Guests    []Guest                  // which play beside the scenarios
}

// New returns a book of tasks and scenarios.
func New(c Config) (*Book, error) {
	tasks, err := withGuests(c.Guests, c.Tasks)
	if err != nil {
		return nil, err
	}
	b := &Book{tasks: tasks, scenarios: c.Scenarios, guests: c.Guests, usual: c.Usual, owner: c.Owner, ids: make(map[string]string), by: cmp.Or(c.Scores, reasoninggym.Ours), problems: pipe.NewProblems()}
	mixed, fault := b.tasks.Get(list.Composite)
	for _, spec := range b.scenarios {
		b.ids[spec.Name] = spec.Info().ID()
		play, err := b.play(spec)
		if err != nil {
			return nil, err
		}
		if fault != nil {
			continue
		}
		if of, err := spec.With(mixed, play); err == nil { // else it cannot play mixtures, and has no scores
			b.ids[spec.Name] = of.Info().ID()
		}
	}
	return b, nil
}

// play returns a scenario's settings: the defaults, with the scores of the book.
func (b *Book) play(spec scenario.Spec) (scenario.Play, error) {
	play := codeplay.New(spec, &b.Sandbox)
	for _, s := range spec.Settings() {
		if s.Path() == "scores" {
			return play, settings.ReadJSON(play, fmt.Appendf(nil, `{"scores":%q}`, b.by))
		}
	}
	return play, nil
}

// Tasks returns the tasks.
func (b *Book) Tasks() *task.Set { return b.tasks }

// List describes the tasks of a category that have a text in their name or description, in
// any case; empty: all. An unknown category is an error.
func (b *Book) List(category, search string) ([]quintain.Info, error) {
	var found []quintain.Info
	var categories []string
	for _, t := range b.tasks.All() {
		info := t.Info()
		if !slices.Contains(categories, info.Category) {
			categories = append(categories, info.Category)
		}
		if (category == "" || category == info.Category) && strings.Contains(strings.ToLower(info.Name+"\n"+info.Doc), strings.ToLower(search)) {
			found = append(found, info)
		}
	}
	if category != "" && !slices.Contains(categories, category) {
		slices.Sort(categories)
		return nil, fmt.Errorf("category: no category %q%s (there are %s)", category, nearest.Suggest(category, categories), strings.Join(categories, ", "))
	}
	return found, nil
}

// A Draw names a problem in a request.
type Draw struct {
	Task     string          `json:"task"`
	Scenario string          `json:"scenario"` // empty: that which the task is made for, if any; else the bare task
	Seed     json.Number     `json:"seed"`     // a number, or a string of digits; empty: 0
	Level    int             `json:"level"`
	Index    int             `json:"index"`
	Params   json.RawMessage `json:"params"` // the task's own settings, instead of a level; nil: none
}

// Draw returns a function that makes the problem of d at an index. The problem belongs to
// the scenario in d, if any.
func (b *Book) Draw(d Draw) (func(index int) (quintain.Problem, error), error) {
	seed, err := strconv.ParseUint(string(d.Seed), 10, 64)
	if err != nil && d.Seed != "" {
		return nil, fmt.Errorf("seed: is %s, want a whole number from 0 to 2^64-1", d.Seed)
	}
	t, err := b.tasks.Get(d.Task)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	id := ""
	name := cmp.Or(d.Scenario, owner(t))
	if name == "" && b.owner != nil {
		name = b.owner(d.Task)
	}
	if name != "" {
		s, err := b.scenario(name, t, d.Task)
		if err != nil {
			return nil, fmt.Errorf("scenario: %w", err)
		}
		id = s.id
	}
	if len(d.Params) > 0 && string(d.Params) != "null" {
		if t, err = t.With(d.Params); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
	}
	return func(index int) (quintain.Problem, error) {
		p, err := t.Problem(quintain.Draw{Seed: seed, Level: d.Level, Index: index})
		p.Scenario = id
		return p, err
	}, nil
}

// Append appends the JSON of a problem to dst.
func (b *Book) Append(dst []byte, p quintain.Problem) ([]byte, error) {
	return b.problems.Append(dst, p)
}

// Problem reads a problem: a [quintain.Problem] in JSON, or the ID of one with the settings
// of a level. It may refer to parts of text.
func (b *Book) Problem(text []byte) (p quintain.Problem, err error) {
	switch {
	case len(text) == 0 || string(text) == "null":
		return p, errors.New("problem: is missing")
	case text[0] == '"':
		p, err = b.byID(text)
	default:
		p, err = b.problems.Read(text)
	}
	if err != nil {
		return p, fmt.Errorf("problem: %w", err)
	}
	return p, nil
}

// Entry reads a reasoning-gym entry from its members, also as a problem.
func (b *Book) Entry(question, answer, metadata []byte) (p quintain.Problem, e reasoninggym.Entry, err error) {
	e.Metadata = metadata
	if err := unmarshal("question", question, &e.Question); err != nil {
		return p, e, err
	}
	if err := unmarshal("answer", answer, &e.Answer); err != nil {
		return p, e, err
	}
	p, err = reasoninggym.Read(e)
	return p, e, err
}

// unmarshal reads a member that may be missing.
func unmarshal(name string, value []byte, v any) error {
	if value == nil {
		return nil
	}
	if err := strictjson.Unmarshal(value, v); err != nil {
		return fmt.Errorf("%s: want a string", name)
	}
	return nil
}

// byID makes the problem of an ID.
func (b *Book) byID(text []byte) (p quintain.Problem, err error) {
	var id string
	if err = strictjson.Unmarshal(text, &id); err != nil {
		return p, strictjson.Explain(err)
	}
	scenario, name, d, err := quintain.ParseID(id)
	if err != nil {
		return p, err
	}
	t, err := b.tasks.Get(name)
	if err != nil {
		return p, err
	}
	if d.Level == quintain.OwnParams {
		return p, fmt.Errorf("%s has settings of its own, which an ID does not tell: send the problem itself", id)
	}
	if p, err = t.Problem(d); err != nil {
		return p, err
	}
	p.Scenario = scenario
	if own := p.ID(); own != id {
		return p, fmt.Errorf("%s is of another version; here it is %s", id, own)
	}
	return p, nil
}

// Grade judges an answer to p; nil: none.
func (b *Book) Grade(p quintain.Problem, answer *string) (pipe.Verdict, error) {
	return pipe.Grader{Tasks: b.tasks, Scores: b.by}.Judge(p, answer)
}

// GradeEntry judges an answer to an entry that [Book.Entry] read as p.
func (b *Book) GradeEntry(p quintain.Problem, e reasoninggym.Entry, answer string) (pipe.Verdict, error) {
	return pipe.Grader{Tasks: b.tasks, Scores: b.by}.JudgeEntry(p, e, &answer)
}

// Env returns a new episode of p, which the caller must Close. The scenario of p plays it
// or, if it has none, the named one; empty: the usual one.
func (b *Book) Env(p quintain.Problem, scenario string) (quintain.Env, error) {
	t, err := b.tasks.Get(p.Task)
	if err != nil {
		return nil, fmt.Errorf("problem: %w", err)
	}
	s, err := b.scenario(cmp.Or(p.Scenario, scenario, owner(t), b.usual), t, p.Task)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	p.Scenario = s.id
	return s.Env(p)
}

// Judge plays replies to p, one or more, in an episode of [Book.Env], until it ends or they
// do. It returns the last step, with the total reward.
func (b *Book) Judge(ctx context.Context, p quintain.Problem, scenario string, replies ...quintain.Reply) (step quintain.Step, err error) {
	e, err := b.Env(p, scenario)
	if err != nil {
		return step, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if _, err = e.Open(ctx); err != nil {
		return step, err
	}
	sum := 0.0
	for _, reply := range replies {
		if step, err = e.Step(ctx, reply); err != nil {
			return step, err
		}
		if sum += step.Reward; step.End != quintain.Going {
			break
		}
	}
	step.Reward = sum
	return step, nil
}

// ToolsOf returns the tools of an episode that was opened, each with a schema. It is called once.
func ToolsOf(e quintain.Env) []quintain.Tool {
	t, ok := e.(quintain.Tooled)
	if !ok {
		return nil
	}
	tools := slices.Clone(t.Tools())
	for i := range tools {
		if tools[i].Params == nil {
			tools[i].Params = json.RawMessage(`{"type":"object","properties":{}}`)
		}
	}
	return tools
}

// Tools returns the tools that a task offers in its first problem, as it is played by default.
func (b *Book) Tools(ctx context.Context, task string) (tools []quintain.Tool, err error) {
	draw, err := b.Draw(Draw{Task: task})
	if err != nil {
		return nil, err
	}
	p, err := draw(0)
	if err != nil || p.Scenario == "" {
		return nil, err
	}
	e, err := b.Env(p, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if _, err := e.Open(ctx); err != nil {
		return nil, err
	}
	return ToolsOf(e), nil
}

// A played is a scenario over a task, with its ID.
type played struct {
	quintain.Scenario
	id string
}

// scenario returns the scenario with a name or ID over a task and its name.
func (b *Book) scenario(name string, t quintain.Task, of string) (played, error) {
	key := [2]string{name, of}
	if known, ok := b.over.Load(key); ok {
		s, _ := known.(played)
		return s, nil
	}
	if s, err := b.guest(name, t); s.Scenario != nil || err != nil {
		return s, err
	}
	for _, spec := range b.scenarios {
		id := b.ids[spec.Name]
		if name != spec.Name && name != id {
			continue
		}
		play, err := b.play(spec)
		if err != nil {
			return played{}, err
		}
		s, err := spec.With(t, play)
		if err != nil {
			return played{}, err
		}
		b.over.Store(key, played{s, id})
		return played{s, id}, nil
	}
	return played{}, b.unknown(name)
}

// unknown returns the error for the unknown name of a scenario.
func (b *Book) unknown(name string) error {
	var known []string
	for _, spec := range b.scenarios {
		if strings.HasPrefix(name, spec.Name+".") {
			return fmt.Errorf("%s is of another version or has other settings; here it is %s", name, b.ids[spec.Name])
		}
		known = append(known, spec.Name)
	}
	return fmt.Errorf("no scenario %q%s", name, nearest.Suggest(name, known))
}
