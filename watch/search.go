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

// search fills the page with matching groups that contain its text. Other computations get
// their turn after each group.
func (s *Server) search(c *web.Call, p *groupsPage) error {
	q := p.query
	q.Limit = searchedRows
	for began := time.Now(); ; {
		found := s.trace.find(q)
		for _, e := range found {
			if err := c.Compute(func() error { return s.searchGroup(p, e) }); err != nil {
				return err
			}
			if len(p.Entries) == pageRows {
				p.Next = p.address(p.By, p.order(), formatRef(e.Ref))
				return nil
			}
		}
		if len(found) < searchedRows {
			return nil
		}
		q.After = found[searchedRows-1].Ref
		if time.Since(began) >= s.searchTime {
			p.More, p.Next = true, p.address(p.By, p.order(), formatRef(q.After))
			return nil
		}
	}
}

// searchGroup adds a group to the page if it contains the text.
func (s *Server) searchGroup(p *groupsPage, e trace.Entry) error {
	p.Searched++
	r, err := s.trace.now().Read(e.Ref)
	if errors.Is(err, trace.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if contains(r, p.Text) {
		p.Entries = append(p.Entries, e)
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
