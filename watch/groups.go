package watch

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// pageRows is the number of groups on a page.
const pageRows = 50

// A selection is the query of the page of groups, with the fields of its address.
type selection struct {
	Task, Level, Outcome, Drop, Text, Group string
	MinScore, MaxScore                      string
	MinVersion, MaxVersion                  string
	By, After                               string
	Oldest                                  bool // oldest or lowest first

	query trace.Query
}

// parseSelection parses an address.
func parseSelection(q url.Values) (s selection, err error) {
	s = selection{
		Task: q.Get("task"), Level: q.Get("level"), Outcome: q.Get("outcome"), Drop: q.Get("drop"), Text: q.Get("text"), Group: q.Get("group"),
		MinScore: q.Get("min_score"), MaxScore: q.Get("max_score"), MinVersion: q.Get("min_version"), MaxVersion: q.Get("max_version"),
		By: q.Get("by"), After: q.Get("after"), Oldest: q.Get("order") == "up",
	}
	s.query = trace.Query{
		Task: s.Task, Group: strings.TrimSpace(s.Group), Outcome: quintain.Outcome(s.Outcome), Drop: s.Drop,
		By: trace.Order(s.By), Newest: !s.Oldest, Limit: pageRows,
	}
	switch s.query.By {
	case trace.ByTime, trace.ByScore, trace.ByTokens, trace.ByVersion:
	default:
		return s, fmt.Errorf("by: is %q, want score, tokens or version", s.By)
	}
	if s.After != "" {
		if s.query.After, err = parseRef(s.After); err != nil {
			return s, fmt.Errorf("after: %w", err)
		}
	}
	for _, n := range []struct {
		name, text string
		to         **int
	}{{"level", s.Level, &s.query.Level}, {"min_version", s.MinVersion, &s.query.MinVersion}, {"max_version", s.MaxVersion, &s.query.MaxVersion}} {
		if n.text == "" {
			continue
		}
		v, err := strconv.Atoi(n.text)
		if err != nil {
			return s, fmt.Errorf("%s: is %q, want a whole number", n.name, n.text)
		}
		*n.to = &v
	}
	for _, n := range []struct {
		name, text string
		to         **float64
	}{{"min_score", s.MinScore, &s.query.MinScore}, {"max_score", s.MaxScore, &s.query.MaxScore}} {
		if n.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(n.text, 64)
		if err != nil || math.IsNaN(v) {
			return s, fmt.Errorf("%s: is %q, want a number", n.name, n.text)
		}
		*n.to = &v
	}
	return s, nil
}

// address is the address of the selection in an order, after a group.
func (s *selection) address(by, order, after string) string {
	q := url.Values{}
	for _, part := range [][2]string{
		{"task", s.Task}, {"level", s.Level}, {"outcome", s.Outcome}, {"drop", s.Drop}, {"text", s.Text}, {"group", s.Group},
		{"min_score", s.MinScore}, {"max_score", s.MaxScore}, {"min_version", s.MinVersion}, {"max_version", s.MaxVersion},
		{"by", by}, {"order", order}, {"after", after},
	} {
		if part[1] != "" {
			q.Set(part[0], part[1])
		}
	}
	return "groups?" + q.Encode()
}

// filters reports whether the selection excludes any groups.
func (s *selection) filters() bool {
	q := s.query
	q.By, q.Newest, q.After, q.Limit = "", false, trace.Ref{}, 0
	return q != trace.Query{}
}

// order is the order in the address.
func (s *selection) order() string {
	if s.Oldest {
		return "up"
	}
	return ""
}

// A groupsPage is the content of the page of groups.
type groupsPage struct {
	selection
	Tasks, Drops []string
	Outcomes     []quintain.Outcome
	Columns      []heading
	Entries      []trace.Entry
	Matches      int // -1: unknown, in a search for a text
	All          int
	Searched     int    // groups searched for the text
	More         bool   // the search stopped before the page was full
	Next         string // address of the next page, or of the rest of the search; empty: none
}

// A heading is a column's name, with the link that sorts by it.
type heading struct {
	Name, Link string
	Sort       string // for aria-sort; empty: not sorted by it
}

// groups answers with the page of groups.
func (s *Server) groups(c *web.Call) error {
	sel, err := parseSelection(c.R.URL.Query())
	if err != nil {
		return web.Errorf(http.StatusBadRequest, "%v", err)
	}
	p := groupsPage{selection: sel, Outcomes: quintain.Outcomes, Columns: sel.headings(), All: s.trace.len(), Matches: -1}
	all := s.trace.sums()
	p.Tasks, p.Drops = sortedKeys(all.Tasks), sortedKeys(all.Drops)
	if sel.Text == "" {
		p.Matches = p.All
		if sel.filters() {
			p.Matches = s.trace.count(sel.query).Groups
		}
		p.Entries = s.trace.find(sel.query)
		if len(p.Entries) == pageRows {
			p.Next = sel.address(sel.By, sel.order(), formatRef(p.Entries[pageRows-1].Ref))
		}
	} else if err := s.search(c, &p); err != nil {
		return err
	}
	return s.show(c, view{"Groups", "groups", p})
}

// headings are the table's headings, each with the link that sorts by it or reverses the
// order.
func (s *selection) headings() []heading {
	var all []heading
	for _, h := range []struct{ name, by string }{{"Time (UTC)", ""}, {"Score", "score"}, {"Version", "version"}, {"Tokens", "tokens"}} {
		one := heading{Name: h.name, Link: s.address(h.by, "", "")}
		if h.by == s.By {
			one.Sort = "descending"
			if s.Oldest {
				one.Sort = "ascending"
			} else {
				one.Link = s.address(h.by, "up", "")
			}
		}
		all = append(all, one)
	}
	return all
}

// sortedKeys lists the keys, without an empty one.
func sortedKeys[V any](counts map[string]V) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), func(key string) bool { return key == "" })
}
