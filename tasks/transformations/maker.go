package transformations

import (
	"fmt"
	"math"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// makeRearc draws a rule, and pictures, until the examples leave one answer.
func makeRearc(p rearcParams, r *rng.Rand) (rearcItem, error) {
	const tries = 400
	for range tries {
		rule := rng.Pick(r, tierRules()[p.MaxTier])
		item := rearcItem{TaskID: rule.name, Phrasing: r.Between(0, len(gridPhrasings)-1)}
		item.Examples = make([]gridPair, r.Between(p.MinExamples, p.MaxExamples))
		w := p.painter(r)
		if item.draw(rule, w) && !item.doubtful() {
			item.RNG, item.PSO = float64(w.space)/1000, float64(w.crowd)/1000
			return item, nil
		}
	}
	return rearcItem{}, fmt.Errorf("no examples that leave one answer found in %d tries", tries)
}

// painter draws the size, the fullness and the colors of one problem's pictures.
func (p rearcParams) painter(r *rng.Rand) *painter {
	space := drawIn(p.RNGRanges, p.RNGWeights, r)
	w := &painter{r: r, space: min(max(space, thousandths(p.DiffLB)), thousandths(p.DiffUB)), crowd: drawIn(p.PSORanges, p.PSOWeights, r)}
	for _, c := range rng.Different(r, 4+w.crowd/200, 1, 9) {
		w.palette = append(w.palette, int(c))
	}
	w.brush, w.palette = w.palette[0], w.palette[1:]
	return w
}

// drawIn draws a number, in thousandths, from one of the ranges.
func drawIn(ranges [][2]float64, weights []float64, r *rng.Rand) int {
	one := ranges[task.Weighted(weights, r.Float())]
	return r.Between(thousandths(one[0]), thousandths(one[1]))
}

func thousandths(x float64) int { return int(math.Round(1000 * x)) }

// draw draws the examples and the picture in question. It reports false if the rule does
// too little.
func (t *rearcItem) draw(rule *rule, w *painter) bool {
	alike := true // all outputs are the same
	for i := range len(t.Examples) + 1 {
		pair, drawn := w.pair(rule)
		if !drawn {
			return false
		}
		for _, e := range t.Examples[:i] {
			if grid.Equal(e.Input, pair.Input) {
				return false
			}
			alike = alike && grid.Equal(e.Output, pair.Output)
		}
		if i == len(t.Examples) {
			t.Input, t.Output = pair.Input, pair.Output
			break
		}
		t.Examples[i] = pair
	}
	return !alike
}

// pair draws a picture that the rule turns into another, with colors.
func (p *painter) pair(rule *rule) (pair gridPair, drawn bool) {
	const tries = 20
	for range tries {
		in := rule.scene(p)
		out := rule.apply(&picture{board: in})
		if out == nil || grid.Equal(in, out) || count(out) == 0 {
			continue
		}
		return gridPair{in, each(out, func(c int) int { return pick(c == paint, p.brush, c) })}, true
	}
	return pair, false
}

// doubtful reports whether some rule fits all examples but has another result for the
// picture in question.
func (t *rearcItem) doubtful() bool {
	pictures := make([]picture, len(t.Examples)+1)
	for i, e := range t.Examples {
		pictures[i].board = e.Input
	}
	pictures[len(t.Examples)].board = t.Input
	all := rules()
	for i := range all {
		if t.misleads(&all[i], pictures) {
			return true
		}
	}
	return false
}

// misleads reports whether a rule fits all examples, but has another result for the picture
// in question, the last one, or one that the examples do not determine.
func (t *rearcItem) misleads(rule *rule, pictures []picture) bool {
	brush := ground
	for i, e := range t.Examples {
		if !fits(rule.apply(&pictures[i]), e.Output, &brush) {
			return false
		}
	}
	if brush == ground {
		brush = edge // not a color
	}
	out := rule.apply(&pictures[len(t.Examples)])
	return out != nil && !fits(out, t.Output, &brush)
}
