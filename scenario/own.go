package scenario

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// An Advised is an episode that knows what to reply next.
type Advised interface {
	quintain.Env
	Advice() quintain.Advice
}

// An Own is a [Play] of the one task that shares its name, without settings. It is a [Fitter] and a
// [quintain.Adviser].
type Own struct {
	Name  string                                  // of the scenario and the task
	Begin func(quintain.Problem) (Advised, error) // returns a new episode
}

// Declare implements [settings.Declarer].
func (o *Own) Declare(*settings.Section) {}

// Fits implements [Fitter].
func (o *Own) Fits(t quintain.Task) error {
	if name := t.Info().Name; name != o.Name {
		return fmt.Errorf("it plays problems of its own: choose task %s, not %s", o.Name, name)
	}
	return nil
}

// Env implements [Play].
func (o *Own) Env(_ quintain.Task, p quintain.Problem) (quintain.Env, error) { return o.Begin(p) }

// Advise implements [quintain.Adviser], by an episode in which all was said.
func (o *Own) Advise(ctx context.Context, p quintain.Problem, said []quintain.Reply) (advice quintain.Advice, err error) {
	e, err := o.Begin(p)
	if err != nil {
		return advice, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for _, reply := range said {
		if _, err := e.Step(ctx, reply); err != nil {
			return advice, err
		}
	}
	return e.Advice(), nil
}
