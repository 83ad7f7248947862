//go:build heavy

package puzzles

import (
	"regexp"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// Knowing the names and the words is no solution.
func TestKnightsKnavesBlind(t *testing.T) {
	names := regexp.MustCompile(`(?m)^(\w+) \w+: "`)
	form := regexp.MustCompile(`Ann is (an? \w+), and Bob is (an? \w+)\.`)
	for kind, name := range []string{"calling everybody a knight", "calling everybody a knave"} {
		tasktest.Blind(t, knightsKnaves.Task(), name, func(prompt, _ string) string {
			said := ""
			for _, found := range names.FindAllStringSubmatch(prompt, -1) {
				said += found[1] + " is " + form.FindStringSubmatch(prompt)[1+kind] + ", "
			}
			return said
		})
	}
}
