package transformations

import (
	"slices"
	"sync"
)

// A rule is one transformation. Every picture of its scene is one to which it is meant to be
// applied.
type rule struct {
	name  string
	tier  int // 1 to 3, from the simplest
	scene scene
	apply func(p *picture) board // leaves p as it is; nil: it cannot be applied
}

// rules is the catalogue.
var rules = sync.OnceValue(func() []rule {
	return slices.Concat(placeRules, maskRules, colorRules, thingRules(), dotRules, panelRules(), repairRules(), rowRules)
})

// tierRules are the rules up to a tier, by tier.
var tierRules = sync.OnceValue(func() (tiers [4][]*rule) {
	all := rules()
	for i := range all {
		for tier := all[i].tier; tier < len(tiers); tier++ {
			tiers[tier] = append(tiers[tier], &all[i])
		}
	}
	return tiers
})

// fits reports whether got, in which paint stands for one color, is want. Brush is that color,
// once it is known, and else 0.
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
