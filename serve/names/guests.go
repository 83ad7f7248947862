package names

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/task"
)

// A Guest is an environment that somebody else made, and that a book plays like a scenario. Many goroutines may use it at once.
type Guest interface {
	Info() quintain.ScenarioInfo

	// Own returns the scenario of its own problems; nil: it plays those of tasks.
	Own() quintain.Scenario

	// Over returns it over a task, if it has no problems of its own.
	Over(quintain.Task) (quintain.Scenario, error)

	// Splits returns the parts of its own problems, each a level; nil: its levels are none.
	Splits() []external.Split
}

// An owned is the problems of a guest as a task, which has no answers to grade: the guest judges whole replies.
type owned struct {
	quintain.Scenario
	guest Guest
	at    int  // with fixed, the level of all problems
	fixed bool // by parameters
}

// Info implements [quintain.Task].
func (o *owned) Info() quintain.Info { return o.TaskInfo() }

// Problem implements [quintain.Task].
func (o *owned) Problem(d quintain.Draw) (quintain.Problem, error) {
	if o.fixed {
		d.Level = o.at
	}
	return o.Scenario.Problem(d)
}

// With implements [quintain.Task]: params are those of a level; none are those of the first.
func (o *owned) With(params json.RawMessage) (quintain.Task, error) {
	levels := o.TaskInfo().Levels
	var given bytes.Buffer
	if err := json.Compact(&given, params); err != nil {
		return nil, err
	}
	level := slices.IndexFunc(levels, func(l json.RawMessage) bool { return bytes.Equal(l, given.Bytes()) })
	if level < 0 && given.String() != "{}" {
		return nil, fmt.Errorf("want those of a level: %s", levels)
	}
	return &owned{o.Scenario, o.guest, max(0, level), true}, nil
}

// Grade implements [quintain.Task].
func (o *owned) Grade(quintain.Problem, string) (quintain.Verdict, error) {
	return quintain.Verdict{}, fmt.Errorf("%s judges replies, not answers: send a reply, or play an episode", o.TaskInfo().Name)
}

// Solve implements [quintain.Task].
func (o *owned) Solve(p quintain.Problem) (string, error) {
	if s, can := o.Scenario.(quintain.Solver); can {
		return s.Solve(p)
	}
	return "", errors.New("it has no solution")
}

// Size implements [quintain.Finite].
func (o *owned) Size(level int) int {
	if s, can := o.Scenario.(quintain.Finite); can {
		return s.Size(level)
	}
	return 0
}

// withGuests returns a set of tasks, with the problems of guests before them.
func withGuests(guests []Guest, tasks *task.Set) (*task.Set, error) {
	var all []quintain.Task
	for _, g := range guests {
		if own := g.Own(); own != nil {
			all = append(all, &owned{Scenario: own, guest: g})
		}
	}
	if all == nil {
		return tasks, nil
	}
	return task.NewSet(append(all, tasks.All()...))
}

// Usual names the task that is drawn if a request names none: that of the first guest, or else the given one.
func (b *Book) Usual(otherwise string) string {
	return cmp.Or(owner(b.tasks.All()[0]), otherwise)
}

// Sides returns the levels of a task that are trained on, and those that are held out; nil, nil: the task does not tell them apart.
func (b *Book) Sides(task string) (trained, held []int) {
	t, err := b.tasks.Get(task)
	o, is := t.(*owned)
	if err != nil || !is {
		return nil, nil
	}
	for level, split := range o.guest.Splits() {
		if split.HeldOut {
			held = append(held, level)
		} else {
			trained = append(trained, level)
		}
	}
	if trained == nil || held == nil {
		return nil, nil
	}
	return trained, held
}

// Check returns why a problem cannot be graded; nil: it can, or a guest will say when it opens.
func (b *Book) Check(p quintain.Problem) error {
	if t, err := b.tasks.Get(p.Task); err == nil {
		if _, is := t.(*owned); is {
			return nil
		}
	}
	_, err := b.Grade(p, nil)
	return err
}

// guest returns the guest with a name or ID over a task, without a scenario if there is none. The problems of a guest are played by no other.
func (b *Book) guest(name string, t quintain.Task) (of played, err error) {
	o, is := t.(*owned)
	for _, g := range b.guests {
		info := g.Info()
		if id := info.ID(); name != info.Name && name != id {
			continue
		} else if of.id = id; g.Own() == nil && !is {
			of.Scenario, err = g.Over(t)
			return of, err
		} else if is && o.guest == g {
			of.Scenario = o.Scenario
			return of, nil
		}
		return of, fmt.Errorf("%s does not play task %s", name, t.Info().Name)
	}
	if is {
		err = fmt.Errorf("only %s plays task %[1]s, not %s", o.Info().Name, name)
	}
	return of, err
}

// owner names the guest that a task is the problems of; empty: it is of none.
func owner(t quintain.Task) string {
	if o, is := t.(*owned); is {
		info := o.Scenario.Info()
		return info.Name
	}
	return ""
}
