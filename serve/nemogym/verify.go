package nemogym

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

// A grade is what /verify adds to a row.
type grade struct {
	Reward    float64 `json:"reward"`
	Extracted string  `json:"extracted_answer"` // empty: none was found
	Reason    string  `json:"reason"`           // why the reward is what it is, for people
	Malformed bool    `json:"malformed"`        // no answer could be read
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
		var step quintain.Step
		err = compute(c, len(body), func() error {
			if step, err = s.judge(c, it, replies); err != nil {
				return invalid(err)
			}
			return nil
		})
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

// small is how many bytes a body has at most that is judged at once, not in its turn.
const small = 64 << 10

// compute calls f, in its turn if the body has many bytes.
func compute(c *web.Call, bytes int, f func() error) error {
	if bytes <= small {
		return f()
	}
	return c.Compute(f)
}

// echo returns the row that r has read, with the members of another object added. They
// take the place of those of the row.
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

// replaced returns the members of two objects: of a name that both have, that of the
// second.
func replaced(first, second []byte) ([]byte, error) {
	members := map[string]json.RawMessage{}
	for _, object := range [][]byte{first, second} {
		if err := json.Unmarshal(object, &members); err != nil {
			return nil, web.Errorf(http.StatusBadRequest, "the body is not a row: %v", err)
		}
	}
	return json.Marshal(members)
}
