package watch

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// A search for a text ends when the page is full, or after a multiple of searchedRows groups
// once searchTime has passed.
const (
	searchedRows = 2_000
	searchTime   = time.Second
)

// A hunt is the result of a search for a text.
type hunt struct {
	Entries  []trace.Entry
	Searched int       // groups
	More     bool      // it stopped before it had found enough
	Last     trace.Ref // the last searched group
}

// search finds groups of a query that contain a text, as many as the query's limit. Other
// computations get their turn after each group.
func (s *Server) search(c *web.Call, q trace.Query, text string, within time.Duration) (h hunt, err error) {
	want := q.Limit
	q.Limit = searchedRows
	for began := time.Now(); ; {
		found := s.trace.find(q)
		for _, e := range found {
			if err := c.Compute(func() error { return s.searchGroup(&h, e, text) }); err != nil {
				return h, err
			}
			if len(h.Entries) == want {
				return h, nil
			}
		}
		if len(found) < searchedRows {
			return h, nil
		}
		q.After = h.Last
		if time.Since(began) >= within {
			h.More = true
			return h, nil
		}
	}
}

// searchGroup searches one group.
func (s *Server) searchGroup(h *hunt, e trace.Entry, text string) error {
	h.Searched++
	h.Last = e.Ref
	r, err := s.trace.now().Read(e.Ref)
	if errors.Is(err, trace.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if contains(r, text) {
		h.Entries = append(h.Entries, e)
	}
	return nil
}

// contains reports whether a group contains a text, in any case.
func contains(r *trace.Record, text string) bool {
	text = strings.Map(unicode15.ToLower, text)
	has := func(s string) bool { return strings.Contains(strings.Map(unicode15.ToLower, s), text) }
	return slices.ContainsFunc(r.Episodes, func(e quintain.Trajectory) bool {
		return has(e.Error) || slices.ContainsFunc(e.Turns, func(t quintain.Turn) bool {
			told := func(m quintain.Message) bool { return has(m.Text()) }
			return has(t.Reply) || has(t.Reasoning) || has(t.Why) || slices.ContainsFunc(t.Observed, told)
		})
	})
}
