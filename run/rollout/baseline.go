package rollout

import (
	"maps"
	"sync"
)

// A Baseline says what the scores of a group are compared with.
type Baseline string

// The baselines.
const (
	BaselineGroup Baseline = "group" // each other, as the estimator says
	BaselineSeat  Baseline = "seat"  // the mean score of the seat so far, at this level; an episode of one seat has seat 0
)

// KeepsEqual reports whether groups with equal scores are kept.
func (r Rules) KeepsEqual() bool { return r.KeepEqual || r.Baseline == BaselineSeat }

// line returns the factor and the offset that turn a return into an advantage.
func (d *draft) line() (a, b float64, err error) {
	if d.rules.Baseline == BaselineSeat {
		return 1, -d.result.Job.baseline(d.compared), nil
	}
	return d.rules.Estimator.line(d.compared)
}

// baselineShare is the share of a group in the baseline of its seat.
const baselineShare = 0.1

// baselines are exponential means of the scores of groups, by seat. Many goroutines may use them.
type baselines struct {
	mu sync.Mutex
	of map[int]float64
}

// all returns a copy of them.
func (b *baselines) all() map[int]float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.of)
}

func (b *baselines) set(of map[int]float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of = maps.Clone(of)
}

// baseline returns the baseline of the job's seat: of the first group, the mean of its own scores.
func (j *Job) baseline(scores []float64) float64 {
	if j.stream != nil {
		j.stream.seats.mu.Lock()
		defer j.stream.seats.mu.Unlock()
		if mean, known := j.stream.seats.of[j.seat()]; known {
			return mean
		}
	}
	return meanOf(scores)
}

// seat is that of the job's problem.
func (j *Job) seat() int {
	if j.Problem.Seat == nil {
		return 0
	}
	return *j.Problem.Seat
}

// Learn moves the baselines of the seats of a played job, if the rules have some, towards their
// scores. The groups are made before.
func (r Rules) Learn(m *Mix, judged []Judgement) {
	if r.Baseline != BaselineSeat {
		return
	}
	for i := range judged {
		j := &judged[i]
		s := j.Job.stream
		compared := r.compared(j.Trajectories, j.Scores)
		if s == nil || len(compared) == 0 {
			continue
		}
		m.mu.Lock()
		s.seats.note(j.Job.seat(), meanOf(compared))
		m.log(change{Op: opLearn, Stream: s.number, Baselines: s.seats.all()})
		m.mu.Unlock()
	}
}

// note adds the mean score of a group.
func (b *baselines) note(seat int, score float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mean, known := b.of[seat]
	switch {
	case b.of == nil:
		b.of = map[int]float64{seat: score}
	case !known:
		b.of[seat] = score
	default:
		b.of[seat] = mean + float64(baselineShare*(score-mean))
	}
}

func meanOf(scores []float64) (mean float64) {
	for _, s := range scores {
		mean += s
	}
	return mean / float64(len(scores)) // divided once: the mean of ones is 1
}
