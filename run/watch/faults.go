package watch

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/trace"
)

// faultsRead is how many of the newest groups of each outcome the page of faults reads.
const faultsRead = 500

// A failure is the common cause of failed episodes.
type failure struct {
	Outcome  quintain.Outcome
	Cause    string // the first line, with 0 for every number
	Answer   excerpt
	Episodes int
	Newest   time.Time // episode
	At       string    // reference to the newest group
	Group    string
	Task     string
}

// A faultsPage is the content of the page of faults.
type faultsPage struct {
	Failures []failure
	Read     int // groups
	All      int // groups with an episode that failed or was stopped
	Model    int // groups in which a reply fell short: no faults of this page
}

// faults answers with the page of faults.
func (s *Server) faults(c *web.Call) error {
	var p faultsPage
	err := c.Compute(func() (err error) {
		p, err = s.faultsPage(c.Context())
		return err
	})
	if err != nil {
		return err
	}
	return s.show(c, view{"Faults", "faults", p})
}

func (s *Server) faultsPage(ctx context.Context) (p faultsPage, err error) {
	counts := s.trace.sums()
	p.All, p.Model = failedGroups(&counts), counts.Outcomes[quintain.ModelFailed]
	by := map[string]*failure{}
	for _, o := range quintain.Outcomes {
		if o.Rewarded() {
			continue
		}
		for _, e := range s.trace.find(trace.Query{Outcome: o, Newest: true, Limit: faultsRead}) {
			r, err := s.trace.now().Read(e.Ref)
			if err != nil {
				continue // an unreadable group is no failure of the run
			}
			p.Read++
			addFailures(by, r, o, e.Ref.Text())
		}
	}
	for _, f := range by {
		p.Failures = append(p.Failures, *f)
	}
	slices.SortFunc(p.Failures, func(a, b failure) int {
		return cmp.Or(b.Newest.Compare(a.Newest), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Outcome, b.Outcome))
	})
	return p, ctx.Err()
}

// addFailures adds a group's episodes with an outcome. The newest groups come first.
func addFailures(by map[string]*failure, r *trace.Record, o quintain.Outcome, at string) {
	for i := range r.Episodes {
		e := &r.Episodes[i]
		if e.Outcome != o {
			continue
		}
		cause := words.Cause(e.Error)
		key := string(o) + "\n" + cause
		if by[key] == nil {
			w := &pen{at: at, room: 2000}
			by[key] = &failure{
				Outcome: o, Cause: plain(cause), Answer: w.write(e.Error, "part=error&episode="+strconv.Itoa(i)), Newest: r.Time, At: at,
				Group: r.Group(), Task: r.Problem.Task,
			}
		}
		by[key].Episodes++
	}
}
