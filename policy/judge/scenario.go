package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Scenario asks the problems of a task by their prompts, and has the judge grade the one reply.
// It is a [quintain.Panel]: the replies of a group are judged together, or compared. Its ID
// changes with the rubric, the judge's model and its sampling.
type Scenario struct {
	jury *Jury
	task quintain.Task
	info quintain.ScenarioInfo
	id   string
}

// longestGrade is how long an episode waits for a verdict if the settings do not say.
const longestGrade = 30 * time.Minute

// CheckFile says what is wrong with the settings of a judge in a YAML file, which it does not open.
func CheckFile(path string) error {
	_, err := readFile(path, longestGrade)
	return err
}

// ReadScenarios returns the judge of the settings in a YAML file, for scenarios: an episode whose
// reply has no verdict waits for one. The caller closes it.
func ReadScenarios(path string) (*Jury, error) {
	f, err := readFile(path, longestGrade)
	if err != nil {
		return nil, err
	}
	known, err := readKnown(f.Trial.Known)
	if err != nil {
		return nil, err
	}
	j, err := OpenJury(f.Of)
	if err != nil {
		return nil, err
	}
	j.trial = newTrial(f.Trial, known, j.Config)
	return j, nil
}

// Untried leaves out all checks of the judge: somebody asks a question or two.
func (j *Jury) Untried() { j.trial = nil }

// Over returns the scenario over a task.
func (j *Jury) Over(t quintain.Task) (*Scenario, error) {
	text, err := json.Marshal(map[string]string{"judge": j.Judge.Hash(), "model": j.Config.Model, "rubric": j.Config.Rubric.Hash()})
	s := &Scenario{jury: j, task: t, info: quintain.ScenarioInfo{
		Name: "judge", Version: 1, Settings: text, Source: "Quintain's own.",
		Doc: "One reply, which a judge's model grades by a rubric. A reply without a verdict has no reward.",
	}}
	s.id = s.info.ID()
	return s, err
}

// Info implements [quintain.Scenario].
func (s *Scenario) Info() quintain.ScenarioInfo { return s.info }

// TaskInfo implements [quintain.Scenario].
func (s *Scenario) TaskInfo() quintain.Info { return s.task.Info() }

// Problem implements [quintain.Scenario].
func (s *Scenario) Problem(d quintain.Draw) (quintain.Problem, error) {
	p, err := s.task.Problem(d)
	p.Scenario = s.id
	return p, err
}

// Key implements [quintain.Scenario].
func (s *Scenario) Key(p quintain.Problem) (quintain.Key, error) { return quintain.KeyOf(s.task, p) }

// Solve implements [quintain.Solver].
func (s *Scenario) Solve(p quintain.Problem) (string, error) { return s.task.Solve(p) }

// Size implements [quintain.Finite].
func (s *Scenario) Size(level int) int {
	if f, can := s.task.(quintain.Finite); can {
		return f.Size(level)
	}
	return 0
}

// Env implements [quintain.Scenario].
func (s *Scenario) Env(p quintain.Problem) (quintain.Env, error) {
	if p.Scenario != s.id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), s.id)
	}
	it, err := s.item(p)
	if err != nil {
		return nil, err
	}
	return &env{s.jury, it}, nil
}

// item returns what the judge needs to know of a problem.
func (s *Scenario) item(p quintain.Problem) (it Item, err error) {
	it = Item{Key: p.ID(), Question: p.Prompt}
	if s.jury.Config.Rubric.Reference == "" {
		return it, nil
	}
	if it.Reference, err = s.task.Solve(p); err != nil {
		return it, fmt.Errorf("the reference of %s: %w", p.ID(), err)
	}
	return it, nil
}

// Judge implements [quintain.Panel].
func (s *Scenario) Judge(ctx context.Context, p quintain.Problem, replies []quintain.Reply) []quintain.Ruling {
	rulings := make([]quintain.Ruling, len(replies))
	it, err := s.item(p)
	if err == nil {
		err = s.jury.trial.pass(ctx)
	}
	if err == nil && len(replies) == 1 && s.jury.Config.Rubric.Mode != Absolute {
		err = fmt.Errorf("%w: one reply has no other to be compared with: want a group, or mode %s", quintain.ErrUngraded, Absolute)
	}
	if err != nil {
		for i := range rulings {
			rulings[i].Err = err
		}
		return rulings
	}
	items := make([]Item, len(replies))
	for i, reply := range replies {
		items[i] = it.Shown(reply.Text)
	}
	for i, r := range s.jury.Judge.Group(ctx, items) {
		rulings[i] = quintain.Ruling{Step: step(replies[i], r.Verdict), Err: r.Err}
	}
	return rulings
}

// An env is an episode of one reply.
type env struct {
	jury *Jury
	item Item
}

// OpenJury implements [quintain.Env].
func (e *env) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: e.item.Question}}, nil
}

// Step implements [quintain.Env].
func (e *env) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	if err := e.jury.trial.pass(ctx); err != nil {
		return quintain.Step{}, err
	}
	v, err := e.jury.Judge.Grade(ctx, e.item.Shown(reply.Text))
	if err != nil {
		return quintain.Step{}, err
	}
	return step(reply, v), nil
}

// step returns the end of an episode.
func step(reply quintain.Reply, v Verdict) quintain.Step {
	step := quintain.Step{Answer: reply.Text, Reward: v.Score, Right: v.Right, Malformed: v.Malformed, End: quintain.Terminated, Why: v.Why}
	if reply.Finish == quintain.Length {
		step.End = quintain.Truncated
		step.Why = "the length limit cut the reply; " + v.Why
	}
	return step
}

// Close implements [quintain.Env].
func (e *env) Close() error { return nil }
