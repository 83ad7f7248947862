package watch

import (
	"slices"
	"strings"
)

// A chart shows numbers of one unit.
type chart struct {
	Title, Unit string
	Names       []string
	Band        bool // the last two series are the ends of an interval around the first
	Scores      bool // its numbers are scores
	Last        []reading
	Step        int // the last with a value
}

// A reading is the last value of a series.
type reading struct {
	Name  string
	Value float64
	Step  int
}

// heldOutChart is the chart of the evaluations.
func heldOutChart() chart {
	return chart{
		Title: "Score on held-out problems", Unit: "mean score", Band: true, Scores: true,
		Names: []string{"eval/percent_correct", "eval/percent_correct_low", "eval/percent_correct_high"},
	}
}

// charts are the charts of every run. A name that ends in a slash stands for all with that
// prefix.
func charts() []chart {
	return []chart{
		{Title: "Training problems", Unit: "mean score, difficulty", Scores: true, Names: []string{"train/score", "curriculum/avg_complexity"}},
		{Title: "Replies", Unit: "share of replies", Scores: true, Names: []string{"train/percent_correct", "train/malformed"}},
		{Title: "Signal", Unit: "share", Scores: true, Names: []string{"train/groups_differ", "train/commonest_answer"}},
		{Title: "Speed", Unit: "tokens a second", Names: []string{"train/tokens_per_s"}},
		{Title: "Groups", Unit: "groups a second", Names: []string{"train/groups_per_s", "train/kept_per_s"}},
		{Title: "Steps", Unit: "steps a second", Names: []string{"train/steps_per_s"}},
		{Title: "Dropped groups", Unit: "groups a second", Names: []string{"train/dropped_per_s/"}},
		{Title: "Staleness when trained on", Unit: "versions behind", Names: []string{"train/lag", "train/lag_max"}},
		{Title: "Length of replies", Unit: "tokens", Names: []string{"train/completion_lengths", "train/completion_lengths_min", "train/completion_lengths_max"}},
		{Title: "Time of a group", Unit: "seconds", Names: []string{"train_perf/task_duration_mean", "train_perf/task_duration_max"}},
	}
}

// trainingCharts are the charts of the training itself.
func trainingCharts() []chart {
	return []chart{
		{Title: "Entropy", Unit: "nats a token", Names: []string{"learn/entropy"}},
		{Title: "Distance to the reference, and drift", Unit: "nats a token", Names: []string{"learn/kl", "learn/drift"}},
		{Title: "Clipped tokens", Unit: "share of tokens", Names: []string{"learn/clip_fraction", "learn/cap_fraction"}},
		{Title: "Gradient", Unit: "norm", Names: []string{"learn/grad_norm"}},
		{Title: "Loss", Unit: "loss", Names: []string{"learn/loss", "learn/policy_loss"}},
	}
}

// fill fills in the existing series of a chart, and reports whether there are any.
func (c *chart) fill(numbers *runNumbers, names []string) bool {
	var all []string
	for _, want := range c.Names {
		for _, name := range names {
			if name == want || strings.HasSuffix(want, "/") && strings.HasPrefix(name, want) {
				all = append(all, name)
			}
		}
	}
	c.Band = c.Band && len(all) == len(c.Names)
	c.Names = all
	for _, name := range all {
		if p, there := numbers.Last(name); there {
			if c.Step = max(c.Step, int(p.Step)); c.Last == nil {
				c.Step = int(p.Step)
			}
			c.Last = append(c.Last, reading{name, p.Value, int(p.Step)})
		}
	}
	return len(all) > 0
}

// seriesOf lists the series of all charts of a page.
func (p *runPage) seriesOf() (names []string) {
	if p.Curve != nil {
		names = slices.Clone(p.Curve.Names)
	}
	for _, c := range slices.Concat(p.Charts, p.Training) {
		names = append(names, c.Names...)
	}
	return names
}
