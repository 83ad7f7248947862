// Package task turns a typed description of a task into a [quintain.Task], and holds the
// rules that several scorers share.
package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// An Instance is one concrete problem of a task. It is a plain value: only its JSON form
// travels with the problem, and its methods are pure functions of its fields. The JSON
// names are those of reasoning-gym's metadata, if it has the task. What its Spec does not say about
// it, it says itself, by the methods of [Prompter], [Scorer] and the interfaces below.
type Instance interface {
	// Solve returns a right answer.
	Solve() string
}

// A Shortener is an Instance that can ask its question in a few characters, for policies
// with a short context, in place of [Spec.Short]. The form of the answer is that of Prompt. Two instances with the
// same short question ask the same.
type Shortener interface{ Short() string }

// A Canonicalizer is an Instance that knows when two problems ask the same, though their
// prompts differ in more than the wording: Canonical returns the same text for both. The
// text leaves out everything irrelevant to the question: the solution in the record, the
// order of a set, drawn names. It is empty for a record of reasoning-gym that lacks the
// question; then the prompt decides.
type Canonicalizer interface{ Canonical() string }

// A Relative is an Instance that belongs to a family of problems, which are trained on or held
// out all together: those about one program, say, so that an evaluation asks about programs that
// were never seen. Family names it; it is empty for a record of reasoning-gym that does not tell.
type Relative interface{ Family() string }

// A Chooser is an Instance with few possible answers, all equally likely: the prompt names
// them, or only so many fit its form. Choices counts them.
type Chooser interface{ Choices() int }

// A Completer is a pointer to an Instance that finds in the question what its record lacks,
// as entries of reasoning-gym may. Complete is called with every record that comes as JSON,
// before its check.
type Completer interface{ Complete(question string) }

// A Player is an Instance that may be judged by playing it alone, since that takes a sandbox: then Played
// is true, and Grade returns [ErrPlayed].
type Player interface{ Played() bool }

// ErrPlayed says that an answer alone cannot be graded.
var ErrPlayed = errors.New("it is judged by playing it: choose its scenario")

// A task is what [Spec.Task] returns.
type task struct {
	info   quintain.Info // without the levels
	typed  typed
	own    bool           // With set the parameters
	levels func() []level // computed once
	frame  func() *frame  // computed once
	bounds func() []bound // of a record, computed once
	rands  sync.Pool      // of *rng.Rand
}

// A level is one set of parameters: as in the Spec, as JSON, and the name of its random
// streams.
type level struct {
	params  any
	written json.RawMessage
	streams rng.Name
}

// newTask returns the task of a Spec with these levels, each a *P.
func newTask(info quintain.Info, of typed, levels []any) *task {
	t := &task{info: info, typed: of}
	t.frame = sync.OnceValue(of.frame)
	t.bounds = sync.OnceValue(func() []bound { return t.frame().bounds(of.record()) })
	t.levels = sync.OnceValue(func() (all []level) {
		for _, params := range levels {
			written := mustJSON(params)
			all = append(all, level{params, written, rng.Named(info.Name, string(written))})
		}
		return all
	})
	return t
}

// Info implements [quintain.Task].
func (t *task) Info() quintain.Info {
	info := t.info
	for _, l := range t.levels() {
		info.Levels = append(info.Levels, l.written)
	}
	return info
}

// Head returns the category and the name of a task, as its Info does, but much faster for a
// task made by a [Spec].
func Head(t quintain.Task) (category, name string) {
	if of, ok := t.(*task); ok {
		return of.info.Category, of.info.Name
	}
	info := t.Info()
	return info.Category, info.Name
}

// List returns the notation in which a task made by a [Spec] reads a list, or nothing.
func List(t quintain.Task) string {
	if of, ok := t.(*task); ok {
		return of.typed.list()
	}
	return ""
}

// Prose reports whether the answer to a task made by a [Spec] is a text of several sentences.
func Prose(t quintain.Task) bool {
	of, ok := t.(*task)
	return ok && of.typed.prose()
}

// With implements [quintain.Task].
func (t *task) With(params json.RawMessage) (quintain.Task, error) {
	p, defaults := t.typed.newParams(), mustJSON(t.typed.defaults())
	if err := decodeStrict(defaults, p); err != nil { // a deep copy: decoding writes into existing slices
		return nil, fmt.Errorf("task %s: its defaults: %w", t.info.Name, err)
	}
	if err := decodeStrict(params, p); err != nil {
		return nil, fmt.Errorf("task %s: params: %w", t.info.Name, explain(err, defaults))
	}
	if err := Check(p); err != nil {
		return nil, fmt.Errorf("task %s: params: %w", t.info.Name, err)
	}
	own := newTask(t.info, t.typed, []any{p})
	own.own = true
	return own, nil
}

// Problem implements [quintain.Task].
func (t *task) Problem(d quintain.Draw) (quintain.Problem, error) {
	levels, name := t.levels(), d.Level
	switch {
	case d.Level < 0 || d.Level >= len(levels):
		return quintain.Problem{}, fmt.Errorf("task %s: level is %d, want 0 to %d", t.info.Name, d.Level, len(levels)-1)
	case d.Index < 0:
		return quintain.Problem{}, fmt.Errorf("task %s: index is %d, want 0 or more", t.info.Name, d.Index)
	}
	if t.own {
		name = quintain.OwnParams
	}
	inst, err := t.draw(levels[d.Level], d)
	if err != nil {
		return quintain.Problem{}, fmt.Errorf("task %s: seed %d, level %d, index %d: %w", t.info.Name, d.Seed, name, d.Index, err)
	}
	return quintain.Problem{
		Task: t.info.Name, Version: t.info.Version,
		Seed: d.Seed, Level: name, Index: d.Index,
		Params: levels[d.Level].written, Prompt: t.frame().prompt(inst), Instance: quintain.NewRecord(inst),
	}, nil
}

// draw makes the instance that d names.
func (t *task) draw(l level, d quintain.Draw) (Instance, error) {
	r, kept := t.rands.Get().(*rng.Rand)
	if !kept {
		r = new(rng.Rand)
	}
	defer t.rands.Put(r)
	l.streams.Restart(r, d.Seed, d.Index)
	return t.typed.draw(l.params, r)
}

// Grade implements [quintain.Task]. A text that is not right as it stands gets the best
// verdict of its [answer.Readings], since a right answer in another form is right.
func (t *task) Grade(p quintain.Problem, text string) (quintain.Verdict, error) {
	inst, err := t.instance(p)
	if err != nil {
		return quintain.Verdict{}, err
	}
	if of, ok := inst.(Player); ok && of.Played() {
		return quintain.Verdict{}, fmt.Errorf("task %s: %w", t.info.Name, ErrPlayed)
	}
	best := t.frame().score(inst, text)
	if best.Score == 1 {
		return best, nil
	}
	readings := func() []string { return answer.Readings(text, t.typed.list(), t.info.Refuses) }
	if t.typed.prose() {
		readings = func() []string { return answer.TextReadings(text, t.info.Refuses) }
	}
	for _, reading := range readings() {
		if v := t.frame().score(inst, reading); v.Score > best.Score || v.Score == best.Score && best.Malformed {
			best = v
		}
	}
	return best, nil
}

// Ready returns p with its record in the task's own type, so that Grade need not decode it
// again. It fails as Grade does.
func (t *task) Ready(p quintain.Problem) (quintain.Problem, error) {
	inst, err := t.instance(p)
	if err != nil {
		return p, err
	}
	p.Instance = quintain.NewRecord(inst)
	return p, nil
}

// Solve implements [quintain.Task].
func (t *task) Solve(p quintain.Problem) (string, error) {
	inst, err := t.instance(p)
	if err != nil {
		return "", err
	}
	return inst.Solve(), nil
}

// Prompt returns the question of p's record, which may be in another wording than p's prompt. of was made by a
// [Spec]. It fails as Grade does.
func Prompt(of quintain.Task, p quintain.Problem) (string, error) {
	t, ok := of.(*task)
	if !ok {
		return "", fmt.Errorf("task %s: no task.Spec describes it", of.Info().Name)
	}
	inst, err := t.instance(p)
	if err != nil {
		return "", err
	}
	return t.frame().prompt(inst), nil
}

// Short implements [quintain.Shortener]. A task without a short question asks its whole
// prompt.
func (t *task) Short(p quintain.Problem) (string, error) {
	inst, err := t.instance(p)
	if err != nil {
		return "", err
	}
	if _, itself := inst.(Shortener); itself || t.frame().short != nil {
		return t.frame().shortened(inst), nil
	}
	return p.Prompt, nil
}

// Key implements [quintain.Keyer]: the key of the canonical form ([Canonicalizer]), else of
// the short question, else of the prompt; in its family, if it has one ([Relative]).
func (t *task) Key(p quintain.Problem) (quintain.Key, error) {
	inst, err := t.instance(p)
	if err != nil {
		return quintain.Key{}, err
	}
	var asked string
	if of, ok := inst.(Canonicalizer); ok {
		asked = of.Canonical()
	} else {
		asked = t.frame().shortened(inst)
	}
	if asked == "" {
		asked = p.Prompt
	}
	if of, has := inst.(Relative); has && of.Family() != "" {
		return quintain.NewFamilyKey(of.Family(), asked), nil
	}
	return quintain.NewKey(asked), nil
}

// Choices implements [quintain.Chooser]. It returns 0 if the task has no [Chooser].
func (t *task) Choices(p quintain.Problem) (int, error) {
	inst, err := t.instance(p)
	if err != nil {
		return 0, err
	}
	if c, can := any(inst).(Chooser); can {
		return c.Choices(), nil
	}
	return 0, nil
}

// checked are settings, or an Instance, that know more of their bounds than tags can say ([Check]).
// Grade and Solve refuse a problem with an invalid record.
type checked interface{ Check() error }

// instance returns p's record in the task's own type.
func (t *task) instance(p quintain.Problem) (Instance, error) {
	if inst, ok := t.typed.own(p.Instance.Value()); ok && p.Task == t.info.Name {
		return inst, nil
	}
	return t.read(p)
}

// read decodes p's record into the task's own type.
func (t *task) read(p quintain.Problem) (Instance, error) {
	if p.Task != t.info.Name {
		return nil, fmt.Errorf("task %s: the problem is of task %q", t.info.Name, p.Task)
	}
	inst, err := t.typed.read(func(inst any) error {
		raw, err := p.Instance.JSON()
		if err != nil {
			return err
		}
		if err := decodeStrict(raw, inst); err != nil {
			return err
		}
		if c, can := inst.(Completer); can {
			c.Complete(p.Prompt)
		}
		return checkWithin(t.bounds(), reflect.ValueOf(inst).Elem(), inst)
	})
	if err != nil {
		return nil, fmt.Errorf("task %s: instance: %w", t.info.Name, err)
	}
	return inst, nil
}

// decodeStrict reads one JSON value into v and refuses names that v lacks.
func decodeStrict(raw []byte, v any) error {
	return strictjson.UnmarshalKnown(raw, v)
}

// mustJSON encodes a task's own plain record. A failure is a fault of the task, and
// tasktest finds it.
func mustJSON(v any) json.RawMessage {
	b, err := strictjson.Canonical(v) // IDs hash parameters
	if err != nil {
		panic(fmt.Sprintf("task: %T: %v", v, err))
	}
	return b
}
