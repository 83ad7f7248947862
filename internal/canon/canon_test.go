package canon

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func ExampleGraph() {
	square := func(order [4]int) string {
		var g Graph
		g.Nodes(4, 0)
		for i := range order {
			g.Join(order[i], order[(i+1)%4], 0)
		}
		g.Join(order[0], order[2], 0)
		return g.Key()
	}
	fmt.Println(square([4]int{0, 1, 2, 3}) == square([4]int{2, 0, 3, 1}))
	// Output: true
}

func ExampleNames() {
	names := Names[string]{}
	for _, word := range strings.Fields("tea milk tea") {
		fmt.Print(names.Of(word), " ")
	}
	// Output: 1 2 1
}

// All eight sides of a grid are different, and have one front.
func TestSides(t *testing.T) {
	grid := [][]int{{1, 2, 3}, {4, 5, 6}}
	texts := map[string]bool{}
	text := func(g [][]int) string { return fmt.Sprint(g) }
	for side := range Sides {
		seen := Seen(grid, side)
		texts[text(seen)] = true
		if got := text(Front(seen)); got != "[[1 2 3] [4 5 6]]" {
			t.Errorf("side %d: the front is %s", side, got)
		}
	}
	if len(texts) != Sides || !texts["[[1 2 3] [4 5 6]]"] || !texts["[[1 4] [2 5] [3 6]]"] || !texts["[[3 2 1] [6 5 4]]"] || !texts["[[4 1] [5 2] [6 3]]"] {
		t.Errorf("the sides are %v", texts)
	}
	if len(Front([][]int{})) != 0 || len(Front([][]int{{}})) != 1 {
		t.Error("a grid without cells has a front")
	}
	if got := text(Front(grid, 3, 1)); got != "[[4 5 6] [1 2 3]]" {
		t.Errorf("of two sides, the front is %s", got)
	}
}

// A random graph keeps its key under renaming, and gets another one with an edge turned round, or with
// another kind of a node or an edge.
func TestGraphKeys(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		nodes, edges := make([]int, 30), make([][3]int, 60)
		for i := range nodes {
			nodes[i] = r.IntN(2)
		}
		for i := range edges {
			edges[i] = [3]int{i % 30, (i + 1 + r.IntN(29)) % 30, r.IntN(2)}
		}
		key := func(name []int) string {
			var g Graph
			for node := range nodes {
				g.Node(nodes[slices.Index(name, node)])
			}
			for _, e := range edges {
				g.Arrow(name[e[0]], name[e[1]], e[2])
			}
			return g.Key()
		}
		same := make([]int, len(nodes))
		for i := range same {
			same[i] = i
		}
		want, order := key(same), r.Perm(len(nodes))
		r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		if got := key(order); got != want {
			t.Fatalf("seed %d: another key in another order", seed)
		}
		for name, change := range map[string]func(){
			"an edge turned round":    func() { edges[0][0], edges[0][1] = edges[0][1], edges[0][0] },
			"another kind of an edge": func() { edges[0][2] ^= 1 },
			"another kind of a node":  func() { nodes[0] ^= 1 },
		} {
			before, kinds := edges[0], slices.Clone(nodes)
			if change(); key(same) == want {
				t.Errorf("seed %d: %s has the same key", seed, name)
			}
			edges[0] = before
			copy(nodes, kinds)
		}
	}
}

// Singling out a node tells two triangles from a ring of six, which refining alone does not.
func TestRegularGraphs(t *testing.T) {
	key := func(next [6]int) string {
		var g Graph
		g.Nodes(6, 0)
		for i, to := range next {
			g.Join(i, to, 0)
		}
		return g.Key()
	}
	if key([6]int{1, 2, 0, 4, 5, 3}) == key([6]int{1, 2, 3, 4, 5, 0}) {
		t.Error("two triangles have the key of a ring of six")
	}
}

// A long chain takes little work.
func TestLongGraph(t *testing.T) {
	var g Graph
	g.Nodes(20_000, 0)
	for i := range 19_999 {
		g.Join(i, i+1, 0)
	}
	if g.Key() == "" {
		t.Error("no key")
	}
}

func BenchmarkGraph(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var g Graph
	g.Nodes(150, 0)
	for i := range 350 {
		g.Arrow(i%150, r.IntN(150), 0)
	}
	for b.Loop() {
		_ = g.Key()
	}
}
