// Package task turns a typed description of a task into a [quintain.Task], and
// holds what the scorers of several tasks share.
package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/rng"
)

// Params are the settings of one difficulty of a task. Its JSON names are those
// of the task's settings in reasoning-gym, if it has them.
type Params interface {
	// Check reports the first setting that is invalid.
	Check() error
}

// An Instance is one concrete problem of a task. It is a plain value: its JSON
// form is all that travels with the problem, and its methods are pure functions
// of its fields. Its JSON names are those of the metadata of the task's entries
// in reasoning-gym, if it has them.
type Instance interface {
	// Prompt is the question, and says in which form the answer is wanted.
	Prompt() string

	// Solve returns an answer that Score gives 1.
	Solve() string

	// Score grades answer, which is any text at all. It never panics, never
	// runs any part of answer, and its cost is bounded by len(answer). Other forms of
	// a right answer, such as 84,084 in bold, come to it as [answer.Readings] has them.
	Score(answer string) quintain.Verdict
}

// A Shortener is an Instance that can ask its question in a few characters, for
// policies whose context is short. The form of the answer is that of Prompt. Two
// instances with the same short question ask the same.
type Shortener interface{ Short() string }

// A Canonicalizer is an Instance that knows when two problems ask the same, though
// their prompts differ in more than the wording: Canonical returns the same text for
// both. Left out is what does not matter to the question: the solution that the record
// happens to have, the order of things that form a set, names that are drawn. An empty
// text leaves it to the prompt: the record, which is of reasoning-gym, does not have the
// question.
type Canonicalizer interface{ Canonical() string }

// A Chooser is an Instance whose prompt leaves few answers, all equally likely: it names
// them, or what it asks for can be filled in only in so few ways. Choices returns how
// many.
type Chooser interface{ Choices() int }

// A Completer is a pointer to an Instance that finds in the question what its record
// lacks: an entry of reasoning-gym may have it in the question alone. Complete is called
// with every record that comes as JSON, before it is checked.
type Completer interface{ Complete(question string) }

// A Spec defines a task, and is one. Make alone holds chance; everything else
// about a problem follows from the Instance that Make returned. A [Set] and With give
// tasks that make problems faster.
type Spec[P Params, I Instance] struct {
	Name     string                        // unique, snake_case; also the name of the file and the golden
	Category string                        // that of reasoning-gym, if it has the task: "arithmetic", "games", …; rooms are cut by other lines
	Doc      string                        // one sentence, then anything else worth knowing
	Source   string                        // where the idea or the data comes from, with its licence
	Version  int                           // raised by one whenever a golden file changes
	Default  P                             // settings that With starts from; those of reasoning-gym
	Levels   []P                           // a full set of parameters for each difficulty, easiest first, at least four
	Make     func(P, *rng.Rand) (I, error) // the Instance does not keep the stream

	// Many says that a problem has many right answers, which differ in more than
	// their spelling: Score checks an answer rather than comparing it with Solve's.
	Many bool

	// Surface says why more than 0.2 can be earned above level 1 by what [SurfaceRate]
	// measures, if so.
	Surface string

	// Refuses names the forms of a right answer that are refused on purpose, each with
	// the reason. The forms are those of package tasktest, such as "in bold".
	Refuses map[string]string

	own   bool   // the parameters were set by With
	ready *ready // what its problems share; nil: each finds it out for itself
}

// ready is what the problems of a Spec share, so that it is not made for each.
type ready struct {
	levels func() []level // worked out at the first call
	rands  sync.Pool      // of *rng.Rand
}

// A level is one set of parameters, written, and the name of its streams of chance.
type level struct {
	params  json.RawMessage
	streams rng.Name
}

// Info implements [quintain.Task].
func (s Spec[P, I]) Info() quintain.Info {
	info := quintain.Info{Name: s.Name, Category: s.Category, Doc: s.Doc, Source: s.Source, Version: s.Version, Many: s.Many, Surface: s.Surface, Refuses: s.Refuses}
	if s.ready != nil {
		for _, l := range s.ready.levels() {
			info.Levels = append(info.Levels, l.params)
		}
		return info
	}
	for _, p := range s.Levels {
		info.Levels = append(info.Levels, mustJSON(p))
	}
	return info
}

// head implements header.
func (s Spec[P, I]) head() (category, name string) { return s.Category, s.Name }

// header is a task that can say what it is called without writing its levels.
type header interface {
	head() (category, name string)
}

// Head returns the category and the name of a task, as its Info does. For a [Spec] it is much
// quicker.
func Head(t quintain.Task) (category, name string) {
	if h, can := t.(header); can {
		return h.head()
	}
	info := t.Info()
	return info.Category, info.Name
}

// With implements [quintain.Task].
func (s Spec[P, I]) With(params json.RawMessage) (quintain.Task, error) {
	var p P // a deep copy of Default: decoding writes into the slices that are there
	if err := decodeStrict(mustJSON(s.Default), &p); err != nil {
		return nil, fmt.Errorf("task %s: its defaults: %w", s.Name, err)
	}
	if err := decodeStrict(params, &p); err != nil {
		return nil, fmt.Errorf("task %s: params: %w", s.Name, explain(err, mustJSON(s.Default)))
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("task %s: params: %w", s.Name, err)
	}
	s.Levels, s.own = []P{p}, true
	return s.prepare(), nil
}

// preparer is a task that can work out beforehand what its problems share.
type preparer interface{ prepare() quintain.Task }

// prepare implements preparer.
func (s Spec[P, I]) prepare() quintain.Task {
	plain := s
	s.ready = &ready{levels: sync.OnceValue(func() (all []level) {
		for _, p := range plain.Levels {
			all = append(all, plain.level(p))
		}
		return all
	})}
	return s
}

// level writes p, and names the streams of its problems.
func (s *Spec[P, I]) level(p P) level {
	params := mustJSON(p)
	return level{params, rng.Named(s.Name, string(params))}
}

// Problem implements [quintain.Task].
func (s Spec[P, I]) Problem(d quintain.Draw) (quintain.Problem, error) {
	switch {
	case d.Level < 0 || d.Level >= len(s.Levels):
		return quintain.Problem{}, fmt.Errorf("task %s: level is %d, want 0 to %d", s.Name, d.Level, len(s.Levels)-1)
	case d.Index < 0:
		return quintain.Problem{}, fmt.Errorf("task %s: index is %d, want 0 or more", s.Name, d.Index)
	}
	name := d.Level
	if s.own {
		name = quintain.OwnParams
	}
	inst, params, err := s.draw(d)
	if err != nil {
		return quintain.Problem{}, fmt.Errorf("task %s: seed %d, level %d, index %d: %w", s.Name, d.Seed, name, d.Index, err)
	}
	return quintain.Problem{
		Task: s.Name, Version: s.Version,
		Seed: d.Seed, Level: name, Index: d.Index,
		Params: params, Prompt: inst.Prompt(), Instance: quintain.NewRecord(inst),
	}, nil
}

// draw makes the instance that d names, and returns its parameters too.
func (s *Spec[P, I]) draw(d quintain.Draw) (I, json.RawMessage, error) {
	p := s.Levels[d.Level]
	if s.ready == nil {
		level := s.level(p)
		inst, err := s.Make(p, level.streams.Stream(d.Seed, d.Index))
		return inst, level.params, err
	}
	r, kept := s.ready.rands.Get().(*rng.Rand)
	if !kept {
		r = new(rng.Rand)
	}
	defer s.ready.rands.Put(r)
	level := s.ready.levels()[d.Level]
	level.streams.Restart(r, d.Seed, d.Index)
	inst, err := s.Make(p, r)
	return inst, level.params, err
}

// Grade implements [quintain.Task]. A text that is not right as it stands gets the best
// verdict of its [answer.Readings]: a right answer in another form is right.
func (s Spec[P, I]) Grade(p quintain.Problem, text string) (quintain.Verdict, error) {
	inst, err := s.instance(p)
	if err != nil {
		return quintain.Verdict{}, err
	}
	best := inst.Score(text)
	if best.Score == 1 {
		return best, nil
	}
	for _, reading := range answer.Readings(text) {
		if v := inst.Score(reading); v.Score > best.Score || v.Score == best.Score && best.Malformed {
			best = v
		}
	}
	return best, nil
}

// Ready returns p with its record in the task's own type, so that Grade need not read it
// again. The error is that of Grade.
func (s Spec[P, I]) Ready(p quintain.Problem) (quintain.Problem, error) {
	inst, err := s.instance(p)
	if err != nil {
		return p, err
	}
	p.Instance = quintain.NewRecord(inst)
	return p, nil
}

// Solve implements [quintain.Task].
func (s Spec[P, I]) Solve(p quintain.Problem) (string, error) {
	inst, err := s.instance(p)
	if err != nil {
		return "", err
	}
	return inst.Solve(), nil
}

// Short implements [quintain.Shortener]. A task without a [Shortener] asks its whole
// prompt.
func (s Spec[P, I]) Short(p quintain.Problem) (string, error) {
	inst, err := s.instance(p)
	if err != nil {
		return "", err
	}
	if short, can := any(inst).(Shortener); can {
		return short.Short(), nil
	}
	return p.Prompt, nil
}

// Key implements [quintain.Keyer]: the key of what the task's [Canonicalizer] says, of
// the short question of its [Shortener], or else of the prompt: of the first that there
// is.
func (s Spec[P, I]) Key(p quintain.Problem) (quintain.Key, error) {
	inst, err := s.instance(p)
	if err != nil {
		return quintain.Key{}, err
	}
	asked := ""
	switch inst := any(inst).(type) {
	case Canonicalizer:
		asked = inst.Canonical()
	case Shortener:
		asked = inst.Short()
	}
	if asked == "" {
		asked = p.Prompt
	}
	return quintain.NewKey(asked), nil
}

// Choices implements [quintain.Chooser]; 0 if the task has no [Chooser].
func (s Spec[P, I]) Choices(p quintain.Problem) (int, error) {
	inst, err := s.instance(p)
	if err != nil {
		return 0, err
	}
	if c, can := any(inst).(Chooser); can {
		return c.Choices(), nil
	}
	return 0, nil
}

// checked is an Instance that can check a record read from outside: Grade and Solve
// refuse a problem whose record is invalid.
type checked interface{ Check() error }

// instance returns p's record in the task's own type.
func (s *Spec[P, I]) instance(p quintain.Problem) (I, error) {
	if inst, ours := p.Instance.Value().(I); ours && p.Task == s.Name {
		return inst, nil
	}
	return s.read(p)
}

// read reads p's record back into the task's own type.
func (s *Spec[P, I]) read(p quintain.Problem) (inst I, err error) {
	if p.Task != s.Name {
		return inst, fmt.Errorf("task %s: the problem is of task %q", s.Name, p.Task)
	}
	raw, err := p.Instance.JSON()
	if err == nil {
		err = decodeStrict(raw, &inst)
	}
	if err != nil {
		return inst, fmt.Errorf("task %s: instance: %w", s.Name, err)
	}
	if c, can := any(&inst).(Completer); can {
		c.Complete(p.Prompt)
	}
	if c, can := any(inst).(checked); can {
		if err := c.Check(); err != nil {
			return inst, fmt.Errorf("task %s: instance: %w", s.Name, err)
		}
	}
	return inst, nil
}

// decodeStrict reads one JSON value into v and refuses names that v lacks.
func decodeStrict(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one JSON value")
	}
	return nil
}

// mustJSON encodes a task's own plain record; a record that cannot be encoded is
// a fault in the task, which tasktest finds.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("task: %T: %v", v, err))
	}
	return b
}
