package serve

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/policy/judge"
)

// byJudge stands for a scenario in a request: the server's judge grades the reply.
const byJudge = "judge"

// openJury returns the judge of the settings; nil: there is none.
func openJury(s Settings) (*judge.Jury, error) {
	if s.Judge == "" {
		return nil, nil
	}
	j, err := judge.ReadJury(s.Judge)
	if err != nil {
		return nil, err
	}
	if mode := j.Config.Rubric.Mode; mode != judge.Absolute {
		return nil, errors.Join(errors.New("the rubric's mode is "+mode+", which compares replies: want "+judge.Absolute), j.Close())
	}
	return j, nil
}

// answerGrade answers a request to grade. One that may wait for a judge holds no core.
func (p plain) answerGrade(c *web.Call) error {
	if p.jury == nil {
		return answer(p.grade)(c)
	}
	c.MaxBody = maxBody
	text, err := web.ReadBody(c, func(body []byte) (text []byte, err error) {
		if mayAsk(body) {
			c.Waits = true
			return p.grade(c, body)
		}
		err = c.Compute(func() (err error) {
			text, err = p.grade(c, body)
			return err
		})
		return text, err
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, text)
}

// mayAsk reports whether a request may be for the judge.
func mayAsk(body []byte) bool { return bytes.Contains(body, []byte(byJudge)) }

// all calls do for each item: at once if the judge may be asked.
func (p plain) all(c *web.Call, items []item, do func(i int) error) error {
	if !c.Waits {
		for i := range items {
			if err := c.Context().Err(); err != nil {
				return err
			}
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	faults := make([]error, len(items))
	var all sync.WaitGroup
	for i := range items {
		all.Go(func() { faults[i] = do(i) })
	}
	all.Wait()
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}

// refused returns an error of an item, with its place: one of package web keeps its status, and
// others are about the request.
func refused(place string, err error) error {
	if of, ok := errors.AsType[*web.Error](err); ok {
		return web.Errorf(of.Status, "%s%s", place, of.Detail)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return invalid("%s%v", place, err)
}

// ask has the judge grade a reply. Without a verdict the error has the status 503: the same request
// may be made again, and then asks only for what the judge's cache lacks.
func (p plain) ask(c *web.Call, problem quintain.Problem, reply string) (v pipe.Verdict, err error) {
	if p.jury == nil {
		return v, errors.New("scenario: this server has no judge: start it with --serve-judge FILE")
	}
	it := judge.Item{Key: problem.ID(), Question: problem.Prompt}.Shown(reply)
	if p.jury.Config.Rubric.Reference != "" {
		t, err := p.book.Tasks().Get(problem.Task)
		if err != nil {
			return v, err
		}
		if it.Reference, err = t.Solve(problem); err != nil {
			return v, err
		}
	}
	verdict, err := p.jury.Judge.Grade(c.Context(), it)
	if errors.Is(err, quintain.ErrUngraded) {
		c.W.Header().Set("Retry-After", "10")
		return v, web.Errorf(http.StatusServiceUnavailable, "%s", strings.ToValidUTF8(err.Error(), "?"))
	}
	return pipe.Verdict{Score: verdict.Score, Malformed: verdict.Malformed, Reason: verdict.Why}, err
}
