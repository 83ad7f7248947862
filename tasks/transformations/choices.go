package transformations

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A choice returns the index of one thing, or -1 if none stands out.
type choice func(things []thing) int

// most chooses the thing with the largest value of a measure.
func most(of func(t thing) int) choice {
	return func(things []thing) int {
		best := slices.MaxFunc(things, func(a, b thing) int { return cmp.Compare(of(a), of(b)) })
		at := -1
		for i, t := range things {
			if of(t) == of(best) && at >= 0 {
				return -1
			}
			if of(t) == of(best) {
				at = i
			}
		}
		return at
	}
}

// oddOne chooses the only thing with its color, out of three or more.
func oddOne(things []thing) int {
	at := -1
	for i, t := range things {
		if slices.ContainsFunc(things, func(o thing) bool { return o.color == t.color && o.box != t.box }) {
			continue
		}
		if at >= 0 || len(things) < 3 {
			return -1
		}
		at = i
	}
	return at
}

// choices are the ways to choose one thing.
var choices = []struct {
	name  string
	tier  int
	scene scene
	one   choice
}{
	{"largest", 1, things, most(func(t thing) int { return len(t.cells) })},
	{"smallest", 1, things, most(func(t thing) int { return -len(t.cells) })},
	{"highest", 2, things, most(func(t thing) int { return -t.top })},
	{"lowest", 2, things, most(func(t thing) int { return t.bottom })},
	{"leftmost", 2, things, most(func(t thing) int { return -t.left })},
	{"rightmost", 2, things, most(func(t thing) int { return t.right })},
	{"tallest", 3, things, most(func(t thing) int { return t.height() })},
	{"widest", 3, things, most(func(t thing) int { return t.width() })},
	{"oddly_colored", 2, oneOdd, oddOne},
}

// kinds are properties that some things have and others lack.
var kinds = []struct {
	name  string
	scene scene
	is    func(p *picture, t thing) bool
}{
	{"at_the_rim", things, func(p *picture, t thing) bool {
		h, w := size(p.board)
		return t.top == 0 || t.left == 0 || t.bottom == h-1 || t.right == w-1
	}},
	{"of_one_cell", things, func(_ *picture, t thing) bool { return len(t.cells) == 1 }},
	{"with_holes", hollows, func(_ *picture, t thing) bool { return len(t.holes()) > 0 }},
	{"rectangular", hollows, func(_ *picture, t thing) bool { return len(t.cells) == t.height()*t.width() }},
	{"symmetric", hollows, func(p *picture, t thing) bool { return grid.Equal(cut(p.board, t.box), mirrored(cut(p.board, t.box))) }},
	{"wider_than_tall", things, func(_ *picture, t thing) bool { return t.width() > t.height() }},
	{"taller_than_wide", things, func(_ *picture, t thing) bool { return t.height() > t.width() }},
}

// acts are treatments of chosen and other things.
var acts = []struct {
	name                string
	chosen, other, tier int // colors: 0 for the ground; itself: the thing's own. tier: the minimum
}{
	{"keep", itself, ground, 1},
	{"remove", ground, itself, 1},
	{"paint", paint, itself, 1},
	{"paint_all_but", itself, paint, 2},
}

const itself = -1

// thingRules choose things, or change each.
func thingRules() []rule {
	var all []rule
	for _, c := range choices {
		all = append(all, rule{"crop_" + c.name, c.tier, c.scene, func(p *picture) board {
			if t, ok := p.chosen(c.one); ok {
				return cut(p.board, t.box)
			}
			return nil
		}})
		for _, a := range acts {
			all = append(all, rule{a.name + "_" + c.name, max(c.tier, a.tier), c.scene, func(p *picture) board {
				t, ok := p.chosen(c.one)
				if !ok {
					return nil
				}
				return p.redrawn(func(o thing) int { return pick(o.box == t.box, a.chosen, a.other) })
			}})
		}
	}
	for _, k := range kinds {
		for _, a := range acts[:3] {
			all = append(all, rule{a.name + "_those_" + k.name, 3, k.scene, func(p *picture) board {
				is := func(t thing) bool { return k.is(p, t) }
				some, others := slices.ContainsFunc(p.things(), is), slices.ContainsFunc(p.things(), func(t thing) bool { return !is(t) })
				if !some || !others {
					return nil
				}
				return p.redrawn(func(o thing) int { return pick(is(o), a.chosen, a.other) })
			}})
		}
	}
	return append(append(all, changeRules...), cropRules...)
}

// chosen returns the chosen thing out of two or more.
func (p *picture) chosen(c choice) (t thing, ok bool) {
	things := p.things()
	if len(things) < 2 {
		return t, false
	}
	i := c(things)
	if i < 0 {
		return t, false
	}
	return things[i], true
}

// redrawn returns the picture with its things recolored.
func (p *picture) redrawn(color func(t thing) int) board {
	out := clone(p.board)
	for _, t := range p.things() {
		if c := color(t); c != itself {
			draw(out, t.cells, c)
		}
	}
	return out
}
