package nemogym

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
)

// A grade is added to a row by /verify.
type grade struct {
	Reward    float64 `json:"reward"`
	Extracted string  `json:"extracted_answer"` // empty: none found
	Reason    string  `json:"reason"`           // reason for the reward, for people
	Malformed bool    `json:"malformed"`        // no readable answer
}

// verify judges the response of a row, and returns the row with the grade.
func (s *server) verify(c *web.Call) error {
	return answerBody(c, func(body []byte) ([]byte, error) {
		r, _ := s.readers.Get().(*reader)
		defer s.readers.Put(r)
		it, err := s.read(c, r, body)
		if err != nil {
			return nil, err
		}
		replies, err := r.repliesOf(r.row.Value(rowResponse))
		if err != nil {
			return nil, invalid(err)
		}
		step, err := s.graded(c, it, replies, len(body))
		if err != nil {
			return nil, err
		}
		added, err := json.Marshal(grade{step.Reward, step.Answer, step.Why, step.Malformed})
		if err != nil {
			return nil, err
		}
		return r.echo(body, added)
	})
}

// graded judges the replies of a row whose body has so many bytes.
func (s *server) graded(c *web.Call, it row, replies []quintain.Reply, bytes int) (step quintain.Step, err error) {
	if it.scenario == byJudge {
		c.Waits = true
		reply := replies[len(replies)-1].Text
		v, err := s.ask(c, it.problem, reply)
		if _, known := errors.AsType[*web.Error](err); err != nil && !known {
			err = invalid(err)
		}
		return quintain.Step{Answer: reply, Reward: v.Score, Malformed: v.Malformed, Why: v.Reason}, err
	}
	err = compute(c, bytes, func() (err error) {
		if step, err = s.judge(c, it, replies); err != nil {
			return invalid(err)
		}
		return nil
	})
	return step, err
}

// small limits the bytes of a body that is judged at once, not in its turn.
const small = 64 << 10

// compute calls f, in its turn if the body is large.
func compute(c *web.Call, bytes int, f func() error) error {
	if bytes <= small {
		return f()
	}
	return c.Compute(f)
}

// echo returns the row that r has read, with the members of another object, which replace
// those of the row.
func (r *reader) echo(body, added []byte) ([]byte, error) {
	for own := rowOwn; own < rowEnd; own++ {
		if r.row.Value(own) != nil {
			return replaced(body, added)
		}
	}
	row := bytes.TrimRight(body, " \t\r\n")
	text := make([]byte, 0, len(row)+len(added))
	text = append(text, row[:len(row)-1]...)
	text = append(text, ',')
	return append(text, added[1:]...), nil
}

// replaced merges the members of two objects; those of the second win.
func replaced(first, second []byte) ([]byte, error) {
	members := map[string]json.RawMessage{}
	for _, object := range [][]byte{first, second} {
		if err := strictjson.Unmarshal(object, &members); err != nil {
			return nil, web.Errorf(http.StatusBadRequest, "the body is not a row: %v", err)
		}
	}
	return json.Marshal(members)
}
