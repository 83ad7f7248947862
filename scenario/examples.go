package scenario

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// mostExamples bounds the solved problems before a question.
const mostExamples = 64

// Examples says how many solved problems stand before a question, as turns of user and assistant.
type Examples struct {
	Count int
	Fixed bool // the same before all problems of a task and level
}

// Declare declares the settings examples and examples_fixed.
func (e *Examples) Declare(d *settings.Section) {
	d.Int(&e.Count, "examples", "solved problems before the question, as turns of user and assistant: other ones of its task and level, never held out; "+
		"the policy reads them and is not trained on them. Their answers come without reasoning").Between(0, mostExamples).Sparse()
	d.Bool(&e.Fixed, "examples_fixed", "the same examples before all problems of a task and level").Sparse()
}

// Ask returns the examples before p, a problem of t, and p's question; with short it is the short one, if t has one.
// The examples are the next problems of p's stream, or with Fixed the first of a stream of their own, that are not
// held out and ask otherwise than p and than each other. So they follow from p, in every process and for all replies
// to it. A level with fewer such problems has fewer examples. reply returns what gives a solution.
func (e Examples) Ask(t quintain.Task, p quintain.Problem, short bool, reply func(solution string) string) (talk []quintain.Message, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asking %s: %w", p.ID(), err)
		}
	}()
	solved, err := e.draw(t, p)
	if err != nil {
		return nil, err
	}
	for _, one := range solved {
		asked, err := question(t, one, short)
		if err != nil {
			return nil, err
		}
		solution, err := t.Solve(one)
		if err != nil {
			return nil, err
		}
		talk = append(talk, asked, quintain.Message{Role: quintain.RoleAssistant, Content: reply(solution)})
	}
	asked, err := question(t, p, short)
	return append(talk, asked), err
}

// question returns the question of a problem of t.
func question(t quintain.Task, p quintain.Problem, short bool) (quintain.Message, error) {
	asked, err := quintain.Message{Role: quintain.RoleUser, Content: p.Prompt}, error(nil)
	if s, can := t.(quintain.Shortener); short && can {
		asked.Content, err = s.Short(p)
	}
	return asked, err
}

// fixedSeed is the seed of examples that are the same for all problems.
const fixedSeed = 0x65786d70_6c657321

// draw returns the problems of the examples before p.
func (e Examples) draw(t quintain.Task, p quintain.Problem) (drawn []quintain.Problem, err error) {
	if e.Count == 0 {
		return nil, nil
	}
	key, err := quintain.KeyOf(t, p)
	if err != nil {
		return nil, err
	}
	d, tries, size := quintain.Draw{Seed: p.Seed, Level: p.Level}, 100*(e.Count+1), 0
	if p.Level == quintain.OwnParams {
		if t, err = t.With(p.Params); err != nil {
			return nil, err
		}
		d.Level = 0
	}
	if f, can := t.(quintain.Finite); can {
		size = f.Size(d.Level)
	}
	first := p.Index + 1
	if e.Fixed {
		d.Seed, first = fixedSeed, 0
	}
	seen := map[quintain.Key]bool{key: true}
	for n := 0; n < tries && len(drawn) < e.Count; n++ {
		if d.Index = first + n; size > 0 {
			tries = min(tries, size)
			d.Index = first - first%size + (first+n)%size // of the same pass through the file
		}
		one, err := t.Problem(d)
		if err != nil {
			return nil, err
		}
		if key, err = quintain.KeyOf(t, one); err != nil {
			return nil, err
		}
		if !seen[key] && !key.HeldOut() {
			seen[key], drawn = true, append(drawn, one)
		}
	}
	return drawn, nil
}
