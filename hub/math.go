package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
)

// The limits of a request to compare mathematical answers.
const (
	maxBody  = 8 << 20
	maxPairs = 1000
)

// A question is one pair, or several.
type question struct {
	mathverify.Pair
	Pairs []mathverify.Pair `json:"pairs"`
}

// verifyMath compares the answers of a request with their references, and returns the body of
// the reply. A route may return its errors.
func verifyMath(c *web.Call) (body []byte, err error) {
	c.MaxBody = maxBody
	q, err := web.ReadBody(c, decode)
	if err != nil {
		return nil, err
	}
	err = c.Compute(func() (err error) {
		body, err = q.answer(c.Context())
		return err
	})
	return body, err
}

// decode reads a question.
func decode(body []byte) (q question, err error) {
	if err := strictjson.Unmarshal(body, &q); err != nil {
		return q, web.Errorf(http.StatusBadRequest, `the body is neither {"gold","answer"} nor {"pairs"}: %v`, strictjson.Explain(err))
	}
	if len(q.Pairs) > maxPairs {
		return q, web.Errorf(http.StatusRequestEntityTooLarge, "pairs has %d members, want at most %d: send several requests", len(q.Pairs), maxPairs)
	}
	return q, nil
}

// answer compares the pairs: one verdict for one, or a list for several.
func (q question) answer(ctx context.Context) ([]byte, error) {
	if q.Pairs == nil {
		verdict, err := q.Verify(ctx)
		if err != nil {
			return nil, web.Errorf(http.StatusUnprocessableEntity, "%v", err)
		}
		return json.Marshal(verdict)
	}
	verdicts := make([]mathverify.Verdict, len(q.Pairs))
	for i, pair := range q.Pairs {
		verdict, err := pair.Verify(ctx)
		if err != nil {
			return nil, web.Errorf(http.StatusUnprocessableEntity, "pairs.%d: %v", i, err)
		}
		verdicts[i] = verdict
	}
	body, err := json.Marshal(verdicts)
	return fmt.Appendf(nil, `{"verdicts":%s}`, body), err
}
