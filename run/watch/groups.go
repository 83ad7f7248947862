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
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/trace"
)

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
	case trace.ByTime, trace.ByScore, trace.BySpread, trace.ByTokens, trace.ByVersion:
	default:
		return s, fmt.Errorf("by: is %q, want score, spread, tokens or version", s.By)
	}
	if s.After != "" {
		if s.query.After, err = trace.ParseRef(s.After); err != nil {
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
	return "groups?" + s.values(by, order, after).Encode()
}

// link is the address of a group in the selection, from a turn on.
func (s *selection) link(at string, turn int) string {
	q := s.values(s.By, s.order(), "")
	if turn > 0 {
		q.Set("turn", strconv.Itoa(turn))
	}
	if len(q) > 0 {
		at += "&" + q.Encode()
	}
	return "group?at=" + at
}

// values are the fields of an address.
func (s *selection) values(by, order, after string) url.Values {
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
	return q
}

// order is the order in the address.
func (s *selection) order() string {
	if s.Oldest {
		return "up"
	}
	return ""
}

// words are the selection in words.
func (s *selection) words() string {
	what := map[string]string{"": "newest", "score": "highest score", "spread": "highest spread", "tokens": "longest", "version": "newest version"}
	if s.Oldest {
		what = map[string]string{"": "oldest", "score": "lowest score", "spread": "lowest spread", "tokens": "shortest", "version": "oldest version"}
	}
	text := what[s.By] + " first"
	if s.Task != "" {
		text += ", of " + plain(s.Task)
	}
	if s.Drop != "" {
		text += ", " + plain(s.Drop)
	}
	if s.Text != "" {
		text += ", with “" + plain(s.Text) + "”"
	}
	if s.narrow() {
		text += ", filtered"
	}
	return text
}

// narrow reports whether the selection has one of the rarer filters.
func (s *selection) narrow() bool {
	return s.Level+s.Outcome+s.MinScore+s.MaxScore+s.MinVersion+s.MaxVersion+s.Group != ""
}

// A groupsPage is the content of the page of groups.
type groupsPage struct {
	selection
	Tasks, Drops []string
	Outcomes     []quintain.Outcome
	Orders       []order
	Columns      []heading
	Rows         []groupRow
	Fates        []fate // reasons of the rows
	Narrow       bool   // the selection has one of the rarer filters
	Unknown      bool   // sorted by spread, and a row's is unknown
	Matches      int    // -1: unknown, in a search for a text
	All          int
	Found        hunt
	Next         string // address of the next page, or of the rest of the search; empty: none
}

// A heading is a column's name, with the link that sorts by it.
type heading struct {
	Name, By, Link string
	Sort           string // for aria-sort; empty: not sorted by it
}

// groups answers with the page of groups.
func (s *Server) groups(c *web.Call) error {
	sel, err := parseSelection(c.R.URL.Query())
	if err != nil {
		return web.Errorf(http.StatusBadRequest, "%v", err)
	}
	p := groupsPage{selection: sel, Outcomes: quintain.Outcomes, Orders: sel.orders(), Columns: sel.headings(), All: s.trace.len(), Matches: -1, Narrow: sel.narrow()}
	all := s.trace.sums()
	p.Tasks, p.Drops = sortedKeys(all.Tasks), sortedKeys(all.Drops)
	var entries []trace.Entry
	if sel.Text == "" {
		entries, p.Matches = s.trace.page(sel.query)
		p.continueAfter(entries, len(entries) == pageRows)
	} else {
		if p.Found, err = s.search(c, sel.query, sel.Text, s.searchTime); err != nil {
			return err
		}
		entries = p.Found.Entries
		p.continueAfter(entries, len(entries) == pageRows)
		if p.Next == "" && p.Found.More {
			p.Next = sel.address(sel.By, sel.order(), p.Found.Last.Text())
		}
	}
	if p.Rows, err = s.rows(c, &sel, entries[:fitting(entries)]); err != nil {
		return err
	}
	p.explain()
	return s.show(c, view{"Groups", "groups", &p})
}

// continueAfter sets the address of the next page, if some of the entries do not fit on this
// one or there may be more.
func (p *groupsPage) continueAfter(entries []trace.Entry, more bool) {
	if n := fitting(entries); n > 0 && (more || n < len(entries)) {
		p.Next = p.address(p.By, p.order(), entries[n-1].Ref.Text())
	}
}

// explain lists what the rows need explained.
func (p *groupsPage) explain() {
	for i := range p.Rows {
		e := &p.Rows[i].Entry
		if f := (fate{e.Drop, words.Dropped(e.Drop)}); f.Why != "" && !slices.Contains(p.Fates, f) {
			p.Fates = append(p.Fates, f)
		}
		p.Unknown = p.Unknown || p.By == string(trace.BySpread) && e.Score != nil && e.Spread == nil
	}
}

// A fate is a reason for dropping groups, with what it means.
type fate struct{ Reason, Why string }

// An order is a frequent question, with the link to the groups that answer it.
type order struct {
	Name, Link string
	Shown      bool
}

// orders are the frequent questions, of the groups of the selected task.
func (s *selection) orders() (all []order) {
	for _, o := range []struct {
		name string
		selection
	}{
		{"Newest", selection{}},
		{"Taught most", selection{By: "spread", Drop: trace.Kept}},
		{"Never right", selection{MaxScore: "0"}},
		{"Always right", selection{MinScore: "1"}},
		{"Longest", selection{By: "tokens"}},
		{"Dropped", selection{Drop: trace.Dropped}},
	} {
		o.Task = s.Task
		link := o.address(o.By, o.order(), "")
		all = append(all, order{o.name, link, link == s.address(s.By, s.order(), "")})
	}
	return all
}

// headings are the table's headings, each with the link that sorts by it or reverses the
// order.
func (s *selection) headings() []heading {
	var all []heading
	for _, h := range []struct{ name, by string }{{"Score", "score"}, {"Spread", "spread"}, {"Version", "version"}, {"Tokens", "tokens"}, {"Played", ""}} {
		one := heading{Name: h.name, By: h.by, Link: s.address(h.by, "", "")}
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
