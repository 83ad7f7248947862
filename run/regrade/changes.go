package regrade

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// Changes says what a grader found otherwise than whoever graded before. Episodes are compared that
// have a reward by both.
type Changes struct {
	Graders  []trace.Grader `json:"graders"` // of a task one for each version
	Groups   int            `json:"groups"`
	Known    int            `json:"known"`            // of these: graded by an earlier run of the same grader
	Lost     int            `json:"lost"`             // groups that the trace could not give
	Damage   []string       `json:"damage,omitempty"` // of the trace: the file, what it costs, and the remedy
	Episodes int            `json:"episodes"`
	Ungraded int            `json:"ungraded"` // episodes that the grader could not grade: they have no new reward
	Why      map[string]int `json:"why_ungraded"`

	Compared    int              `json:"compared"`    // episodes
	Same        int              `json:"same"`        // of these: with the same reward
	ToRight     int              `json:"to_right"`    // wrong, now right
	ToWrong     int              `json:"to_wrong"`    // right, now wrong
	Correlation *float64         `json:"correlation"` // mean over groups of Kendall's tau-b of old and new rewards; nil: in none do both tell episodes apart
	Pairs       int              `json:"pairs"`       // of episodes of a group that both tell apart
	Turned      int              `json:"turned"`      // of these: in the other order
	NowEqual    int              `json:"now_equal"`   // groups whose rewards are equal, and were not
	NowApart    int              `json:"now_apart"`   // groups whose rewards are not equal, and were
	Tasks       *exam.Comparison `json:"tasks"`

	Left    int                  `json:"left"`    // groups with an ungraded episode
	Queued  int                  `json:"queued"`  // groups put into the queue
	Dropped map[rollout.Drop]int `json:"dropped"` // groups that were to be queued, by why they were not

	Changed []Change `json:"changed"` // by group and episode

	taus          []float64
	before, after map[string]*exam.Row // by task
}

// Vain returns an error if there were episodes, and none could be graded.
func (c *Changes) Vain() error {
	if c.Episodes == 0 || c.Ungraded < c.Episodes {
		return nil
	}
	return fmt.Errorf("none of the episodes could be graded: %s", slices.Sorted(maps.Keys(c.Why))[0])
}

// A Change is an episode with another reward, or none of the two.
type Change struct {
	Group    string       `json:"group"`
	Episode  int          `json:"episode"`
	Task     string       `json:"task"`
	Grader   trace.Grader `json:"grader"`
	Was      *float64     `json:"was"`    // nil: it had no reward
	Reward   *float64     `json:"reward"` // nil: it is ungraded
	WasRight bool         `json:"was_right"`
	Right    bool         `json:"right"`
	Why      string       `json:"why"`
	Show     string       `json:"show"` // the command that shows it
}

// Flipped reports whether a right episode is now wrong, or a wrong one right.
func (c *Change) Flipped() bool { return c.Was != nil && c.Reward != nil && c.Right != c.WasRight }

func newChanges() *Changes {
	return &Changes{Graders: []trace.Grader{}, Why: map[string]int{}, Changed: []Change{}, Dropped: map[rollout.Drop]int{}, before: map[string]*exam.Row{}, after: map[string]*exam.Row{}}
}

// mostReasons bounds the reasons that are told apart, and mostWhy the letters of one.
const mostReasons, mostWhy = 20, 200

// add adds a group.
func (c *Changes) add(g *trace.Grading, task string, known bool, show string) {
	c.Groups, c.Episodes = c.Groups+1, c.Episodes+len(g.Grades)
	if !slices.Contains(c.Graders, g.Grader) {
		c.Graders = append(c.Graders, g.Grader)
	}
	if known {
		c.Known++
	}
	was, now := &exam.Problem{ID: g.Group}, &exam.Problem{ID: g.Group}
	var before, after []float64
	for i := range g.Grades {
		one := &g.Grades[i]
		was.Episodes, now.Episodes = append(was.Episodes, episode(one.Was, one.WasRight)), append(now.Episodes, episode(one.Reward, one.Right))
		if one.Reward == nil {
			c.ungraded(one.Why)
		}
		if one.Was != nil && one.Reward != nil {
			before, after = append(before, *one.Was), append(after, *one.Reward)
			c.compare(one)
		}
		if !equal(one.Was, one.Reward) || one.Reward != nil && one.Right != one.WasRight {
			c.Changed = append(c.Changed, Change{g.Group, i, task, g.Grader, one.Was, one.Reward, one.WasRight, one.Right, one.Why, fmt.Sprintf(show, g.Group)})
		}
	}
	if g.Scores == nil {
		c.Left++
	}
	c.order(before, after)
	row(c.before, task, was)
	row(c.after, task, now)
}

// ungraded counts an episode without a new reward.
func (c *Changes) ungraded(why string) {
	c.Ungraded++
	why, _, _ = strings.Cut(why, "\n")
	if why = strings.ToValidUTF8(why[:min(len(why), mostWhy)], ""); c.Why[why] == 0 && len(c.Why) >= mostReasons {
		why = "other reasons"
	}
	c.Why[why]++
}

// compare counts an episode with both rewards.
func (c *Changes) compare(g *trace.Grade) {
	c.Compared++
	if *g.Was == *g.Reward {
		c.Same++
	}
	switch {
	case g.Right && !g.WasRight:
		c.ToRight++
	case g.WasRight && !g.Right:
		c.ToWrong++
	}
}

// order counts the pairs of a group.
func (c *Changes) order(before, after []float64) {
	var same, turned, tiedOld, tiedNew int // pairs; those tied in one of the two alone, or in both
	for i := range before {
		for k := range i {
			switch a, b := cmp.Compare(before[i], before[k]), cmp.Compare(after[i], after[k]); {
			case a == 0 && b == 0:
			case a == 0:
				tiedOld++
			case b == 0:
				tiedNew++
			case a == b:
				same++
			default:
				turned++
			}
		}
	}
	c.Pairs, c.Turned = c.Pairs+same+turned, c.Turned+turned
	if apartOld, apartNew := same+turned+tiedNew, same+turned+tiedOld; apartOld > 0 && apartNew > 0 {
		c.taus = append(c.taus, float64(same-turned)/math.Sqrt(float64(apartOld)*float64(apartNew)))
	} else if apartOld > 0 {
		c.NowEqual++
	} else if apartNew > 0 {
		c.NowApart++
	}
}

// episode is an episode in a report; reward nil: it has none.
func episode(reward *float64, right bool) exam.Episode {
	if reward == nil {
		return exam.Episode{Outcome: quintain.Ungraded}
	}
	return exam.Episode{Outcome: quintain.Scored, Score: *reward, Right: right}
}

func equal(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// Records writes a line of JSON for each episode that changed.
func (c *Changes) Records(out io.Writer) error {
	for i := range c.Changed {
		if err := json.NewEncoder(out).Encode(&c.Changed[i]); err != nil {
			return err
		}
	}
	return nil
}

// row adds a problem to the row of a task.
func row(rows map[string]*exam.Row, task string, p *exam.Problem) {
	if rows[task] == nil {
		rows[task] = &exam.Row{Label: task}
	}
	rows[task].Problems = append(rows[task].Problems, p)
}

// finish works out what is over all groups.
func (c *Changes) finish() {
	slices.SortFunc(c.Graders, func(a, b trace.Grader) int { return cmp.Compare(a.Version, b.Version) })
	slices.SortFunc(c.Changed, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Episode, b.Episode))
	})
	if len(c.taus) > 0 {
		mean := stats.Mean(c.taus)
		c.Correlation = &mean
	}
	if c.Groups > 0 {
		c.Tasks, _ = exam.Compare(report(c.before), report(c.after)) // of the same problems
	}
}

// report is a report on rows, by task, and in each by the ID of the problem.
func report(rows map[string]*exam.Row) *exam.Report {
	r := &exam.Report{}
	for _, one := range rows {
		slices.SortFunc(one.Problems, func(a, b *exam.Problem) int { return cmp.Compare(a.ID, b.ID) })
		r.Rows = append(r.Rows, one)
	}
	slices.SortFunc(r.Rows, func(a, b *exam.Row) int { return cmp.Compare(a.Label, b.Label) })
	return r
}
