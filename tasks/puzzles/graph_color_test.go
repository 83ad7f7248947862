package puzzles

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestGraphColorScore(t *testing.T) {
	item := graphColorItem{
		PossibleAnswer: coloring{{0, 1}, {1, 2}, {2, 1}},
		Puzzle:         graphPuzzle{Vertices: []int{0, 1, 2}, Edges: [][2]int{{0, 1}, {1, 2}}, NumColors: 3, ColorOptions: []int{1, 2, 3}},
		NumVertices:    3,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{`{"0": 1, "1": 2, "2": 1}`, 1, ""},
		{"\n{\"2\":3,\"1\":2,\"0\":1}\n", 1, "any proper coloring, in any order"},
		{`{"0": 1.0, "1": 2e0, "2": 1}`, 1, "the same numbers"},
		{`{"0": 1, "1": 2, "2": 1, "3": 9}`, 1, "an unknown vertex, as in reasoning-gym"},
		{`{"0": 2, "0": 1, "1": 2, "2": 1}`, 1, "of two values the last counts"},
		{`{"0": 1, "1": 1, "2": 2}`, 0, "an edge within one color, where reasoning-gym pays 0.01"},
		{`{"0": 1, "1": 2}`, 0, "a vertex is left out"},
		{`{"0": 1, "1": 2, "2": 4}`, 0, "there is no color 4"},
		{`{"0": 1, "1": 2, "2": 0}`, 0, "nor 0"},
		{`{"0": 1, "1": 2, "2": 1.5}`, 0, ""},
		{`{"0": 1, "1": 2, "2": 1e999}`, 0, ""},
		{`{"0": "1", "1": "2", "2": "1"}`, 0, "texts are not colors"},
		{`{"0": 1, "1": 2, "2": null}`, 0, ""},
		{`{0: 1, 1: 2, 2: 1}`, 0, "no JSON"},
		{`{'0': 1, '1': 2, '2': 1}`, 0, ""},
		{`[1, 2, 1, 0]`, 0, "no object; reasoning-gym accepts this one"},
		{`{}`, 0, ""},
		{``, 0, "nothing"},
	})
}

func TestGraphColorRecords(t *testing.T) {
	for _, bad := range []string{
		`{}`,
		`{"possible_answer":{"0":1,"1":1},"puzzle":{"vertices":[0,1],"edges":[[0,1]],"color_options":[1,2]}}`,
		`{"possible_answer":{"0":1},"puzzle":{"vertices":[0,1],"edges":[[0,1]],"color_options":[1,2]}}`,
		`{"possible_answer":{"0":1,"1":3},"puzzle":{"vertices":[0,1],"edges":[[0,1]],"color_options":[1,2]}}`,
		`{"possible_answer":{"0":1,"1":2},"puzzle":{"vertices":[0,1],"edges":[[0,2]],"color_options":[1,2]}}`,
		`{"possible_answer":{"0":1,"1":2},"puzzle":{"vertices":[0,1],"edges":[[0,1]],"color_options":[1,2]},"phrasing":99}`,
	} {
		_, err := graphColor.Task().Grade(quintain.Problem{Task: "graph_color", Instance: quintain.RawRecord([]byte(bad))}, "{}")
		if err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

var edgeRE = regexp.MustCompile(`(\d+)-(\d+)`)

// The second solver reads the graph from the prompt and checks the answer against it. It
// also checks that one color is never enough.
func TestGraphColorSecond(t *testing.T) {
	tasktest.Second(t, graphColor.Task(), 1200, func(item graphColorItem, prompt, got string) error {
		var colors map[string]int
		if err := json.Unmarshal([]byte(got), &colors); err != nil {
			return err
		}
		lines := strings.Split(prompt, "\n")
		vertices := strings.Split(strings.TrimPrefix(lines[1], "Vertices: "), ", ")
		if len(colors) != len(vertices) || len(vertices) != item.NumVertices {
			return fmt.Errorf("%d colors for %d vertices", len(colors), len(vertices))
		}
		edges := edgeRE.FindAllStringSubmatch(lines[2], -1)
		for _, edge := range edges {
			if edge[1] == edge[2] || colors[edge[1]] == colors[edge[2]] {
				return fmt.Errorf("edge %s", edge[0])
			}
		}
		options := strings.Split(strings.TrimPrefix(lines[3], "Colors: "), ", ")
		for v, color := range colors {
			if _, err := strconv.Atoi(v); err != nil || color < 1 || color > len(options) {
				return fmt.Errorf("vertex %s has color %d", v, color)
			}
		}
		if len(edges) == 0 || len(edges) != len(item.Puzzle.Edges) {
			return fmt.Errorf("the prompt has %d edges", len(edges))
		}
		return nil
	})
}

func TestGraphColorKeys(t *testing.T) {
	tasktest.Variant(t, graphColor.Task(), "other numbers of the vertices", func(g *graphColorItem, r *rng.Rand) func(string) string {
		to := slices.Clone(g.Puzzle.Vertices)
		rng.Shuffle(r, to)
		renamed := map[int]int{}
		for i, vertex := range g.Puzzle.Vertices {
			renamed[vertex] = to[i]
		}
		for i, e := range g.Puzzle.Edges {
			g.Puzzle.Edges[i] = [2]int{renamed[e[0]], renamed[e[1]]}
		}
		for i, v := range g.PossibleAnswer {
			g.PossibleAnswer[i].vertex = renamed[v.vertex]
		}
		return func(answer string) string {
			return regexp.MustCompile(`"\d+"`).ReplaceAllStringFunc(answer, func(vertex string) string {
				n, err := strconv.Atoi(strings.Trim(vertex, `"`))
				if err != nil {
					t.Fatal(err)
				}
				return strconv.Quote(strconv.Itoa(renamed[n]))
			})
		}
	})
	tasktest.Other(t, graphColor.Task(), "an edge less", func(g *graphColorItem) { g.Puzzle.Edges = g.Puzzle.Edges[1:] })
	tasktest.Same(t, graphColor.Task(), "edges may be in any order and either way round", func(g *graphColorItem) {
		slices.Reverse(g.Puzzle.Edges)
		for i, e := range g.Puzzle.Edges {
			g.Puzzle.Edges[i] = [2]int{e[1], e[0]}
		}
	})
	tasktest.Same(t, graphColor.Task(), "the coloring in the record does not matter", func(g *graphColorItem) {
		for i, v := range g.PossibleAnswer {
			g.PossibleAnswer[i].color = g.Puzzle.NumColors + 1 - v.color
		}
	})
}
