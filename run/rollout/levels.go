package rollout

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Levels returns the level of each of streams, as people count: that of its task or, if all
// streams of the task have parameters of their own, its number among them, from 0. Neither:
// quintain.OwnParams.
func Levels(streams []Stream) []int {
	levels, _ := levelsOf(streams)
	return levels
}

// levelsOf returns the levels of streams, and which streams a label names by their task alone.
func levelsOf(streams []Stream) (levels []int, bare []bool) {
	levels, bare = make([]int, len(streams)), make([]bool, len(streams))
	all, own := map[string]int{}, map[string]int{} // streams of each task
	for i, s := range streams {
		name := s.Scenario.TaskInfo().Name
		all[name]++
		levels[i], bare[i] = s.Level, s.own()
		if bare[i] {
			levels[i] = own[name]
			own[name]++
		}
	}
	for i, s := range streams {
		name := s.Scenario.TaskInfo().Name
		if bare[i] && own[name] < all[name] {
			levels[i] = quintain.OwnParams
		}
		bare[i] = bare[i] && (all[name] == 1 || levels[i] == quintain.OwnParams)
	}
	return levels, bare
}

// own reports whether the problems of s have parameters of their own, or cannot be made.
func (s Stream) own() bool {
	p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
	return err != nil || p.Level == quintain.OwnParams
}

// Labels returns a distinct label for each of streams.
func Labels(streams []Stream) []string {
	labels, taken := make([]string, len(streams)), map[string]int{}
	levels, bare := levelsOf(streams)
	for i, s := range streams {
		switch name := s.Scenario.TaskInfo().Name; {
		case s.Label != "":
			labels[i] = s.Label
		case bare[i]:
			labels[i] = name
		default:
			labels[i] = fmt.Sprintf("%s:%d", name, levels[i])
		}
		if taken[labels[i]]++; taken[labels[i]] > 1 {
			labels[i] += fmt.Sprintf(" (%d)", taken[labels[i]])
		}
	}
	return labels
}
