package external

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// PolicyRole names the policy among the models of an episode.
const PolicyRole = "policy"

// A Model is where a program that drives its own loop calls a model, by the interface of OpenAI.
type Model struct {
	URL string `json:"url"` // with its /v1
	Key string `json:"key"`
}

// mostModels is the most models that a program calls besides the policy.
const mostModels = 16

// checkLoop checks what a hello says of a program that drives its own loop.
func (h *Hello) checkLoop() error {
	switch {
	case !h.Drives && len(h.Models) > 0:
		return errors.New("hello: it has models, and drives is not true")
	case h.Drives && h.Levels == nil && len(h.Splits) == 0:
		return errors.New("hello: it drives its own loop, and has no problems of its own: want splits or levels")
	case len(h.Models) > mostModels:
		return fmt.Errorf("hello: it has %s, want at most %d", stats.Count(len(h.Models), "model"), mostModels)
	}
	for i, role := range h.Models {
		if len(role) > 64 || !nameForm().MatchString(role) || role == PolicyRole || slices.Contains(h.Models[:i], role) {
			return fmt.Errorf("hello: a model is called %q, want names in snake_case, each once, and none that is policy", clip(role))
		}
	}
	return nil
}

// Drives reports whether the program calls the policy itself: [Program.Play] then plays its
// problems, and its environments do not.
func (p *Program) Drives() bool { return p.hello.Drives }

// Models returns the roles of the models that the program calls besides the policy. The caller must
// not change them.
func (p *Program) Models() []string { return p.hello.Models }

// Parallel returns how many episodes the program plays at once, in all its processes.
func (p *Program) Parallel() int { return p.hello.Parallel * len(p.slots) }

// Play has the program play one of its own problems with models, by their roles, and returns the end of
// the episode. It sets no time limit: when ctx ends, the program is told that the episode is given up,
// and has [Settings.AnswerTime] to end it. The error is [quintain.ErrLost] if the program never got
// the problem or says that the replies are not the cause, and [quintain.ErrStop] after too many restarts.
func (p *Program) Play(ctx context.Context, problem *quintain.Problem, models map[string]Model) (quintain.Step, error) {
	s, err := p.take()
	if err != nil {
		return quintain.Step{}, err
	}
	defer p.leave(s)
	l, err := p.reach(ctx, s)
	if err != nil {
		return quintain.Step{}, err
	}
	a, err := l.ask(ctx, &Request{ID: p.number(), Play: p.asked(*problem), Models: models})
	if err != nil {
		return quintain.Step{}, err
	}
	if err := a.wait(ctx); err != nil {
		return quintain.Step{}, err
	}
	end, err := a.played()
	if err == nil {
		err = p.hello.total(end.Reward, &end)
	}
	return end, p.blame(err)
}

// played converts the answer to the end of an episode that the program played.
func (a *Answer) played() (quintain.Step, error) {
	switch {
	case a.Error == "" && a.End == quintain.Going:
		return quintain.Step{}, errors.New("an episode that it played has no end")
	case a.Error == "" && a.Grade != nil:
		return quintain.Step{}, errors.New("grade: there is no task, because the problem is the program's own")
	}
	return a.step()
}

// unlimited is the time limit of an episode that the program plays: whoever has it played limits it.
const unlimited = time.Duration(math.MaxInt64)

// giveUp tells the program that an episode which it plays is given up, and limits the time until it
// answers.
func (p *process) giveUp(ctx context.Context, id uint64, c *call) {
	line, err := (&Request{ID: id, Close: &struct{}{}}).line()
	if err != nil {
		return // it holds numbers alone
	}
	p.mu.Lock()
	open := p.waiting[id] == c
	if open {
		c.timer.Stop()
		c.timer = time.AfterFunc(p.how.AnswerTime, func() {
			_ = p.end(fmt.Errorf("the program did not give up an episode within %v, and was killed", p.how.AnswerTime))
		})
	}
	p.mu.Unlock()
	if open {
		p.write(ctx, line)
	}
}
