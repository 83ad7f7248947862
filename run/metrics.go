package run

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/tiny"
)

// rightScore is the least score that counts as correct, as in Atropos' environment.
const rightScore = 0.5

// nearLimit is the share of the token limit beyond which a reply counts as nearly cut, as in
// Atropos.
const nearLimit = 0.95

// Metrics is a [Sink] that sums up events between steps, and hands the sums to a log as
// rows, under the names of Atropos' environment where it has them. See docs/metrics.md.
type Metrics struct {
	log       scalars.Log
	every     time.Duration
	maxTokens int

	exchanges func() [][]pool.Exchange // nil: the policy has no servers

	mu     sync.Mutex
	sum    sums
	totals totals
	step   int
	since  time.Time          // when the sums began
	last   time.Time          // the last event that they count
	rows   int                // with sums
	values map[string]float64 // of the last step, for the next row with sums
}

// A sums has the sums since the last row with sums.
type sums struct {
	scores, lags, malformed          average
	right                            average // 1 for each episode with a reward of rightScore or more before penalties, else 0
	differ                           average // 1 for each scored group whose scores differ, else 0
	answers                          answers
	lagMax                           float64
	lengths                          []float64
	kept, rejected, tokens, unscored int
	steps                            int
	succeeded, failed                []float64 // durations of kept groups and of others, in seconds
	drops                            map[string]int
	tasks                            map[string]average
	keptCost, trainedCost, staleCost Cost
}

// An average averages values without keeping them.
type average struct {
	sum    float64
	values int
}

// with returns a with more values.
func (a average) with(values ...float64) average {
	for _, v := range values {
		a.sum += v
	}
	return average{a.sum, a.values + len(values)}
}

// mean is 0 if there are no values.
func (a average) mean() float64 { return a.sum / float64(max(1, a.values)) }

// means returns the mean of each average.
func means[K comparable](all map[K]average) map[K]float64 {
	of := make(map[K]float64, len(all))
	for key, a := range all {
		of[key] = a.mean()
	}
	return of
}

// NewMetrics returns a sink that hands rows with sums to log, at least every apart, and a row
// without for each evaluation. A reply has at most maxTokens tokens; 0: no limit. Close closes
// log.
func NewMetrics(log scalars.Log, every time.Duration, maxTokens int) *Metrics {
	return &Metrics{log: log, every: every, maxTokens: maxTokens, sum: noSums(), totals: totals{}, since: time.Now(), last: time.Now(), values: map[string]float64{}}
}

// Resume has the totals go on from the last row of an earlier process. Call it first.
func (n *Metrics) Resume(last map[string]float64) { n.totals.resume(last) }

// Watch adds the exchanges of servers, which exchanges returns and forgets. Call it first.
func (n *Metrics) Watch(exchanges func() [][]pool.Exchange) { n.exchanges = exchanges }

func noSums() sums { return sums{drops: map[string]int{}, tasks: map[string]average{}} }

// Note implements [Sink].
func (n *Metrics) Note(e Event) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.totals.note(e)
	if _, ok := e.(Examined); !ok {
		n.last = time.Now()
	}
	switch e := e.(type) {
	case Played:
		n.played(e)
	case Dropped:
		n.sum.drops[string(e.Why)] += len(e.Groups)
		if isLate(e.Why) {
			n.sum.staleCost = n.sum.staleCost.plus(e.Cost)
		}
	case Stepped:
		n.step = max(n.step, e.Version)
		n.sum.steps++
		n.sum.trainedCost = n.sum.trainedCost.plus(e.Cost)
		for _, lag := range e.Lags {
			n.sum.lags, n.sum.lagMax = n.sum.lags.with(float64(lag)), max(n.sum.lagMax, float64(lag))
		}
		if e.Trained {
			n.trained(&e.Metrics)
		}
		n.curriculum(e.Standings)
		return n.writeIfDue()
	case Sent:
		n.step = max(n.step, e.Step)
		n.curriculum(e.Standings)
		return n.writeIfDue()
	case Examined:
		n.step = max(n.step, e.Version)
		return n.examined(e)
	}
	return nil
}

// played adds a group. n.mu is held.
func (n *Metrics) played(p Played) {
	for i := range p.Trajectories {
		t := &p.Trajectories[i]
		n.sum.tokens += t.Sampled()
		if !t.Outcome.Rewarded() {
			continue
		}
		n.sum.lengths = append(n.sum.lengths, float64(t.Sampled()))
		n.sum.malformed = n.sum.malformed.with(oneIf(t.Malformed()))
		if len(p.Scores) > 0 {
			n.sum.right = n.sum.right.with(oneIf(t.Reward() >= rightScore))
			n.sum.answers.add(t)
		}
	}
	n.sum.scores = n.sum.scores.with(p.Scores...)
	if len(p.Scores) > 0 {
		n.sum.differ = n.sum.differ.with(oneIf(!same(p.Scores)))
		n.sum.tasks[p.Job.Label] = n.sum.tasks[p.Job.Label].with(mean(p.Scores))
	}
	took := duration(p.Trajectories).Seconds()
	if p.Drop == "" {
		n.sum.kept++
		n.sum.keptCost = n.sum.keptCost.plus(costOf(p.Trajectories))
		n.sum.succeeded = append(n.sum.succeeded, took)
		if p.Unscored != nil {
			n.sum.unscored++
		}
		return
	}
	if p.Drop == rollout.DropWithheld {
		n.sum.staleCost = n.sum.staleCost.plus(costOf(p.Trajectories))
	}
	n.sum.rejected++
	n.sum.failed = append(n.sum.failed, took)
	n.sum.drops[string(p.Drop)]++
}

// duration is the time from the beginning of the first episode to the end of the last.
func duration(played []quintain.Trajectory) time.Duration {
	var first, last time.Time
	for i := range played {
		t := &played[i]
		if first.IsZero() || t.Started.Before(first) {
			first = t.Started
		}
		if end := t.Started.Add(t.Took); end.After(last) {
			last = end
		}
	}
	return last.Sub(first)
}

// trained sets the values of a training step. n.mu is held.
func (n *Metrics) trained(m *tiny.Metrics) {
	maps.Copy(n.values, map[string]float64{
		"learn/loss": m.Loss, "learn/policy_loss": m.PolicyLoss, "learn/kl": m.KL, "learn/drift": m.Drift, "learn/entropy": m.Entropy,
		"learn/clip_fraction": m.ClipFraction, "learn/cap_fraction": m.CapFraction, "learn/weight_mean": m.WeightMean,
		"learn/weight_max": m.WeightMax, "learn/grad_norm": m.GradNorm, "learn/learning_rate": m.LearningRate,
	})
}

// curriculum sets the values of a curriculum, if there is one. n.mu is held.
func (n *Metrics) curriculum(courses []curriculum.Standing) {
	if len(courses) == 0 {
		return
	}
	var complexities, passRates []float64
	moved := 0.0
	for _, c := range courses {
		n.values["curriculum/complexity/"+c.Name] = c.Complexity
		n.values["curriculum/share/"+c.Name] = c.Share
		n.values["curriculum/pass_rate/"+c.Name] = c.PassRate
		complexities, passRates = append(complexities, c.Complexity), append(passRates, c.PassRate)
		moved += oneIf(c.Moved)
	}
	if target := courses[0].Target; target > 0 {
		n.values["curriculum/target_accuracy"] = target
	}
	maps.Copy(n.values, map[string]float64{
		"curriculum/total_tasks_tracked": float64(len(courses)), "curriculum/tasks_with_adjustments": moved, "curriculum/avg_recent_accuracy": mean(passRates),
		"curriculum/avg_complexity": mean(complexities), "curriculum/min_complexity": slices.Min(complexities), "curriculum/max_complexity": slices.Max(complexities),
	})
}

// examined writes the row of an evaluation. It has no sums: they may be those of a moment.
// n.mu is held.
func (n *Metrics) examined(e Examined) error {
	now, v := time.Now(), map[string]float64{}
	if e.Report.Mean != nil {
		v["eval/percent_correct"] = *e.Report.Mean
	}
	if in := e.Report.Within; in != nil {
		v["eval/percent_correct_low"], v["eval/percent_correct_high"] = in.Low, in.High
	}
	for _, row := range e.Report.Rows {
		if row.Mean != nil {
			v["eval/"+row.Label] = *row.Mean
		}
	}
	if n.sum.empty() { // nothing was played meanwhile: the rates leave that time out
		n.since = now
	}
	return n.write(now, v)
}

// empty reports whether nothing has happened.
func (s *sums) empty() bool {
	return s.kept+s.rejected+s.steps+s.lags.values+len(s.drops) == 0
}

// writeIfDue writes a row with sums unless the last one is younger than n.every. n.mu is held.
func (n *Metrics) writeIfDue() error {
	if n.last.Sub(n.since) < n.every {
		return nil
	}
	return n.writeSums()
}

// writeSums writes a row with sums, and begins the next. n.mu is held.
func (n *Metrics) writeSums() error {
	n.add(n.last.Sub(n.since))
	values := n.values
	n.sum, n.values, n.since = noSums(), map[string]float64{}, n.last
	n.rows++
	return n.write(time.Now(), values)
}

// write hands a row to the log, with the totals. n.mu is held.
func (n *Metrics) write(now time.Time, values map[string]float64) error {
	maps.Copy(values, n.totals)
	return n.log.Add(scalars.Row{Step: n.step, Time: now, Values: values})
}

// add adds the sums to the values of a row, which covers the time over. n.mu is held.
func (n *Metrics) add(over time.Duration) {
	n.rates(max(over.Seconds(), 1e-9))
	s, v := &n.sum, n.values
	v["train/items_sent_to_api"], v["train/items_rejected"] = float64(s.kept), float64(s.rejected)
	if s.unscored > 0 {
		v["train/unscored"] = float64(s.unscored)
	}
	for label, scores := range s.tasks {
		v["train/score/"+label] = scores.mean()
	}
	if s.scores.values > 0 {
		v["train/score"], v["train/percent_correct"], v["train/episodes"] = s.scores.mean(), s.right.mean(), float64(s.scores.values)
	}
	if s.differ.values > 0 {
		v["train/groups_differ"] = s.differ.mean()
	}
	if s.answers.all > 0 {
		_, v["train/commonest_answer"] = s.answers.commonest()
	}
	if len(s.lengths) > 0 {
		v["train/malformed"] = s.malformed.mean()
		n.lengths(s.lengths)
	}
	const perf = "train_perf/"
	n.spread(perf+"task_duration", "_mean", slices.Concat(s.succeeded, s.failed))
	n.spread(perf+"succeeded_task_duration", "_mean", s.succeeded)
	n.spread(perf+"failed_task_duration", "_mean", s.failed)
	if n.exchanges != nil {
		for i, server := range n.exchanges() {
			n.server(fmt.Sprintf("server/server_%d_", i), server)
		}
	}
	if s.keptCost.Groups > 0 {
		v["train/kept_tokens"] = s.keptCost.Length()
	}
	if s.trainedCost.Groups > 0 {
		v["train/trained_tokens"], v["train/trained_seconds"] = s.trainedCost.Length(), s.trainedCost.Duration()
	}
	if s.staleCost.Groups > 0 {
		v["train/stale_tokens"], v["train/stale_seconds"] = s.staleCost.Length(), s.staleCost.Duration()
	}
	if s.lags.values > 0 {
		v["train/lag"], v["train/lag_max"] = s.lags.mean(), s.lagMax
	}
}

// rates sets the counts of a second. A reason that ever dropped a group has a rate in each
// row. n.mu is held.
func (n *Metrics) rates(seconds float64) {
	s, v := &n.sum, n.values
	v["train/tokens_per_s"] = float64(s.tokens) / seconds
	v["train/groups_per_s"], v["train/kept_per_s"] = float64(s.kept+s.rejected)/seconds, float64(s.kept)/seconds
	v["train/steps_per_s"] = float64(s.steps) / seconds
	for _, why := range n.totals.reasons() {
		v["train/dropped_per_s/"+why] = float64(s.drops[why]) / seconds
	}
}

// lengths sets the values for the lengths of replies, in tokens. n.mu is held.
func (n *Metrics) lengths(all []float64) {
	const name = "train/completion_lengths"
	n.spread(name, "", all)
	if limit := float64(n.maxTokens) * nearLimit; limit > 0 {
		n.values[name+"_p95"] = share(all, func(x float64) bool { return x > limit })
	}
}

// spread sets mean, standard deviation, minimum and maximum of values; nothing if there are
// none. The name of the mean ends with ofMean. n.mu is held.
func (n *Metrics) spread(name, ofMean string, all []float64) {
	if len(all) == 0 {
		return
	}
	n.values[name+ofMean], n.values[name+"_std"] = mean(all), deviation(all)
	n.values[name+"_min"], n.values[name+"_max"] = slices.Min(all), slices.Max(all)
}

// deviation is the population standard deviation of values.
func deviation(all []float64) float64 {
	m, squares := mean(all), 0.0
	for _, x := range all {
		squares += (x - m) * (x - m)
	}
	return math.Sqrt(squares / float64(len(all)))
}

// server sets the values of a server, with name before each. n.mu is held.
func (n *Metrics) server(name string, all []pool.Exchange) {
	var seconds, tries, examSeconds, again []float64
	for _, e := range all {
		if e.Exam {
			examSeconds, again = append(examSeconds, e.Took.Seconds()), append(again, oneIf(e.Tries > 1))
		} else {
			seconds, tries = append(seconds, e.Took.Seconds()), append(tries, float64(e.Tries))
		}
	}
	if len(seconds) > 0 {
		n.times(name+"request_time_", seconds)
		n.values[name+"average_num_attempts"] = mean(tries)
	}
	if len(again) > 0 {
		n.times(name+"eval_request_time_", examSeconds)
		n.values[name+"eval_retry_rate"] = mean(again)
	}
}

// times sets the values for the seconds of requests, 1 or more. n.mu is held.
func (n *Metrics) times(name string, seconds []float64) {
	slices.Sort(seconds)
	n.values[name+"avg"], n.values[name+"std"], n.values[name+"99p"] = mean(seconds), deviation(seconds), stats.Quantile(seconds, 0.99)
}

// oneIf is 1 if is, else 0.
func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// share is the share of values that satisfy is.
func share(values []float64, is func(float64) bool) float64 {
	n := 0
	for _, v := range values {
		if is(v) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(values)))
}

// Close hands a last row to the log, if anything happened since the previous one, and
// closes the log. Sums over less than half the time of a row would be those of a moment: then
// that row has only the totals and the values of the last step.
func (n *Metrics) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	switch {
	case n.sum.empty() && len(n.values) == 0:
	case n.rows == 0 || n.last.Sub(n.since) >= n.every/2:
		err = n.writeSums()
	default:
		err = n.write(time.Now(), n.values)
	}
	return errors.Join(err, n.log.Close())
}
