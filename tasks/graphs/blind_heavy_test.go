//go:build heavy

package graphs

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// The order of the prompt earns nothing.
func TestSalesmanInOrder(t *testing.T) {
	tasktest.Blind(t, travelingSalesman.Task(), "the points in their order", func(prompt, _ string) string {
		var names []string
		for _, point := range pointRE.FindAllStringSubmatch(prompt, -1) {
			names = append(names, point[1])
		}
		return strings.Join(names, " ")
	})
}

// The greedy choice and all sets earn nothing.
func TestSetCoverTrivial(t *testing.T) {
	tasktest.Blind(t, setCover.Task(), "all sets", func(prompt, _ string) string {
		var names []string
		for _, line := range coverRE.FindAllStringSubmatch(prompt, -1) {
			names = append(names, line[1])
		}
		return strings.Join(names, " ")
	})
}

// The order of the prompt and the order by deadline earn nothing.
func TestSchedulingTrivial(t *testing.T) {
	by := func(column int) func(prompt, _ string) string {
		return func(prompt, _ string) string {
			jobs := jobRE.FindAllStringSubmatch(prompt, -1)
			slices.SortStableFunc(jobs, func(a, b []string) int {
				left, _ := strconv.Atoi(a[column])
				right, _ := strconv.Atoi(b[column])
				return left - right
			})
			var names []string
			for _, job := range jobs {
				names = append(names, job[1])
			}
			return strings.Join(names, " ")
		}
	}
	for column, name := range []string{1: "the order of the prompt", 2: "the shortest first", 3: "the first deadline first"} {
		if name != "" {
			tasktest.Blind(t, jobScheduling.Task(), name, by(column))
		}
	}
}

// Closing all roads earns nothing.
func TestMinCutAllRoads(t *testing.T) {
	tasktest.Blind(t, minCut.Task(), "all roads", func(prompt, _ string) string { return roadsOf(prompt, "") })
}
