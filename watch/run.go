package watch

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub/hubstats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// A chart shows numbers of one unit.
type chart struct {
	Title, Unit string
	Names       []string
	Last        []reading
}

// A reading is the last value of a series.
type reading struct {
	Name  string
	Value float64
	Step  int
}

// charts are the charts of every run. A name that ends in a slash stands for all with that
// prefix.
func charts() []chart {
	return []chart{
		{Title: "Score", Unit: "mean score", Names: []string{"train/score", "eval/percent_correct"}},
		{Title: "Replies", Unit: "share of episodes", Names: []string{"train/percent_correct", "train/malformed"}},
		{Title: "Throughput", Unit: "tokens/s", Names: []string{"train/tokens_per_s"}},
		{Title: "Groups", Unit: "groups since the row before", Names: []string{"train/items_sent_to_api", "train/items_rejected"}},
		{Title: "Dropped groups by reason", Unit: "groups since the row before", Names: []string{"train/dropped/"}},
		{Title: "Staleness", Unit: "versions behind", Names: []string{"train/lag", "train/lag_max"}},
		{Title: "Length of replies", Unit: "tokens", Names: []string{"train/completion_lengths", "train/completion_lengths_min", "train/completion_lengths_max"}},
		{Title: "Entropy", Unit: "nats", Names: []string{"learn/entropy"}},
		{Title: "Distance to the reference, and drift", Unit: "nats", Names: []string{"learn/kl", "learn/drift"}},
		{Title: "Clipped tokens", Unit: "share of tokens", Names: []string{"learn/clip_fraction", "learn/cap_fraction"}},
		{Title: "Gradient", Unit: "norm", Names: []string{"learn/grad_norm"}},
		{Title: "Loss", Unit: "loss", Names: []string{"learn/loss", "learn/policy_loss"}},
		{Title: "Time of a group", Unit: "s", Names: []string{"train_perf/task_duration_mean", "train_perf/task_duration_max"}},
	}
}

// A runPage is the content of the page of a run.
type runPage struct {
	Head      *trace.Head
	Counts    trace.Counts
	Drops     []share
	Results   []share
	Lags      []share // by versions of staleness
	LagGroups int
	Charts    []chart
	Tasks     []chart
	Left      int    // unread numbers, in percent
	Time      bool   // charts over time, not steps
	Hub       string // the hub's statistics; empty: no hub
	Machine   []fact // the run's process; empty: not this one
}

// A share is a part of all groups.
type share struct {
	Name   string
	Groups int
}

// run answers with the page of the run.
func (s *Server) run(c *web.Call) error {
	p := s.runPage()
	p.Time = c.R.URL.Query().Get("x") == "time"
	return s.show(c, view{p.title(), "run", p})
}

// title names the run.
func (p *runPage) title() string {
	if p.Head == nil {
		return "Run"
	}
	return "Run " + plain(p.Head.Run)
}

// runPage is the current content of the page.
func (s *Server) runPage() runPage {
	p := runPage{Left: s.numbers.left()}
	var lags map[int]int
	p.Counts, lags = s.trace.sums()
	for _, lag := range slices.Sorted(maps.Keys(lags)) {
		p.Lags = append(p.Lags, share{strconv.Itoa(lag), lags[lag]})
		p.LagGroups += lags[lag]
	}
	for name, n := range p.Counts.Drops {
		p.Drops = append(p.Drops, share{cmp.Or(name, trace.Kept), n})
	}
	for _, o := range quintain.Outcomes {
		if n := p.Counts.Outcomes[o]; n > 0 {
			p.Results = append(p.Results, share{string(o), n})
		}
	}
	slices.SortFunc(p.Drops, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.Groups, a.Groups), cmp.Compare(a.Name, b.Name))
	})
	if s.hub != nil {
		var text strings.Builder
		hubstats.Print(&text, s.hub(), time.Now())
		p.Hub = text.String()
	}
	if s.machine != nil {
		p.Machine = s.machine.facts()
	}
	p.Head = s.head()
	names := s.numbers.names()
	for _, one := range charts() {
		if s.fill(&one, names) {
			p.Charts = append(p.Charts, one)
		}
	}
	for _, name := range names {
		task, is := strings.CutPrefix(name, "train/score/")
		one := chart{Title: task, Unit: "score, complexity", Names: []string{name, "eval/" + task, "curriculum/complexity/" + task}}
		if is && s.fill(&one, names) {
			p.Tasks = append(p.Tasks, one)
		}
	}
	return p
}

// fill fills in the existing series of a chart, and reports whether there are any.
func (s *Server) fill(c *chart, names []string) bool {
	var all []string
	for _, want := range c.Names {
		for _, name := range names {
			if name == want || strings.HasSuffix(want, "/") && strings.HasPrefix(name, want) {
				all = append(all, name)
			}
		}
	}
	c.Names = all
	for _, name := range all {
		if p, there := s.numbers.last(name); there {
			c.Last = append(c.Last, reading{name, p.Value, int(p.Step)})
		}
	}
	return len(all) > 0
}

// head is the newest head of the trace, or nil.
func (s *Server) head() *trace.Head {
	last := s.trace.find(trace.Query{Newest: true, Limit: 1})
	if len(last) == 0 {
		return nil
	}
	h, err := s.trace.now().Head(last[0].Ref)
	if err != nil {
		return nil // the segment was just removed
	}
	h.Began = h.Began.Truncate(time.Second)
	return &h
}
