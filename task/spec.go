package task

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Spec describes a task, which its method Task makes. Make alone holds chance; everything
// else about a problem follows from the Instance that Make returned.
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
}

// Task returns the task that s describes, which keeps s. It is also a [quintain.Shortener], a
// [quintain.Keyer] and a [quintain.Chooser]. Many goroutines may use it.
func (s *Spec[P, I]) Task() quintain.Task {
	levels := make([]any, len(s.Levels))
	for i := range s.Levels {
		levels[i] = &s.Levels[i]
	}
	return newTask(quintain.Info{
		Name: s.Name, Category: s.Category, Doc: s.Doc, Source: s.Source, Version: s.Version,
		Many: s.Many, Surface: s.Surface, Refuses: s.Refuses,
	}, s, levels)
}

// typed is what a Spec does because it alone knows its types. It is compiled for each Spec, so
// everything else is in [task], which is compiled once.
type typed interface {
	defaults() any                                      // a *P
	newParams() any                                     // a *P
	draw(params any, r *rng.Rand) (Instance, error)     // params is a *P
	own(record any) (inst Instance, is bool)            // whether record is an I
	read(decode func(inst any) error) (Instance, error) // decode gets a *I
}

// defaults implements typed.
func (s *Spec[P, I]) defaults() any { return &s.Default }

// newParams implements typed.
func (s *Spec[P, I]) newParams() any { return new(P) }

// draw implements typed.
func (s *Spec[P, I]) draw(params any, r *rng.Rand) (Instance, error) { return s.Make(*params.(*P), r) }

// own implements typed.
func (s *Spec[P, I]) own(record any) (Instance, bool) {
	inst, is := record.(I)
	return inst, is
}

// read implements typed.
func (s *Spec[P, I]) read(decode func(inst any) error) (Instance, error) {
	var inst I
	err := decode(&inst)
	return inst, err
}
