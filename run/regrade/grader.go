package regrade

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/grader"
	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/trace"
)

// TaskGrader names the grader that is the task, asked by its scenario, as both are now.
const TaskGrader = "task"

// A Grader grades episodes anew. The caller closes it.
type Grader struct {
	Close func() error

	task bool // it grades by the scenario of the problem
	// named names the grader of a scenario's groups; grade gives the episodes of a group its rewards.
	// An episode that it cannot grade is an error in its place; another error ends all grading.
	named func(how quintain.Scenario) trace.Grader
	grade func(ctx context.Context, job rollout.Job, played []quintain.Trajectory) ([]verdict, error)
}

// A verdict is that on an episode.
type verdict struct {
	quintain.Step
	turns   []float64          // reward of each reply, if they were played again
	metrics map[string]float64 // of a program
	err     error
}

// Open returns the grader of a name: [TaskGrader], the YAML file of a judge, or a command line.
func Open(name string) (*Grader, error) {
	g := &Grader{Close: func() error { return nil }}
	switch ext := filepath.Ext(name); {
	case name == "":
		return nil, errors.New(`is missing: want task, the file of a judge such as judge.yaml, or a command such as "python3 grade.py"`)
	case name == TaskGrader:
		return Task(), nil
	case ext == ".yaml" || ext == ".yml":
		j, err := judge.ReadJury(name)
		if err != nil {
			return nil, err
		}
		g.Close = j.Close
		g.named = constant(trace.Grader{Name: name, Version: j.Config.Model, Hash: j.Judge.Hash()})
		g.grade = func(ctx context.Context, job rollout.Job, played []quintain.Trajectory) ([]verdict, error) {
			return askJudge(ctx, j, job, played)
		}
	default:
		hash, err := hashOf(name)
		if err != nil {
			return nil, err
		}
		g.named = constant(trace.Grader{Name: name, Hash: hash})
		g.grade = func(ctx context.Context, job rollout.Job, played []quintain.Trajectory) ([]verdict, error) {
			return askProgram(ctx, name, job, played)
		}
	}
	return g, nil
}

// Task returns the grader [TaskGrader].
func Task() *Grader {
	return &Grader{Close: func() error { return nil }, task: true, named: nameTask, grade: gradeAgain}
}

func constant(g trace.Grader) func(quintain.Scenario) trace.Grader {
	return func(quintain.Scenario) trace.Grader { return g }
}

// nameTask names a task, asked by a scenario.
func nameTask(how quintain.Scenario) trace.Grader {
	if how == nil {
		return trace.Grader{Name: TaskGrader}
	}
	version := fmt.Sprintf("%s/%s.v%d", how.Info().ID(), how.TaskInfo().Name, how.TaskInfo().Version)
	return trace.Grader{Name: TaskGrader, Version: version, Hash: fmt.Sprintf("%.8x", sha256.Sum256([]byte(version)))}
}

// hashOf is the hash of a command line with the files that it names.
func hashOf(line string) (string, error) {
	words, err := command.Fields(line)
	if err != nil {
		return "", err
	}
	if len(words) == 0 {
		return "", errors.New("the command is empty")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return "", fmt.Errorf("there is no program %s: want task, the file of a judge such as judge.yaml, or a command", words[0])
	}
	hash := sha256.New()
	for _, word := range words {
		fmt.Fprintf(hash, "%q", word)
		if info, err := os.Stat(word); err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(word)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%x", sha256.Sum256(text))
	}
	return fmt.Sprintf("%.8x", hash.Sum(nil)), nil
}

// gradeAgain has the scenario of a job judge replies that were sampled before.
func gradeAgain(ctx context.Context, job rollout.Job, played []quintain.Trajectory) ([]verdict, error) {
	list := make([]verdict, len(played))
	if panel, ok := job.Scenario.(quintain.Panel); ok {
		return list, judgeTogether(ctx, panel, job.Problem, played, list)
	}
	for i := range played {
		list[i] = playAgain(ctx, job, &played[i], nil)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return list, nil
}

// judgeTogether has a panel judge the last replies of a group.
func judgeTogether(ctx context.Context, panel quintain.Panel, p quintain.Problem, played []quintain.Trajectory, list []verdict) error {
	replies := make([]quintain.Reply, len(played))
	for i := range played {
		replies[i] = replyOf(&played[i].Turns[played[i].Last()])
	}
	rulings := panel.Judge(ctx, p, replies)
	if len(rulings) != len(replies) {
		return fmt.Errorf("the scenario returned %d rulings on %s", len(rulings), stats.Count(len(replies), "reply"))
	}
	for i, r := range rulings {
		if list[i].Step, list[i].err = r.Step, r.Err; fatal(r.Err) {
			return r.Err
		}
	}
	return nil
}

// fatal reports whether an error on an episode ends all grading.
func fatal(err error) bool {
	return err != nil && (!errors.Is(err, quintain.ErrUngraded) || errors.Is(err, quintain.ErrStop))
}

func replyOf(t *quintain.Turn) quintain.Reply {
	return quintain.Reply{Text: t.Reply, ToolCalls: t.ToolCalls, CallFault: t.CallFault, Finish: t.Finish}
}

// playAgain steps a new episode with the replies of one that was played, which must open with first; nil:
// whatever it opens with. Of an agent's tree it has the scenario judge the answer alone. A panic is an error.
func playAgain(ctx context.Context, job rollout.Job, t *quintain.Trajectory, first []quintain.Message) (v verdict) {
	defer func() {
		if r := recover(); r != nil {
			v.err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	switch info := job.Scenario.Info(); {
	case t.Match != nil:
		v.err = errors.New("it is one seat of a match, which is not played again")
	case !info.Replayable:
		v.err = fmt.Errorf("scenario %s needs the state of the episode, and does not say that it can be played again (replayable)", info.Name)
	case t.Turns[t.Last()].Call != nil:
		last := &t.Turns[t.Last()]
		v.Step, v.err = grader.Task(ctx, job.Scenario, job.Problem, replyOf(last), last.Answer)
	default:
		v.err = v.replay(ctx, job, t, first)
	}
	return v
}

// replay plays the replies of an episode again.
func (v *verdict) replay(ctx context.Context, job rollout.Job, t *quintain.Trajectory, first []quintain.Message) (err error) {
	env, err := job.Scenario.Env(job.Problem)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	said, err := env.Open(ctx)
	switch {
	case err != nil:
		return err
	case first != nil && !same(said, first):
		return errors.New("the scenario does not open the problem as it did")
	}
	sum, right := 0.0, false
	for k := range t.Turns {
		if k > 0 && !same(v.Observe, t.Turns[k].Observed) {
			return fmt.Errorf("reply %d is to something that the scenario does not say any more", k+1)
		}
		if v.Step, err = env.Step(ctx, replyOf(&t.Turns[k])); err != nil {
			return err
		}
		if err := quintain.CheckReward(v.Reward); err != nil {
			return err
		}
		v.turns = append(v.turns, v.Reward)
		if sum, right = sum+v.Reward, right || v.Right; v.End != quintain.Going {
			break
		}
	}
	if v.End == quintain.Going && t.End != quintain.Truncated {
		return errors.New("the episode would go on now")
	}
	v.Reward, v.Right = sum, right
	return nil
}

// same reports whether two lists of messages say the same.
func same(a, b []quintain.Message) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Role != b[i].Role || a[i].Text() != b[i].Text() {
			return false
		}
	}
	return true
}

// askJudge has a judge grade a group.
func askJudge(ctx context.Context, j *judge.Jury, job rollout.Job, played []quintain.Trajectory) ([]verdict, error) {
	list, items := make([]verdict, len(played)), make([]judge.Item, len(played))
	for i := range played {
		talk := played[i].Talk(played[i].Path(played[i].Last()))
		items[i] = judge.Item{Key: fmt.Sprintf("%s#%d", job.Problem.ID(), i), Question: job.Problem.Prompt, Reply: talk[len(talk)-1].Text(), Transcript: talk}
		if j.Config.Rubric.Reference == "" {
			continue
		}
		if items[i].Reference = solution(job); items[i].Reference == "" {
			return nil, errors.New("the rubric shows a reference, and the solution of the problem is unknown")
		}
	}
	for i, r := range j.Judge.Group(ctx, items) {
		if fatal(r.Err) {
			return nil, r.Err
		}
		list[i].Step, list[i].err = quintain.Step{Reward: r.Verdict.Score, Right: r.Verdict.Right, Malformed: r.Verdict.Malformed, Why: r.Verdict.Why}, r.Err
	}
	return list, nil
}

// askProgram has a program grade each episode of a group. One that fails grades nothing.
func askProgram(ctx context.Context, line string, job rollout.Job, played []quintain.Trajectory) ([]verdict, error) {
	list := make([]verdict, len(played))
	for i := range played {
		t, last := &played[i], played[i].Last()
		q := grader.Question{Session: fmt.Sprintf("%s#%d", job.Problem.ID(), i), Problem: job.Problem, Solution: solution(job), Answer: t.Turns[last].Answer, Branches: [][]quintain.Message{t.Talk(t.Path(last))}}
		if _, row, ok := dataset.About(job.Problem); ok {
			q.Metadata = row
		}
		r, err := grader.Ask(ctx, line, q)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			err = quintain.CheckReward(*r.Reward)
		}
		if list[i].err = err; err == nil {
			list[i].Step, list[i].metrics = quintain.Step{Reward: *r.Reward, Right: r.Right, Malformed: r.Malformed, Why: r.Why}, r.Metrics
		}
	}
	return list, nil
}

// solution is that of a job's problem; empty: nobody knows one.
func solution(job rollout.Job) string {
	solver, can := job.Scenario.(quintain.Solver)
	if !can {
		return ""
	}
	text, err := solver.Solve(job.Problem)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}
