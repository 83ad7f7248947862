package scenariotest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/prove/replies"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A ToolSize is how much a test plays.
type ToolSize struct {
	Problems int // of each level, played by the plan
	Blind    int // of each level, played by each way that follows no result
}

// mostResult is the longest result of a call, in bytes.
const mostResult = 1500

// RunTools tests errands.
func RunTools(t *testing.T, all []*toolbox.Errand, size ToolSize) {
	for _, e := range all {
		t.Run(e.Task.Info().Name, func(t *testing.T) {
			t.Parallel()
			of, err := e.Scenario.Over(e.Task, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := toolSuite{errand: e, of: of, size: size}
			levels := e.Task.Info().Levels
			rates := len(e.Guess)
			if e.Guess == nil { // nothing is earned without results
				rates = len(levels)
			}
			rated(t, of.Info(), len(levels), rates)
			for level := range levels {
				s.level = level
				t.Run(fmt.Sprint(level), s.played)
			}
		})
	}
}

// A toolSuite tests one errand at one level.
type toolSuite struct {
	errand *toolbox.Errand
	of     quintain.Scenario
	size   ToolSize
	level  int
}

// played runs the tests of a level.
func (s toolSuite) played(t *testing.T) {
	t.Run("the plan earns 1 and says nothing that was not read", s.planned)
	t.Run("problems differ", s.made)
	t.Run("what follows no result earns nothing", s.blind)
	t.Run("an episode is a function of the replies", s.replayed)
	t.Run("calls that make no sense are told and never pay", s.hostile)
	t.Run("the problem survives JSON", s.travels)
	t.Run("foreign records are refused or played", s.foreign)
}

// problem makes a problem.
func (s toolSuite) problem(t *testing.T, index int) quintain.Problem {
	t.Helper()
	p, err := s.of.Problem(quintain.Draw{Seed: 1, Level: s.level, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plan returns the calls of the plan.
func (s toolSuite) plan(t *testing.T, p quintain.Problem) []quintain.ToolCall {
	t.Helper()
	text, err := s.errand.Task.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	read := toolcall.Plain().Parse(text, toolcall.Context{})
	if read.Malformed || len(read.Calls) == 0 {
		t.Fatalf("%s: the plan is %q: %s", p.ID(), text, read.Why)
	}
	return read.Calls
}

// A toolEpisode is one that was played.
type toolEpisode struct {
	opening []quintain.Message
	offered []quintain.Tool
	steps   []quintain.Step
}

// read is all that the policy has read.
func (e toolEpisode) read() string {
	var b strings.Builder
	for _, m := range e.opening {
		b.WriteString(m.Content + "\n")
	}
	for _, t := range e.offered {
		fmt.Fprintf(&b, "%s %s %s\n", t.Name, t.Doc, t.Params)
	}
	for _, s := range e.steps {
		for _, m := range s.Observe {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String()
}

// earned is the sum of the rewards.
func (e toolEpisode) earned() (sum float64) {
	for _, s := range e.steps {
		sum += s.Reward
	}
	return sum
}

// last is the last step.
func (e toolEpisode) last() quintain.Step { return e.steps[len(e.steps)-1] }

// playTools plays an episode to its end, and checks every step.
func playTools(t *testing.T, of quintain.Scenario, p quintain.Problem, say func(toolEpisode) quintain.Reply) (e toolEpisode) {
	t.Helper()
	env, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	if e.opening, err = env.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.offered = env.(quintain.Tooled).Tools()
	for end := quintain.Going; end == quintain.Going; end = e.last().End {
		reply := say(e)
		step, err := env.Step(t.Context(), reply)
		if err != nil {
			t.Fatalf("%s: %+v gets the error %v", p.ID(), reply, err)
		}
		e.steps = append(e.steps, step)
		if fault := faultOf(reply, step); fault != "" {
			t.Fatalf("%s: %.2000q gets %+v: %s", p.ID(), fmt.Sprint(reply), step, fault)
		}
		if len(e.steps) > 1000 {
			t.Fatalf("%s: an endless episode", p.ID())
		}
	}
	return e
}

// faultOf says what is wrong with a step.
func faultOf(reply quintain.Reply, step quintain.Step) string {
	switch {
	case !(step.Reward >= 0 && step.Reward <= 1) || step.End == quintain.Going && step.Reward != 0:
		return "the reward"
	case step.Why == "":
		return "it says no reason"
	case step.Right != (step.Reward >= 0.8):
		return "it is right, and the reward is below 0.8, or it is the other way around"
	case (step.End == quintain.Going) != (len(step.Observe) > 0):
		return "it ends with a message, or goes on without one"
	}
	for i, m := range step.Observe {
		if len(m.Content) > mostResult {
			return fmt.Sprintf("a result has %d bytes, want %d at most", len(m.Content), mostResult)
		}
		if len(reply.ToolCalls) > 0 && reply.CallFault == "" && (m.Role != quintain.RoleTool || m.ToolCallID != reply.ToolCalls[i].ID) {
			return "the answers do not fit the calls"
		}
	}
	return ""
}

// script says the replies one after another, and nothing after them.
func script(replies ...quintain.Reply) func(toolEpisode) quintain.Reply {
	return func(e toolEpisode) quintain.Reply {
		if n := len(e.steps); n < len(replies) {
			return replies[n]
		}
		return quintain.Reply{Finish: quintain.Stop}
	}
}

// calls is a reply that calls.
func calls(all ...quintain.ToolCall) quintain.Reply {
	r := quintain.Reply{Finish: quintain.Stop}
	for i, c := range all {
		c.ID = fmt.Sprintf("call%05d", i+1)
		r.ToolCalls = append(r.ToolCalls, c)
	}
	return r
}

// planned checks that the plan earns 1, a call in each reply, and that each of its words could be
// known by then.
func (s toolSuite) planned(t *testing.T) {
	for index := range s.size.Problems {
		p := s.problem(t, index)
		plan := s.plan(t, p)
		e := playTools(t, s.of, p, func(e toolEpisode) quintain.Reply {
			n := len(e.steps)
			if n == len(plan) {
				t.Fatalf("%s: the plan %v does not end the episode", p.ID(), plan)
			}
			if n < len(plan)-1 {
				if word := unread(e.read(), plan[n].Arguments); word != "" {
					t.Fatalf("%s: the plan calls %+v, and nobody can know %q:\n%s", p.ID(), plan[n], word, e.read())
				}
			}
			return calls(plan[n])
		})
		for i, step := range e.steps {
			if step.Illegal || step.Malformed {
				t.Fatalf("%s: call %d of the plan, %+v, is refused: %+v", p.ID(), i+1, plan[i], step)
			}
		}
		if last := e.last(); last.Reward != 1 || !last.Right || len(e.steps) != len(plan) {
			t.Fatalf("%s: the plan %v earns %+v", p.ID(), plan, last)
		}
		if answer := answerOf(plan[len(plan)-1]); len(answer) > 3 && strings.Contains(e.opening[0].Content+e.opening[1].Content, answer) {
			t.Fatalf("%s: the opening has the answer %q", p.ID(), answer)
		}
		if v, err := s.errand.Task.Grade(p, solution(t, s, p)); !errors.Is(err, task.ErrPlayed) && (err != nil || v.Score != 1) {
			t.Fatalf("%s: the task gives its solution %+v, error %v", p.ID(), v, err)
		}
	}
}

// answerOf returns the arguments of a call that ends an episode, without the braces, the name and the quotes.
func answerOf(c quintain.ToolCall) string {
	_, answer, _ := strings.Cut(strings.Trim(c.Arguments, "{}"), ":")
	return strings.Trim(answer, ` "`)
}

func solution(t *testing.T, s toolSuite, p quintain.Problem) string {
	t.Helper()
	text, err := s.errand.Task.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// unread returns a word of a call's arguments, three letters or more, that is not in a text.
func unread(text, args string) string {
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	text = strings.ToLower(text)
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(args, `\n`, " "), func(r rune) bool { return !letter(r) }) {
		if len(word) > 2 && !strings.Contains(text, strings.ToLower(word)) {
			return word
		}
	}
	return ""
}

// made checks that problems differ, and can be opened.
func (s toolSuite) made(t *testing.T) {
	seen := map[quintain.Key]bool{}
	for index := range s.size.Problems {
		p := s.problem(t, index)
		if _, err := s.of.Env(p); err != nil {
			t.Fatal(err)
		}
		key, err := s.of.Key(p)
		if err != nil {
			t.Fatal(err)
		}
		seen[key] = true
	}
	if len(seen) < s.size.Problems*9/10 {
		t.Errorf("of %d problems, %d have keys of their own", s.size.Problems, len(seen))
	}
}

// replayed checks that the same replies get the same bytes, after each number of them.
func (s toolSuite) replayed(t *testing.T) {
	for index := range mostReplayed {
		p := s.problem(t, index)
		r := rng.New(uint64(index), "replay")
		var said []quintain.Reply
		first := playTools(t, s.of, p, func(e toolEpisode) quintain.Reply {
			said = append(said, s.any(r, e, s.plan(t, p)))
			return said[len(said)-1]
		})
		for n := range said {
			again := playTools(t, s.of, p, script(said[:n+1]...))
			one, errOne := json.Marshal(first.steps[:n+1])
			two, errTwo := json.Marshal(again.steps[:n+1])
			if errOne != nil || errTwo != nil || string(one) != string(two) {
				t.Fatalf("%s: the replies %+v get %s (%v), and again %s (%v)", p.ID(), said[:n+1], one, errOne, two, errTwo)
			}
		}
	}
}

// any draws a reply: calls of the plan, random ones and senseless ones.
func (s toolSuite) any(r *rng.Rand, e toolEpisode, plan []quintain.ToolCall) quintain.Reply {
	switch {
	case r.Chance(0.1):
		return rng.Pick(r, replies.Calls(e.offered))
	case r.Chance(0.5):
		return calls(plan[min(len(e.steps), len(plan)-1)])
	}
	return calls(randomCall(r, e), randomCall(r, e))
}

// travels checks that a problem read from JSON is played alike.
func (s toolSuite) travels(t *testing.T) {
	p := s.problem(t, 1)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var read quintain.Problem
	if err := strictjson.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	plan := s.plan(t, p)
	one := playTools(t, s.of, p, script(calls(plan...)))
	two := playTools(t, s.of, read, script(calls(plan...)))
	if !reflect.DeepEqual(one, two) {
		t.Fatalf("%s is played as %+v, and read from JSON as %+v", p.ID(), one, two)
	}
	if key, err := s.of.Key(read); err != nil || key == (quintain.Key{}) {
		t.Errorf("%s: key %x, error %v", p.ID(), key, err)
	}
}

// blind checks what ways earn that follow no result.
func (s toolSuite) blind(t *testing.T) {
	bound := 0.0
	if s.errand.Guess != nil {
		bound = s.errand.Guess[s.level]
	}
	problems := make([]quintain.Problem, s.size.Blind)
	for index := range problems {
		problems[index] = s.problem(t, index)
	}
	for _, way := range ways {
		var sum, squares float64
		for index, p := range problems {
			r := rng.New(uint64(index), "blind", way.name)
			got := playTools(t, s.of, p, func(e toolEpisode) quintain.Reply { return way.say(r, e) }).earned()
			sum, squares = sum+got, squares+got*got
		}
		n := float64(s.size.Blind)
		mean := sum / n
		if off := math.Sqrt(max(squares/n-mean*mean, bound*(1-bound)/n) / n); mean > bound+3.5*off && (bound > 0 || mean > 0.02) {
			t.Errorf("%s earns %.4f, want %.4f at most", way.name, mean, bound)
		}
	}
}
