package rollout

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A seat's baseline is read before its group moves it, and is one of its stream and seat alone.
func TestSeatsHaveBaselinesOfTheirOwn(t *testing.T) {
	m := newTestMix(t)
	rules := Rules{Estimator: GRPO, Baseline: BaselineSeat, TurnDiscount: 1, MaskTooLong: true}
	jobs, _ := take(t, m, 3) // of the streams a, b and b
	want := map[string]float64{}
	for i, c := range []struct {
		job    Job
		seat   int
		scores [2]float64
	}{
		{jobs[0], 0, [2]float64{1, 0}}, {jobs[0], 0, [2]float64{1, 1}}, {jobs[0], 1, [2]float64{0, 0}}, {jobs[0], 1, [2]float64{0, 1}},
		{jobs[0], 0, [2]float64{0, 0}}, {jobs[1], 0, [2]float64{1, 1}}, {jobs[2], 0, [2]float64{0, 1}},
	} {
		r := Result{Job: c.job}
		r.Job.Problem = c.job.Problem.At(c.seat)
		for _, score := range c.scores {
			r.Trajectories = append(r.Trajectories, quintain.Trajectory{Outcome: quintain.Scored, Turns: []quintain.Turn{{
				Reward: score, Read: []quintain.Token{1}, Wrote: []quintain.Token{2}, LogProbs: []float32{-1}, Versions: []int32{0}, Finish: quintain.Stop,
			}}})
		}
		cut := quintain.Turn{Reward: 5, Read: []quintain.Token{1}, Wrote: []quintain.Token{2}, LogProbs: []float32{-1}, Versions: []int32{0}, Finish: quintain.Length}
		r.Trajectories = append(r.Trajectories, quintain.Trajectory{Outcome: quintain.Scored, Turns: []quintain.Turn{cut}}) // it is not trained on
		parts, err := rules.JudgeSeats(r)
		if err != nil || parts[0].Group == nil {
			t.Fatalf("group %d: %+v, error %v", i, parts, err)
		}
		key := fmt.Sprint(c.job.Problem.Task, c.seat)
		mean := (c.scores[0] + c.scores[1]) / 2
		baseline, known := want[key]
		if !known {
			baseline = mean
		}
		for k, score := range c.scores {
			if got := parts[0].Group.Advantages[k]; got[0] != 0 || math.Abs(got[1]-(score-baseline)) > 1e-12 {
				t.Errorf("group %d of %s, episode %d: advantages %v, want %v", i, key, k, got, score-baseline)
			}
		}
		rules.Learn(m, parts)
		want[key] = baseline + 0.1*(mean-baseline)
	}
	saved, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	after := newTestMix(t)
	if err := after.UnmarshalJSON(saved); err != nil {
		t.Fatal(err)
	}
	for i, s := range after.streams {
		for seat, got := range s.seats.all() {
			if key := fmt.Sprint(s.Scenario.TaskInfo().Name, seat); got != m.streams[i].seats.of[seat] || math.Abs(got-want[key]) > 1e-12 {
				t.Errorf("%s: a later process has the baseline %v, want %v", key, got, want[key])
			}
		}
	}
	if n := len(after.streams[0].seats.all()); n != 2 {
		t.Errorf("a later process has %d baselines of the first stream, want 2", n)
	}
}

// Without baselines of seats, the record of a run has none.
func TestBaselinesOfGroupsAreNotKept(t *testing.T) {
	m := newTestMix(t)
	jobs, _ := take(t, m, 1)
	DefaultRules().Learn(m, []Judgement{{Result: Result{Job: jobs[0]}, Scores: []float64{1}}})
	if got := m.streams[0].seats.all(); got != nil {
		t.Errorf("it has %v", got)
	}
}

// All right is no better than the mean of all right.
func TestTheMeanOfOnesIsOne(t *testing.T) {
	for n := 1; n <= 60; n++ {
		if got := meanOf(slices.Repeat([]float64{1}, n)); got != 1 {
			t.Errorf("%d scores: %v", n, got)
		}
	}
}
