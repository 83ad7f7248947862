package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/rollout"
)

// sparkWidth is the width of a drawn curve, in characters.
const sparkWidth = 32

// scoreWindow is the number of groups over which the first and the last mean score
// of a task are taken.
const scoreWindow = 16

// A tally counts what happens in a run. Many goroutines may use it.
type tally struct {
	start time.Time

	mu        sync.Mutex
	steps     int
	version   int
	groups    int // that the queue has
	dropped   map[rollout.Drop]int
	outcomes  map[quintain.Outcome]int
	tokens    int // sampled
	staleness map[int]int
	tasks     map[string]*taskTally
	lastFault string
	playing   time.Duration  // between the examinations before and after
	training  *learn.Metrics // of the last step; nil: nothing is trained
	before    *evalReport    // nil: no examination
	after     *evalReport
}

// A taskTally counts the groups of one task.
type taskTally struct {
	groups int
	first  []float64 // mean scores of the first groups, scoreWindow of them at most
	last   []float64 // and of the last ones
	curve  curve     // mean scores of all groups
}

func newTally() *tally {
	return &tally{
		start: time.Now(), dropped: map[rollout.Drop]int{}, outcomes: map[quintain.Outcome]int{},
		staleness: map[int]int{}, tasks: map[string]*taskTally{},
	}
}

// played counts the episodes of a result, and the scores of its group where they
// are known.
func (t *tally) played(result rollout.Result, scores []float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range result.Trajectories {
		played := &result.Trajectories[i]
		t.outcomes[played.Outcome]++
		t.tokens += played.Sampled()
		if !played.Outcome.Rewarded() && played.Outcome != quintain.Cancelled {
			t.lastFault = played.Error
		}
	}
	if len(scores) == 0 {
		return
	}
	name := result.Job.Problem.Task
	task := t.tasks[name]
	if task == nil {
		task = &taskTally{}
		t.tasks[name] = task
	}
	score := mean(scores)
	task.groups++
	task.curve.add(score)
	if len(task.first) < scoreWindow {
		task.first = append(task.first, score)
	}
	if len(task.last) == scoreWindow {
		task.last = task.last[1:]
	}
	task.last = append(task.last, score)
}

// kept counts a group that the queue has.
func (t *tally) kept() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups++
}

// drop counts a group that is not kept, or no longer.
func (t *tally) drop(why rollout.Drop) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropped[why]++
}

// step counts a batch that was consumed at a version, and how much older each of
// its groups was.
func (t *tally) step(version int, lags []int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps++
	t.version = version
	for _, lag := range lags {
		t.staleness[lag]++
	}
	return t.steps
}

// made returns the number of steps that were made.
func (t *tally) made() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.steps
}

// trained takes in what the last step did.
func (t *tally) trained(m learn.Metrics) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.training = &m
}

// examinedBefore takes in the examination before the run, and examinedAfter that
// after it.
func (t *tally) examinedBefore(r evalReport) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before = &r
}

func (t *tally) examinedAfter(r evalReport) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = &r
}

// playedFor takes in how long episodes were played.
func (t *tally) playedFor(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.playing = d
}

// at sets the version, and the number of steps that were made.
func (t *tally) at(version, steps int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.version, t.steps = version, steps
}

// A report is what a run did: the form of --report.
type report struct {
	Steps         int                      `json:"steps"`
	Seconds       float64                  `json:"seconds"`
	PlaySeconds   float64                  `json:"play_seconds"` // without the examinations before and after
	Version       int                      `json:"version"`      // of the policy at the end, steps of earlier runs included
	GroupsMade    int                      `json:"groups_made"`
	GroupsDropped map[rollout.Drop]int     `json:"groups_dropped"`
	Episodes      map[quintain.Outcome]int `json:"episodes"`
	Tokens        int                      `json:"tokens"`    // sampled
	Staleness     map[int]int              `json:"staleness"` // groups consumed, by the versions that their oldest token was behind
	Tasks         map[string]taskReport    `json:"tasks"`
	LastFault     string                   `json:"last_fault,omitempty"`
	Training      *learn.Metrics           `json:"training,omitempty"`    // of the last step
	EvalBefore    *float64                 `json:"eval_before,omitempty"` // mean score of held-out problems, the mean of the tasks' means
	EvalAfter     *float64                 `json:"eval_after,omitempty"`
}

// A taskReport is what a run did with one task.
type taskReport struct {
	Groups int     `json:"groups"` // that were scored, dropped ones included
	First  float64 `json:"first_mean_score"`
	Last   float64 `json:"last_mean_score"`

	Curve []float64 `json:"curve"` // mean scores over the run, each of equally many groups
	spark string    // the same, drawn

	EvalBefore *float64 `json:"eval_before,omitempty"` // mean score of held-out problems
	EvalAfter  *float64 `json:"eval_after,omitempty"`
}

// report returns what was counted until now.
func (t *tally) report() report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := report{
		Steps: t.steps, Seconds: time.Since(t.start).Seconds(), PlaySeconds: t.playing.Seconds(), Version: t.version,
		GroupsMade: t.groups, GroupsDropped: maps.Clone(t.dropped), Episodes: map[quintain.Outcome]int{},
		Tokens: t.tokens, Staleness: maps.Clone(t.staleness), Tasks: map[string]taskReport{}, LastFault: t.lastFault,
	}
	for _, o := range quintain.Outcomes {
		r.Episodes[o] = t.outcomes[o]
	}
	for name, task := range t.tasks {
		r.Tasks[name] = taskReport{
			Groups: task.groups, First: mean(task.first), Last: mean(task.last),
			Curve: slices.Clone(task.curve.points), spark: task.curve.spark(sparkWidth),
			EvalBefore: t.before.of(name), EvalAfter: t.after.of(name),
		}
	}
	r.Training, r.EvalBefore, r.EvalAfter = t.training, t.before.all(), t.after.all()
	return r
}

// line tells the report in one line.
func (r report) line() string {
	return fmt.Sprintf("step %d  version %d  score %.3f  groups %d  dropped %s  lag %.2f  %.0f tokens/s%s%s",
		r.Steps, r.Version, r.score(), r.GroupsMade, counts(r.GroupsDropped), r.lag(), float64(r.Tokens)/max(r.Seconds, 1e-9), r.training(), r.faults())
}

// training tells what the last step of training did.
func (r report) training() string {
	if r.Training == nil {
		return ""
	}
	m := r.Training
	text := fmt.Sprintf("  loss %.3f  entropy %.3f  clipped %.3f", m.Loss, m.Entropy, m.ClipFraction)
	if m.Skipped > 0 {
		text += fmt.Sprintf("  updates skipped %d", m.Skipped)
	}
	return text
}

// scores tells the last mean score of each task, in one line.
func (r report) scores() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Tasks)) {
		parts = append(parts, fmt.Sprintf("%s=%.3f", name, r.Tasks[name].Last))
	}
	return strings.Join(parts, " ")
}

// faults tells how many episodes failed, and of what, where some did.
func (r report) faults() string {
	n := r.Episodes[quintain.InfraFailed] + r.Episodes[quintain.EnvFailed]
	if n == 0 {
		return ""
	}
	fault, _, _ := strings.Cut(r.LastFault, "\n")
	return fmt.Sprintf("  failed episodes %d (%s)", n, fault)
}

// score is the mean of the tasks' last mean scores.
func (r report) score() float64 {
	var all []float64
	for _, task := range r.Tasks {
		all = append(all, task.Last)
	}
	slices.Sort(all) // the same sum whatever the order of the map
	return mean(all)
}

// lag is the mean staleness of the groups that were consumed.
func (r report) lag() float64 {
	groups, sum := 0, 0
	for lag, n := range r.Staleness {
		groups, sum = groups+n, sum+lag*n
	}
	return float64(sum) / float64(max(1, groups))
}

// table prints the report.
func (r report) table(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	fmt.Fprintf(t, "task\tgroups\tfirst score\tlast score\tcurve\t\n")
	for _, name := range slices.Sorted(maps.Keys(r.Tasks)) {
		task := r.Tasks[name]
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%s\t\n", name, task.Groups, task.First, task.Last, task.spark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, `
steps          %d in %.1f s, to version %d
groups made    %d
groups dropped %s
episodes       %s
tokens         %d, %.0f a second
staleness      %s
`, r.Steps, r.Seconds, r.Version, r.GroupsMade, counts(r.GroupsDropped), counts(r.Episodes), r.Tokens, float64(r.Tokens)/max(r.Seconds, 1e-9), counts(r.Staleness))
	if err == nil && r.EvalBefore != nil && r.EvalAfter != nil {
		_, err = fmt.Fprintf(out, "held out       %.3f before, %.3f after\n", *r.EvalBefore, *r.EvalAfter)
	}
	if err == nil && r.faults() != "" {
		_, err = fmt.Fprintf(out, "last fault     %s\n", r.LastFault)
	}
	return err
}

// counts tells a map of counters, in the order of the keys, without zeros.
func counts[K ~string | ~int](m map[K]int) string {
	var parts []string
	total := 0
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if m[key] > 0 {
			parts = append(parts, fmt.Sprintf("%v: %d", key, m[key]))
			total += m[key]
		}
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
