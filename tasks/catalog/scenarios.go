package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/codegrade/codeplay"
	"github.com/quintain-rl/quintain/codegrade/pythontool"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/scenarios/games/alone"
	"github.com/quintain-rl/quintain/scenarios/games/blackjack"
	"github.com/quintain-rl/quintain/scenarios/games/cards"
	"github.com/quintain-rl/quintain/scenarios/games/duels"
	"github.com/quintain-rl/quintain/scenarios/games/guess"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/scenarios/toolbox/desk"
	"github.com/quintain-rl/quintain/scenarios/toolbox/office"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tasks/codetask"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// Scenarios returns all scenarios, sorted by name.
func Scenarios() []scenario.Spec {
	all := append([]scenario.Spec{codeplay.Spec, pythontool.Spec}, scenarios.All...)
	for _, g := range Games() {
		all = append(all, g.Scenario)
	}
	for _, e := range Errands() {
		all = append(all, e.Scenario)
	}
	slices.SortFunc(all, func(a, b scenario.Spec) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Games returns all games. Each is a scenario with a task of its own.
func Games() []*games.Game {
	return slices.Concat(alone.Games(), blackjack.Games(), cards.Games(), duels.Games(), guess.Games())
}

// Errands returns all errands. Each is a scenario of calls of tools, with a task of its own.
func Errands() []*toolbox.Errand { return slices.Concat(office.Errands(), desk.Errands()) }

// TasksOf returns the tasks that are made for a scenario: those of programs for code, its own for
// a game or an errand, and for the others all that one answer solves.
func TasksOf(scenario string) []quintain.Task {
	if scenario == codeplay.Spec.Name {
		return []quintain.Task{codetask.Task()}
	}
	for _, t := range OwnTasks() {
		if t.Info().Name == scenario { // all but codetask share the scenario's name
			return []quintain.Task{t}
		}
	}
	return Tasks()
}

// Owner names the scenario that a task is made for; empty: any may play it.
func Owner(task string) string {
	if task == codetask.Task().Info().Name {
		return codeplay.Spec.Name
	}
	for _, t := range OwnTasks() {
		if t.Info().Name == task {
			return task
		}
	}
	return ""
}

// OwnTasks returns the tasks that are made for one scenario each.
func OwnTasks() []quintain.Task {
	tasks := []quintain.Task{codetask.Task()}
	for _, g := range Games() {
		tasks = append(tasks, g.Task)
	}
	for _, e := range Errands() {
		tasks = append(tasks, e.Task)
	}
	return tasks
}

// Scenario returns the scenario with the given name. For an unknown name, the error
// suggests the nearest known one.
func Scenario(name string) (scenario.Spec, error) {
	var names []string
	for _, spec := range Scenarios() {
		if spec.Name == name {
			return spec, nil
		}
		names = append(names, spec.Name)
	}
	return scenario.Spec{}, fmt.Errorf("no scenario %q%s", name, nearest.Suggest(name, names))
}

// SettingsOf returns the settings of a scenario, each with its default.
func SettingsOf(spec scenario.Spec) []*settings.Setting {
	return settings.New(spec.New()).Settings()
}

// Playable returns the tasks that a scenario can play with default settings, and an error
// for each of the others, both in the order of tasks.
func Playable(spec scenario.Spec, tasks []quintain.Task) (can []quintain.Task, cannot []error) {
	for _, t := range tasks {
		if _, err := spec.Over(t, nil); err != nil {
			cannot = append(cannot, err)
		} else {
			can = append(can, t)
		}
	}
	return can, cannot
}

// A Demo is an episode that demonstrates a scenario.
type Demo struct {
	Opening []quintain.Message // the first messages to the policy
	Tools   []quintain.Tool    // offered to it
	Turns   []DemoTurn
}

// A DemoTurn is a reply and the scenario's answer to it.
type DemoTurn struct {
	Kind  string // kind of reply: "wrong", "without an answer", "right"
	Reply string
	Step  quintain.Step
}

// Demonstrate plays problem d of t with a wrong reply, one without an answer, and a right
// one. If an episode ends early, the next reply begins another episode of the problem. An
// episode whose environment advises is played by a reply without an answer, and the first of the
// best ones.
func Demonstrate(ctx context.Context, spec scenario.Spec, t quintain.Task, d quintain.Draw) (demos []Demo, err error) {
	s, err := spec.Over(t, nil)
	if err != nil {
		return nil, err
	}
	p, err := s.Problem(d)
	if err != nil {
		return nil, err
	}
	if by, can := s.(adviser); can {
		demo, err := playAdvised(ctx, by, p)
		return []Demo{demo}, err
	}
	right, err := t.Solve(p)
	if err != nil {
		return nil, err
	}
	wrong, err := wrongAnswer(ctx, s, t, p, d)
	if err != nil {
		return nil, err
	}
	replies := []DemoTurn{
		{Kind: "wrong", Reply: "<answer>" + wrong + "</answer>"},
		{Kind: "without an answer", Reply: "I do not know."},
		{Kind: "right", Reply: "<answer>" + right + "</answer>"},
	}
	for len(replies) > 0 {
		demo, err := play(ctx, s, p, replies)
		if err != nil {
			return nil, err
		}
		demos, replies = append(demos, demo), replies[len(demo.Turns):]
	}
	return demos, nil
}

// wrongAnswer returns a wrong answer to p, problem d of t: the solution of another problem.
func wrongAnswer(ctx context.Context, s quintain.Scenario, t quintain.Task, p quintain.Problem, d quintain.Draw) (string, error) {
	const patience = 1000
	for range patience {
		d.Index++
		other, err := t.Problem(d)
		if err != nil {
			return "", err
		}
		answer, err := t.Solve(other)
		if err != nil {
			return "", err
		}
		demo, err := play(ctx, s, p, []DemoTurn{{Reply: "<answer>" + answer + "</answer>"}})
		if err != nil || !demo.Turns[0].Step.Right {
			return answer, err
		}
	}
	return "", fmt.Errorf("problem %s: the solutions of the next %d problems are all right", p.ID(), patience)
}

// An adviser is a scenario that knows what to reply.
type adviser interface {
	quintain.Scenario
	quintain.Adviser
}

// playAdvised plays an episode as its environment advises, after a reply without an answer.
func playAdvised(ctx context.Context, s adviser, p quintain.Problem) (demo Demo, err error) {
	const most = 6 // of the best replies
	replies := []DemoTurn{{Kind: "without an answer", Reply: "I do not know."}}
	for len(replies) <= most {
		var said []quintain.Reply
		for _, r := range replies {
			said = append(said, PlainReply(r.Reply))
		}
		advice, err := s.Advise(ctx, p, said)
		if err != nil {
			return demo, err
		}
		if len(advice.Best) == 0 {
			break
		}
		replies = append(replies, DemoTurn{Kind: "right", Reply: advice.Best[0]})
	}
	return play(ctx, s, p, replies)
}

// play plays an episode until it ends or the replies run out.
func play(ctx context.Context, s quintain.Scenario, p quintain.Problem, replies []DemoTurn) (demo Demo, err error) {
	e, err := s.Env(p)
	if err != nil {
		return demo, err
	}
	defer func() {
		if closeErr := e.Close(); err == nil {
			err = closeErr
		}
	}()
	if demo.Opening, err = e.Open(ctx); err != nil {
		return demo, err
	}
	if t, has := e.(quintain.Tooled); has {
		demo.Tools = t.Tools()
	}
	for _, turn := range replies {
		if turn.Step, err = e.Step(ctx, PlainReply(turn.Reply)); err != nil {
			return demo, err
		}
		demo.Turns = append(demo.Turns, turn)
		if turn.Step.End != quintain.Going {
			break
		}
	}
	return demo, nil
}

// PlainReply is a reply as a policy says it whose calls of tools have the form plain of text/toolcall.
func PlainReply(text string) quintain.Reply {
	read := toolcall.Plain().Parse(text, toolcall.Context{})
	reply := quintain.Reply{Text: text, Finish: quintain.Stop}
	if len(read.Calls) > 0 && !read.Malformed {
		reply.Text, _ = read.Said()
		reply.ToolCalls = read.Calls
		policy.NameCalls(reply.ToolCalls, nil)
	}
	return reply
}
