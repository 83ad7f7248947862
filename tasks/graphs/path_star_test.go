package graphs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPathStarScore(t *testing.T) {
	item := pathStarItem{Center: 5, Goal: 12, PathLength: 2, GoalPath: []int{5, 81, 12}, Edges: [][2]int{{5, 81}, {81, 12}, {5, 7}, {7, 30}}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"5 81 12", 1, ""}, {"5, 81, 12.", 1, "separators"}, {"5 → 81 -> 12", 1, "arrows"}, {"5\n81\n12", 1, ""},
		{"12 81 5", 0, "backwards"}, {"5 81", 0, "not to the end"}, {"81 12", 0, "without the first"}, {"5 7 30", 0, "another arm"}, {"5 12", 0, "the ends alone"}, {"5 81 12 12", 0, ""}, {"58112", 0, ""}, {"", 0, "nothing"},
	})
}

func TestPathStarParams(t *testing.T) {
	tasktest.Refused(t, pathStar.Task(), map[string]string{
		`{"degree":1}`: "degree", `{"degree":101}`: "degree", `{"node_range":16}`: "node_range", `{"min_path_length":1}`: "min_path_length", `{"max_path_length":2}`: "max_path_length", `{"max_path_length":201}`: "max_path_length",
	})
	tasktest.RefusedRecords(t, pathStar.Task(), []string{
		`{}`, `{"goal_path":[1]}`, `{"goal_path":[1,2],"edges":[[1,3]]}`, `{"goal_path":[1,2],"answer":"1 3"}`, `{"goal_path":[1,2],"edges":[[1,2]],"phrasing":6}`,
	})
}

var (
	pathStarEdgeRE = regexp.MustCompile(`(\d+)(?:-|--| and |/|,)(\d+)|(\d+) (\d+)(?: \||\n\n)`)
	pathStarEndsRE = regexp.MustCompile(`(?:from node|from|in town|starts at) (\d+) (?:to node|to|until you reach|and want to go to town|and arrives at) (\d+)`)
)

// The second solver reads the edges and goes back from the last node, which has one
// neighbor.
func TestPathStarSecond(t *testing.T) {
	tasktest.Second(t, pathStar.Task(), 1002, func(item pathStarItem, prompt, got string) error {
		next := map[string][]string{}
		for _, m := range pathStarEdgeRE.FindAllStringSubmatch(prompt, -1) {
			m = slices.DeleteFunc(m[1:], func(s string) bool { return s == "" })
			next[m[0]], next[m[1]] = append(next[m[0]], m[1]), append(next[m[1]], m[0])
		}
		ends := pathStarEndsRE.FindStringSubmatch(prompt)
		var ways []string
		var walk func(way []string)
		walk = func(way []string) {
			last := way[len(way)-1]
			if last == ends[2] {
				ways = append(ways, strings.Join(way, " "))
				return
			}
			for _, node := range next[last] {
				if !slices.Contains(way, node) {
					walk(append(slices.Clone(way), node))
				}
			}
		}
		walk([]string{ends[1]})
		if len(next) != len(item.Edges)+1 || !slices.Equal(ways, []string{got}) {
			return fmt.Errorf("%d nodes for %d edges; the ways are %q, want %q", len(next), len(item.Edges), ways, got)
		}
		return nil
	})
}

func TestPathStarKeys(t *testing.T) {
	tasktest.Variant(t, pathStar.Task(), "the edges in another order", func(p *pathStarItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, p.Edges)
		return nil
	})
	tasktest.Variant(t, pathStar.Task(), "the other way round", func(p *pathStarItem, _ *rng.Rand) func(string) string {
		slices.Reverse(p.GoalPath)
		return func(string) string { return numbers(p.GoalPath) }
	})
	tasktest.Other(t, pathStar.Task(), "an arm less", func(p *pathStarItem) {
		if len(p.Edges) > len(p.GoalPath) {
			p.Edges = slices.DeleteFunc(p.Edges, func(e [2]int) bool { return !slices.Contains(p.GoalPath, e[1]) })
		}
	})
}
