package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A bench plays the episodes of a run of checks, one check at a time.
type bench struct {
	job     Job
	subject *Subject
	began   time.Time
	started time.Duration // that the environment took to start
	cost    time.Duration // of an episode, on average

	round  int // 1: of the second draw of a check
	n      int // episodes that the check may play
	played int // episodes of the check

	low, high float64 // of the sum of an episode's rewards: declared, or seen
	wraps     int     // the form in which the environment takes an answer
	chaotic   string  // why episodes do not repeat; empty: they do

	lock   sync.Mutex          // of what many episodes write
	solved map[string]solution // by the IDs of problems
	seen   seen
}

// seen is what all episodes showed.
type seen struct {
	episodes  int
	endless   int      // of them
	low, high float64  // sums of rewards
	odd       *episode // whose reward is invalid, or a sum beyond the declared range
}

// end ends the environment.
func (b *bench) end() {
	if b.subject.Close != nil {
		b.subject.Close()
	}
}

// An episode is one as it was played.
type episode struct {
	problem quintain.Problem
	opening []quintain.Message
	tools   []quintain.Tool
	replies []quintain.Reply
	steps   []quintain.Step

	fault   string // the promise that it broke; empty: none
	lost    bool   // the fault is not the reply's
	endless bool

	env quintain.Env // nil: it is closed
}

// A speaker gives the next reply of an episode.
type speaker func(e *episode) quintain.Reply

// says returns a speaker that always says the same.
func says(text string) speaker {
	return func(*episode) quintain.Reply { return reply(text) }
}

// reply returns a whole reply.
func reply(text string) quintain.Reply { return quintain.Reply{Text: text, Finish: quintain.Stop} }

// script returns a speaker that says given replies, and the last of them again and again.
func script(all []quintain.Reply) speaker {
	return func(e *episode) quintain.Reply {
		if len(all) == 0 {
			return reply("")
		}
		return all[min(len(e.steps), len(all)-1)]
	}
}

// most returns the most replies of an episode: a longer one counts as endless.
func (b *bench) most() int {
	const patience, enough = 4, 20
	switch {
	case b.seen.endless > patience: // more of the same is not worth the time
		return enough
	case b.subject.MaxTurns > 0:
		return b.subject.MaxTurns + 1
	case b.subject.Apart:
		return 200
	}
	return 1000
}

// play plays an episode to its end.
func (b *bench) play(ctx context.Context, p quintain.Problem, say speaker) *episode {
	e := b.begin(ctx, b.subject.Scenario, p)
	for e.goes() {
		if len(e.steps) == b.most() {
			e.endless, e.fault = true, "no end after "+stats.Count(len(e.steps), "reply")
			break
		}
		e.step(ctx, say(e))
	}
	b.close(e)
	return e
}

// begin opens an episode, which the caller must close.
func (b *bench) begin(ctx context.Context, s quintain.Scenario, p quintain.Problem) *episode {
	e := &episode{problem: p}
	e.try(func() (err error) {
		if e.env, err = s.Env(p); err != nil {
			return fmt.Errorf("the episode cannot be made: %w", err)
		}
		if e.opening, err = e.env.Open(ctx); err != nil {
			return fmt.Errorf("opening: %w", err)
		}
		if tooled, is := e.env.(quintain.Tooled); is {
			e.tools = tooled.Tools()
		}
		if n := len(e.opening); n == 0 || e.opening[n-1].Role == quintain.RoleAssistant {
			return errors.New("it opens without a message for the policy")
		}
		return nil
	})
	return e
}

// try does a part of an episode, whose error and panic are its faults.
func (e *episode) try(part func() error) {
	defer func() {
		if fault := recover(); fault != nil {
			e.fault = fmt.Sprintf("it panics: %v", fault)
		}
	}()
	if err := part(); err != nil {
		e.fault, e.lost = err.Error(), errors.Is(err, quintain.ErrLost)
	}
}

// goes reports whether the policy's reply is next.
func (e *episode) goes() bool {
	return e.fault == "" && e.env != nil && (len(e.steps) == 0 || e.last().End == quintain.Going)
}

// last returns the last step; of none, an empty one.
func (e *episode) last() quintain.Step {
	if len(e.steps) == 0 {
		return quintain.Step{}
	}
	return e.steps[len(e.steps)-1]
}

// step lets the environment judge a reply.
func (e *episode) step(ctx context.Context, r quintain.Reply) {
	e.replies = append(e.replies, r)
	e.try(func() error {
		s, err := e.env.Step(ctx, r)
		if err != nil {
			return fmt.Errorf("the reply causes an error: %w", err)
		}
		e.steps = append(e.steps, s)
		if s.Tools != nil {
			e.tools = s.Tools
		}
		return stepFault(s)
	})
}

// stepFault returns the promise that a step breaks.
func stepFault(s quintain.Step) error {
	if err := quintain.CheckReward(s.Reward); err != nil {
		return err
	}
	switch {
	case s.End == quintain.Going && len(s.Observe) == 0:
		return errors.New("the episode goes on without a message")
	case s.End != quintain.Going && len(s.Observe) > 0:
		return fmt.Errorf("the episode has ended with the message %+v", s.Observe)
	}
	return nil
}

// close closes an episode and counts it.
func (b *bench) close(e *episode) {
	if e.env != nil {
		before := e.fault
		e.try(func() error {
			if err := e.env.Close(); err != nil {
				return fmt.Errorf("closing: %w", err)
			}
			return nil
		})
		if before != "" {
			e.fault = before
		}
		e.env = nil
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	b.played++
	b.seen.count(e, b.subject.Range)
}

// count counts an episode.
func (s *seen) count(e *episode, declared *[2]float64) {
	if s.episodes++; s.episodes == 1 {
		s.low, s.high = math.Inf(1), math.Inf(-1)
	}
	if e.endless {
		s.endless++
	}
	if len(e.steps) == 0 {
		return
	}
	odd := quintain.CheckReward(e.last().Reward) != nil
	if sum := e.sum(); !odd && e.fault == "" {
		s.low, s.high = min(s.low, sum), max(s.high, sum)
		odd = declared != nil && (sum < declared[0]-1e-9 || sum > declared[1]+1e-9)
	}
	if odd && s.odd == nil {
		s.odd = e
	}
}

// sum is that of the rewards.
func (e *episode) sum() (sum float64) {
	for _, s := range e.steps {
		sum += s.Reward
	}
	return sum
}

// share returns what an episode earned as a part of the range, 0 to 1; a fault earns nothing.
func (b *bench) share(e *episode) float64 {
	if e.fault != "" || !(b.high > b.low) {
		return 0
	}
	return min(1, max(0, (e.sum()-b.low)/(b.high-b.low)))
}

// show returns what an episode said, for people.
func (e *episode) show() (said []string) {
	for _, r := range e.replies {
		said = append(said, cut(toolcall.AppendPlain(r.Text, r.ToolCalls)))
	}
	return said
}

// witness returns the episode as one.
func (e *episode) witness(expected, observed string, args ...any) *Witness {
	return &Witness{Problem: e.problem.ID(), Opening: cut(talk(e.opening)), Replies: short(e.show()), Expected: expected, Observed: fmt.Sprintf(observed, args...)}
}

// short leaves out the middle of many replies.
func short(all []string) []string {
	const most = 12
	if len(all) <= most {
		return all
	}
	left := len(all) - most
	return append(append(append([]string{}, all[:most/2]...), fmt.Sprintf("… %s more …", stats.Count(left, "reply"))), all[len(all)-most/2:]...)
}

// talk returns the text of messages.
func talk(all []quintain.Message) string {
	var texts []string
	for _, m := range all {
		texts = append(texts, m.Text())
	}
	return strings.Join(texts, "\n\n")
}

// problem makes a problem of the round: number i of those of all levels in turn. Nil: there is none.
func (b *bench) problem(i int) *quintain.Problem {
	levels := b.subject.Levels
	return b.problemAt(levels[i%len(levels)], i/len(levels))
}

// problemAt makes a problem of a level.
func (b *bench) problemAt(level, index int) *quintain.Problem {
	if finite, is := b.subject.Scenario.(quintain.Finite); is {
		if size := finite.Size(level); size > 0 {
			index = (index + b.round*size/2) % size
		}
	}
	p, err := b.subject.Scenario.Problem(quintain.Draw{Seed: b.job.Seed + uint64(b.round), Level: level, Index: index})
	if err != nil {
		return nil
	}
	return &p
}

// problems makes n problems of the round.
func (b *bench) problems(n int) (all []quintain.Problem) {
	for i := range n {
		if p := b.problem(i); p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// differs tells the first difference of two episodes with the same replies; empty: there is none.
func differs(a, b *episode) string {
	switch {
	case a.lost || b.lost:
		return ""
	case a.fault != b.fault && (a.fault == "" || b.fault == ""):
		return fmt.Sprintf("a fault (%s) and none", a.fault+b.fault)
	case !reflect.DeepEqual(a.opening, b.opening):
		return fmt.Sprintf("it opens with %.200q, and with %.200q", talk(a.opening), talk(b.opening))
	case !reflect.DeepEqual(a.tools, b.tools):
		return "it offers other tools"
	}
	for i := range min(len(a.steps), len(b.steps)) {
		x, y := a.steps[i], b.steps[i]
		switch {
		case x.Reward != y.Reward || x.End != y.End || x.Right != y.Right:
			return fmt.Sprintf("reply %d earns %v%s, and %v%s", i+1, x.Reward, ending(x), y.Reward, ending(y))
		case !reflect.DeepEqual(x.Observe, y.Observe):
			return fmt.Sprintf("after reply %d it goes on with %.200q, and with %.200q", i+1, talk(x.Observe), talk(y.Observe))
		}
	}
	return ""
}

// ending tells of the end of a step.
func ending(s quintain.Step) string {
	if s.End == quintain.Going {
		return ""
	}
	return " (" + string(s.End) + ")"
}
