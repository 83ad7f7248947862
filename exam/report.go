package exam

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
)

// A Report has the results of a policy. If no episode was scored, there is no mean.
type Report struct {
	Mean      *float64                 `json:"mean_score"` // of the means of all rows
	Within    *Interval                `json:"interval,omitempty"`
	Rows      []*Row                   `json:"rows"` // one for each set, in their order
	Episodes  map[quintain.Outcome]int `json:"episodes"`
	Failed    int                      `json:"failed"` // episodes without a score
	LastFault string                   `json:"last_fault,omitempty"`
	Seconds   float64                  `json:"seconds"`
}

// A Row has the results of a policy on one set of problems.
type Row struct {
	Label    string             `json:"label"`    // "task:level"
	Set      int                `json:"set"`      // number of problems; see [Set]
	Distinct int                `json:"distinct"` // questions of these problems
	Complete bool               `json:"complete"` // see [Set]
	Scored   int                `json:"scored"`   // problems with a scored episode
	Mean     *float64           `json:"mean_score"`
	Within   *Interval          `json:"interval,omitempty"` // of the mean, with 95 % confidence
	Right    *float64           `json:"right,omitempty"`    // share of the scored episodes with a fully right reply
	PassAt   map[string]float64 `json:"pass_at,omitempty"`  // pass@k by k; absent for one sample
	Majority *float64           `json:"majority,omitempty"` // share of problems whose most frequent answer is right; absent for one sample
	Failed   int                `json:"failed"`             // episodes without a score
	Problems []*Problem         `json:"problems"`
}

// A Problem has the results of a policy on one problem.
type Problem struct {
	ID      string    `json:"id"`
	Scores  []float64 `json:"scores"`  // of the scored episodes
	Right   []bool    `json:"right"`   // of the same episodes: whether a reply was fully right
	Answers []string  `json:"answers"` // of the same episodes: the last answer; empty: none was found
}

// mean is the mean score of the problem.
func (p *Problem) mean() float64 { return sum(p.Scores) / float64(len(p.Scores)) }

// right counts the episodes with a fully right reply.
func (p *Problem) right() int {
	n := 0
	for _, right := range p.Right {
		if right {
			n++
		}
	}
	return n
}

// newReport returns an empty report on sets.
func newReport(sets []Set) *Report {
	r := &Report{Episodes: map[quintain.Outcome]int{}}
	for i := range sets {
		r.Rows = append(r.Rows, &Row{Label: sets[i].Label, Set: len(sets[i].Problems), Distinct: sets[i].Distinct, Complete: sets[i].Complete, Problems: []*Problem{}})
	}
	return r
}

// add adds the result of a problem.
func (r *Report) add(result rollout.Result) {
	i := slices.IndexFunc(r.Rows, func(row *Row) bool { return row.Label == result.Job.Label })
	row := r.Rows[i] // the job is of one of the sets
	p := &Problem{ID: result.Job.Problem.ID(), Scores: []float64{}, Right: []bool{}, Answers: []string{}}
	for i := range result.Trajectories {
		t := &result.Trajectories[i]
		r.Episodes[t.Outcome]++
		if !t.Outcome.Rewarded() {
			r.Failed++
			row.Failed++
			continue
		}
		p.Scores = append(p.Scores, t.Reward())
		p.Right = append(p.Right, t.Solved())
		p.Answers = append(p.Answers, strings.TrimSpace(t.Turns[len(t.Turns)-1].Answer))
	}
	row.Problems = append(row.Problems, p)
}

// finish computes the rows and the overall mean.
func (r *Report) finish(spent time.Duration) {
	r.Seconds = spent.Seconds()
	var rows [][]float64
	for _, row := range r.Rows {
		slices.SortFunc(row.Problems, func(a, b *Problem) int { return strings.Compare(a.ID, b.ID) })
		if means := row.finish(); means != nil {
			rows = append(rows, means)
		}
	}
	if rows != nil {
		mean, within := Mean(rows...)
		r.Mean, r.Within = &mean, &within
	}
}

// finish computes the row, and returns the mean scores of the problems that have one.
func (row *Row) finish() (means []float64) {
	episodes, right, samples := 0, 0, 0
	for _, p := range row.Problems {
		if len(p.Scores) == 0 {
			continue
		}
		means = append(means, p.mean())
		episodes, right, samples = episodes+len(p.Scores), right+p.right(), max(samples, len(p.Scores))
	}
	if row.Scored = len(means); row.Scored == 0 {
		return nil
	}
	mean, within := Mean(means)
	share := float64(right) / float64(episodes)
	row.Mean, row.Within, row.Right = &mean, &within, &share
	if samples > 1 {
		row.several(samples)
	}
	return means
}

// several computes what needs several samples of a problem: pass@k for each k that is a
// power of two up to samples, over the problems with at least k samples, and the
// majority.
func (row *Row) several(samples int) {
	row.PassAt = map[string]float64{}
	for k := 1; k <= samples; k *= 2 {
		var all []float64
		for _, p := range row.Problems {
			if n := len(p.Scores); n >= k {
				all = append(all, PassAt(k, n, p.right()))
			}
		}
		row.PassAt[strconv.Itoa(k)] = sum(all) / float64(len(all))
	}
	agreed := 0.0
	for _, p := range row.Problems {
		if at := Majority(p.Answers); at >= 0 && p.Right[at] {
			agreed++
		}
	}
	agreed /= float64(row.Scored)
	row.Majority = &agreed
}

// ReadReport reads a report from a file, as JSON.
func ReadReport(path string) (*Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s is not a report of quintain eval --json: %w", path, err)
	}
	return &r, nil
}
