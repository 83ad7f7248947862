package catalog_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// TestFewOpeningsAreTold counts the openings of levels that say they have fewer than 100: of 1,500 problems
// there are as many, of fewer problems no more.
func TestFewOpeningsAreTold(t *testing.T) {
	const all = 1500
	draws := min(all, 2*splitDraws)
	for _, g := range catalog.Games() {
		for level, want := range g.Openings {
			if want == 0 || want >= 100 {
				continue
			}
			seen := map[quintain.Key]bool{}
			for index := range draws {
				p, err := g.Task.Problem(quintain.Draw{Seed: 1, Level: level, Index: index})
				if err != nil {
					t.Fatal(err)
				}
				key, err := quintain.KeyOf(g.Task, p)
				if err != nil {
					t.Fatal(err)
				}
				seen[key] = true
			}
			if len(seen) > want || draws == all && len(seen) < want {
				t.Errorf("%s:%d has %d openings among %d problems, want %d", g.Scenario.Name, level, len(seen), draws, want)
			}
		}
	}
}
