package transformations

import (
	"slices"
	"sync"
)

// A rule is one transformation. It applies to every picture of its scene.
type rule struct {
	name  string
	tier  int // 1 to 3, simplest first
	scene scene
	apply func(p *picture) board // must not change p; nil: the rule does not apply
}

// rules is the catalogue.
var rules = sync.OnceValue(func() []rule {
	return slices.Concat(placeRules, maskRules, colorRules, thingRules(), dotRules, panelRules(), repairRules(), rowRules)
})

// tierRules[i] are the rules up to tier i.
var tierRules = sync.OnceValue(func() (tiers [4][]*rule) {
	all := rules()
	for i := range all {
		for tier := all[i].tier; tier < len(tiers); tier++ {
			tiers[tier] = append(tiers[tier], &all[i])
		}
	}
	return tiers
})

// fits reports whether got equals want, with paint standing for one color. brush is that
// color, or 0 until it is known.
func fits(got, want board, brush *int) bool {
	if len(got) != len(want) || len(got) > 0 && len(got[0]) != len(want[0]) {
		return false
	}
	for i, row := range got {
		for j, c := range row {
			if c == paint && *brush == 0 {
				*brush = want[i][j]
			}
			if c == paint {
				c = *brush
			}
			if c != want[i][j] || c == ground && row[j] == paint {
				return false
			}
		}
	}
	return got != nil
}
