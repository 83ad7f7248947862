package curriculum

import (
	"fmt"
	"math"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// The sizes of the simulation.
const (
	simTasks  = 8
	simLevels = 6
	simGroup  = 8     // episodes of a group
	simMost   = 20000 // groups, after which a learner is given up
	simSeeds  = 5
	simTarget = 0.8 // mean chance of a right reply at all levels of the learnable tasks
)

// A learner models a policy. Each level of each task has a skill, the logit of the chance
// of a right reply. A group with right and wrong replies raises the skill of its level by
// the rate times the variance of the scores, and other levels by a part of this that falls
// with every level between.
type learner struct {
	name     string
	begins   float64 // mean skill at the easiest level
	varies   float64 // by which the first task begins below that, and the last above it
	falls    float64 // drop of the initial skill from level to level
	rate     float64
	carry    float64 // part of the learning at a level that reaches the next
	forget   float64 // share of the learning forgotten with each group of any task
	hopeless int     // tasks without a right reply, the first ones
	guessed  int     // tasks guessed right every other time, the next ones
	hole     bool    // the easiest level of each task cannot be learned
	odd      bool    // nobody can waste few groups: nothing is right for long, at all levels or at the next
}

// learners are the simulated learners.
var learners = []learner{
	{name: "fast", begins: -1, falls: 1.5, carry: 0.6, rate: 0.4},
	{name: "slow", begins: -1, falls: 1.5, carry: 0.6, rate: 0.05},
	{name: "able", begins: 2, falls: 1, carry: 0.6, rate: 0.1},
	{name: "forgetting", begins: -1, falls: 1.5, carry: 0.6, rate: 0.4, forget: 5e-4},
	{name: "stuck", begins: -1, falls: 1.5, carry: 0.6, rate: 0.2, hopeless: 2, guessed: 2},
	{name: "steep", begins: -1, falls: 2, carry: 0.5, rate: 0.2, odd: true},
	{name: "uneven", begins: 0, falls: 1.5, carry: 0.6, rate: 0.2, hole: true},
	{name: "weak", begins: -4.4, falls: 1, carry: 0.6, rate: 0.2, odd: true}, // 3 replies of 1,000 are right, over all levels
	{name: "lost", begins: -4.4, falls: 1, carry: 0.6, rate: 0.2, hopeless: 6},
	{name: "unteachable", begins: -4.4, falls: 1, odd: true},
	{name: "unteachable, able in some tasks", begins: -4.4, varies: 1.5, falls: 1, odd: true},
}

// A pupil is a learner at work.
type pupil struct {
	learner
	learned [simTasks][simLevels]float64
	r       *rng.Rand
}

// chance returns the chance of a right reply.
func (p *pupil) chance(task, level int) float64 {
	switch {
	case task < p.hopeless || p.hole && level == 0:
		return 0
	case task < p.hopeless+p.guessed:
		return 0.5
	}
	begins := p.begins + p.varies*(2*float64(task)/(simTasks-1)-1)
	return 1 / (1 + math.Exp(float64(level)*p.falls-begins-p.learned[task][level]))
}

// play plays a group, and learns from it.
func (p *pupil) play(task, level int) []float64 {
	scores := make([]float64, simGroup)
	for i := range scores {
		if p.r.Chance(p.chance(task, level)) {
			scores[i] = 1
		}
	}
	mean := sum(scores) / simGroup
	if p.forget > 0 {
		for t := range p.learned {
			for l := range p.learned[t] {
				p.learned[t][l] *= 1 - p.forget
			}
		}
	}
	for l := range p.learned[task] {
		gain := p.rate * 4 * mean * (1 - mean) * math.Pow(p.carry, math.Abs(float64(l-level)))
		p.learned[task][l] = min(p.learned[task][l]+gain, 12)
	}
	return scores
}

// score returns the mean chance at all learnable levels.
func (p *pupil) score() float64 {
	total, n := 0.0, 0
	for task := p.hopeless + p.guessed; task < simTasks; task++ {
		for level := range simLevels {
			if chance := p.chance(task, level); chance > 0 {
				total, n = total+chance, n+1
			}
		}
	}
	return total / float64(n)
}

// An outcome is the result of a simulation.
type outcome struct {
	groups float64 // until the target; simMost: never
	wasted float64 // of these, groups with equal scores
}

// simulate teaches a learner. Without a curriculum it plays all tasks in turn at one level.
func simulate(l learner, p plan, seed uint64) (o outcome) {
	courses := make([]Course, simTasks)
	for i := range courses {
		courses[i] = Course{Name: fmt.Sprint(i), Levels: simLevels, Weight: 1}
	}
	c, err := New(p.settings, seed, courses)
	if err != nil {
		panic(err)
	}
	at := &pupil{learner: l, r: rng.New(seed, "pupil", l.name)}
	for ; o.groups < simMost; o.groups++ {
		if int(o.groups)%simTasks == 0 && at.score() >= simTarget {
			break
		}
		number := int(o.groups)%simTasks*simLevels + p.level
		if p.settings.Mode != None {
			number = c.Choose()
		}
		scores := at.play(number/simLevels, number%simLevels)
		c.Note(number, scores)
		if mean := sum(scores) / simGroup; mean == 0 || mean == 1 {
			o.wasted++
		}
	}
	return o
}

// taught returns the share of groups that taught something.
func (o outcome) taught() float64 { return 1 - o.wasted/o.groups }

// mean returns the mean outcome of all seeds.
func (p plan) mean(l learner) (mean outcome) {
	for seed := range uint64(simSeeds) {
		o := simulate(l, p, seed)
		mean.groups += o.groups / simSeeds
		mean.wasted += o.wasted / simSeeds
	}
	return mean
}

// A plan is a way of choosing problems.
type plan struct {
	name     string
	settings Settings
	level    int // to play without a curriculum
}

// with returns a plan with a curriculum.
func with(name string, m Mode, by Controller) plan {
	s := Default()
	s.Mode, s.Controller = m, by
	return plan{name: name, settings: s}
}

// none returns the outcome without a curriculum, at the best level.
func none(l learner) (best outcome) {
	best.groups = math.Inf(1)
	for level := range simLevels {
		o := plan{settings: Default(), level: level}.mean(l)
		if o.groups < best.groups || o.groups == best.groups && o.wasted < best.wasted {
			best = o
		}
	}
	return best
}

// mostShare is the part of the draws that are left when the floor and the search have theirs.
const mostShare = 0.95

// The test prints the table of docs/benchmarks-learning.md.
func TestTeachingWastesLessThanOtherCurricula(t *testing.T) {
	for _, l := range learners[:min(simLearners, len(learners))] {
		without := none(l)
		random := with("random", Random, Teaching).mean(l)
		atropos := with("atropos", Adaptive, Atropos).mean(l)
		ours := with("teaching", Adaptive, Teaching).mean(l)
		row := "| " + l.name
		for _, o := range []outcome{without, random, atropos, ours} {
			reached := fmt.Sprintf("%.0f", o.groups)
			if o.groups == simMost {
				reached = "never"
			}
			row += fmt.Sprintf(" | %s | %.0f", reached, o.wasted)
		}
		t.Log(row + fmt.Sprintf(" | %.2f | %.2f |", ours.wasted/random.wasted, ours.wasted/atropos.wasted))
		if ours.groups > without.groups {
			t.Errorf("%s: %.0f groups until the target, without a curriculum %.0f", l.name, ours.groups, without.groups)
		}
		if ours.taught() < mostShare*without.taught() {
			t.Errorf("%s: a share of %.4f of the groups teaches, without a curriculum %.4f", l.name, ours.taught(), without.taught())
		}
		most := min(random.wasted, atropos.wasted) / 2
		if l.odd {
			most *= 2 / mostShare
		}
		if ours.wasted > most {
			t.Errorf("%s: %.0f groups are wasted, want %.0f at most", l.name, ours.wasted, most)
		}
	}
}
