package task

import (
	"reflect"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Spec describes a task; its method Task makes it. P are the settings of one difficulty, a struct
// with its bounds in tags ([Check]); their JSON names are reasoning-gym's, if it has the task. Make
// alone holds chance; everything else about a problem follows from the Instance that Make returned.
type Spec[P any, I Instance] struct {
	Name     string                        // unique, snake_case; also the name of the file and the golden
	Category string                        // "arithmetic", "games", …, as in reasoning-gym if it has the task; independent of the room
	Doc      string                        // one sentence, then any further notes
	Source   string                        // origin of the idea or the data, with its licence
	Version  int                           // raised by one whenever a golden file changes
	Default  P                             // With starts from these; reasoning-gym's settings
	Levels   []P                           // a full set of parameters for each difficulty, easiest first, at least four
	Make     func(P, *rng.Rand) (I, error) // the Instance must not keep the stream

	// Ask are the wordings of the question; the record's phrasing, the field of that name in JSON, chooses
	// one. A gap in braces stands for a field of the record, by its JSON name, such as {puzzle.target}, or for what the
	// record fills in ([Filler]). {words:, } puts a comma and a space between the elements of a list, and {words:and} writes
	// it as in "a, b and c"; {sum:solid} is a text without its spaces. Form says after each of them how to answer. A [Prompter] needs neither.
	Ask  []string
	Form string

	// Short is the question in a few characters, with gaps as in Ask, for policies with a short context. The form of
	// the answer is that of Form. Two instances with the same short question ask the same.
	Short string

	// Match scores an answer against Solve's, such as [MatchNumber]. A [Scorer] needs none.
	Match func(got, want string) quintain.Verdict

	// Many says that a problem has many right answers, different in more than spelling: Score
	// checks an answer rather than comparing it with Solve's.
	Many bool

	// Prose says that the answer is a text of several sentences. No reading of it rewrites brackets,
	// numbers and words as those of a value ([answer.TextReadings]).
	Prose bool

	// List says that the answer is a list, and how Score reads one: the text between its elements,
	// [answer.AsJSON] or [answer.AsLists]. Lists in other notations reach Score in this one.
	List string

	// Surface is the reason why [SurfaceRate] finds more than 0.2 above level 1, if it does.
	Surface string

	// Few gives, for each of the first levels that has few problems by nature, the reason: a
	// policy may know most of them by heart. Elsewhere an empty text, and after the last none.
	// The key then stands for a whole class of problems, if the answer to one gives away
	// the others, so that a class is either trained on or held out.
	Few []string

	// Refuses gives, for each form of a right answer that is refused on purpose, the reason.
	// Package tasktest names the forms, such as "in bold".
	Refuses map[string]string
}

// Task returns the task that s describes; it keeps s. It is also a [quintain.Shortener], a
// [quintain.Keyer] and a [quintain.Chooser]. Many goroutines may use it.
func (s *Spec[P, I]) Task() quintain.Task {
	levels := make([]any, len(s.Levels))
	for i := range s.Levels {
		levels[i] = &s.Levels[i]
	}
	return newTask(quintain.Info{
		Name: s.Name, Category: s.Category, Doc: s.Doc, Source: s.Source, Version: s.Version,
		Many: s.Many, Surface: s.Surface, Few: s.Few, Refuses: s.Refuses,
	}, s, levels)
}

// Reader returns what reads the record of a problem of the task; s must not change any more. An error says what in the
// record is invalid. Many goroutines may call it.
func (s *Spec[P, I]) Reader() func(quintain.Problem) (I, error) {
	t := newTask(quintain.Info{Name: s.Name}, s, nil)
	return func(p quintain.Problem) (inst I, err error) {
		read, err := t.instance(p)
		if err != nil {
			return inst, err
		}
		return read.(I), nil
	}
}

// Scorer returns what grades answers to inst as they stand, without other readings of them.
func (s *Spec[P, I]) Scorer(inst I) func(answer string) quintain.Verdict {
	f := s.frame()
	return func(answer string) quintain.Verdict { return f.score(inst, answer) }
}

// typed is the part of a Spec that needs its types. It is compiled for each Spec, so
// everything else is in [task], compiled once.
type typed interface {
	defaults() any                                  // a *P
	newParams() any                                 // a *P
	draw(params any, r *rng.Rand) (Instance, error) // params is a *P
	record() reflect.Type
	frame() *frame
	prose() bool
	list() string
	own(record any) (inst Instance, ok bool)            // is: record is an I
	read(decode func(inst any) error) (Instance, error) // decode gets a *I
}

func (s *Spec[P, I]) defaults() any { return &s.Default }

func (s *Spec[P, I]) newParams() any { return new(P) }

func (s *Spec[P, I]) draw(params any, r *rng.Rand) (Instance, error) { return s.Make(*params.(*P), r) }

func (s *Spec[P, I]) record() reflect.Type { return reflect.TypeFor[I]() }

func (s *Spec[P, I]) frame() *frame {
	return newFrame(s.record(), texts{s.Ask, s.Form, s.Short, s.Match})
}

func (s *Spec[P, I]) prose() bool { return s.Prose }

func (s *Spec[P, I]) list() string { return s.List }

func (s *Spec[P, I]) own(record any) (Instance, bool) {
	inst, ok := record.(I)
	return inst, ok
}

func (s *Spec[P, I]) read(decode func(inst any) error) (Instance, error) {
	var inst I
	err := decode(&inst)
	return inst, err
}
