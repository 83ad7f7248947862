package puzzles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// graphColor asks for a proper coloring of a graph.
var graphColor = task.Spec[graphColorParams, graphColorItem]{
	Name:     "graph_color",
	Category: "algorithmic",
	Doc: "Color a graph so that no edge joins two vertices of the same color. " +
		"The edges are drawn around a hidden coloring; their number per vertex decides how hard it is to find one.",
	Source:  "The classic problem of graph theory; the settings are those of reasoning-gym.",
	Version: 6,
	Default: graphColorParams{NumColors: 3, MinNumVertices: 10, MaxNumVertices: 10, EdgeProbability: 0.1},
	Levels: []graphColorParams{
		{NumColors: 3, MinNumVertices: 8, MaxNumVertices: 9, EdgeProbability: 0.45},
		{NumColors: 3, MinNumVertices: 10, MaxNumVertices: 12, EdgeProbability: 0.35},
		{NumColors: 3, MinNumVertices: 12, MaxNumVertices: 14, EdgeProbability: 0.28},
		{NumColors: 3, MinNumVertices: 14, MaxNumVertices: 18, EdgeProbability: 0.25},
		{NumColors: 3, MinNumVertices: 22, MaxNumVertices: 28, EdgeProbability: 0.18},
		{NumColors: 3, MinNumVertices: 36, MaxNumVertices: 44, EdgeProbability: 0.12},
	},
	Make: makeGraphColor,
	Many: true,
}

// graphColorParams are the settings of one difficulty.
type graphColorParams struct {
	NumColors       int     `json:"num_colors" want:"2 to 100"`
	MinNumVertices  int     `json:"min_num_vertices" want:"2 or more"`
	MaxNumVertices  int     `json:"max_num_vertices" want:"min_num_vertices to 500"`
	EdgeProbability float64 `json:"edge_probability" want:"more than 0 and less than 1"` // mean share of the pairs of vertices that are edges
}

// graphColorItem is one graph with a coloring.
type graphColorItem struct {
	PossibleAnswer coloring    `json:"possible_answer"`
	Puzzle         graphPuzzle `json:"puzzle"`
	NumVertices    int         `json:"num_vertices"`
	Phrasing       int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// graphPuzzle is a graph and the available colors.
type graphPuzzle struct {
	Vertices     []int    `json:"vertices"`
	Edges        [][2]int `json:"edges"`
	NumColors    int      `json:"num_colors"`
	ColorOptions []int    `json:"color_options"`
}

// coloring lists the vertices with their colors; in JSON, an object.
type coloring []vertexColor

type vertexColor struct{ vertex, color int }

// MarshalJSON implements [json.Marshaler].
func (c coloring) MarshalJSON() ([]byte, error) { return c.appendJSON(nil, ":", ","), nil }

// appendJSON appends c, with is between a vertex and its color, and next between vertices.
func (c coloring) appendJSON(b []byte, is, next string) []byte {
	b = append(slices.Grow(b, 9*len(c)+2), '{')
	for i, v := range c {
		if i > 0 {
			b = append(b, next...)
		}
		b = append(strconv.AppendInt(append(b, '"'), int64(v.vertex), 10), '"')
		b = strconv.AppendInt(append(b, is...), int64(v.color), 10)
	}
	return append(b, '}')
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *coloring) UnmarshalJSON(raw []byte) error {
	var colors map[int]int
	if err := strictjson.Unmarshal(raw, &colors); err != nil {
		return err
	}
	*c = make(coloring, 0, len(colors))
	for vertex, color := range colors {
		*c = append(*c, vertexColor{vertex, color})
	}
	slices.SortFunc(*c, func(a, b vertexColor) int { return a.vertex - b.vertex })
	return nil
}

// makeGraphColor hides a coloring, and draws edges between vertices of different colors:
// the given share of all pairs, and at least one.
func makeGraphColor(p graphColorParams, r *rng.Rand) (graphColorItem, error) {
	n := r.Between(p.MinNumVertices, p.MaxNumVertices)
	hidden := make(coloring, n)
	for v := range hidden {
		hidden[v] = vertexColor{v, r.Between(1, p.NumColors)}
	}
	if last := &hidden[n-1].color; *last == hidden[0].color {
		*last = *last%p.NumColors + 1
	}
	share := p.EdgeProbability * float64(p.NumColors) / float64(p.NumColors-1)
	edges := make([][2]int, 0, n)
	for v := range n {
		for w := v + 1; w < n; w++ {
			if hidden[v].color != hidden[w].color && r.Chance(share) {
				edges = append(edges, [2]int{v, w})
			}
		}
	}
	if len(edges) == 0 {
		edges = append(edges, [2]int{0, n - 1})
	}
	return graphColorItem{
		PossibleAnswer: hidden,
		Puzzle:         graphPuzzle{Vertices: upFrom(0, n), Edges: edges, NumColors: p.NumColors, ColorOptions: upFrom(1, p.NumColors)},
		NumVertices:    n,
		Phrasing:       r.Between(0, len(graphColorPhrasings)-1),
	}, nil
}

// upFrom returns n whole numbers from first up.
func upFrom(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}

// graphColorPhrasings are the wordings of the question, before the graph.
var graphColorPhrasings = []string{
	"Color the vertices of this graph so that no edge joins two vertices of the same color.",
	"Give every vertex of the following graph a color. Vertices that are joined by an edge must have different colors.",
	"Find a coloring of this graph in which the two ends of every edge differ in color.",
	"The vertices below stand for radio stations, and an edge joins two stations that would disturb each other on one channel. Assign channels, here called colors, so that none are disturbed.",
	"Two vertices that share an edge in this graph must not share a color. Find colors for all vertices.",
	"Here is a graph. Split its vertices into classes, one for each color, with no edge inside a class.",
}

func (g graphColorItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = append(append(b, graphColorPhrasings[g.Phrasing]...), "\nVertices: "...)
	b = appendInts(b, g.Puzzle.Vertices)
	b = append(b, "\nEdges: "...)
	for i, edge := range g.Puzzle.Edges {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(edge[0]), 10)
		b = append(b, '-')
		b = strconv.AppendInt(b, int64(edge[1]), 10)
	}
	b = append(b, "\nColors: "...)
	b = appendInts(b, g.Puzzle.ColorOptions)
	b = append(b, "\nAnswer with a JSON object that gives every vertex its color, for example {\"0\": 1, \"1\": 2, \"2\": 1}."...)
	return string(b)
}

// appendInts appends numbers separated by commas.
func appendInts(b []byte, all []int) []byte {
	for i, n := range all {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return b
}

// Canonical implements [task.Canonicalizer]: the graph without the coloring, and the number of colors.
// The numbers of vertices and colors do not matter, nor their order and that of the edges, nor the
// direction of an edge.
func (g graphColorItem) Canonical() string {
	var plain canon.Graph
	names := make(map[int]int, len(g.Puzzle.Vertices))
	for _, vertex := range g.Puzzle.Vertices {
		names[vertex] = plain.Node(0)
	}
	for _, e := range g.Puzzle.Edges {
		plain.Join(names[e[0]], names[e[1]], 0)
	}
	return fmt.Sprint(len(g.Puzzle.Vertices), len(g.Puzzle.ColorOptions), plain.Key())
}

// Check refuses a record with an improper coloring.
func (g graphColorItem) Check() error {
	if n := len(g.PossibleAnswer); n == 0 || n != len(g.Puzzle.Vertices) {
		return fmt.Errorf("possible_answer colors %d vertices of %d", n, len(g.Puzzle.Vertices))
	}
	colors := make(map[int]int, len(g.PossibleAnswer))
	for _, v := range g.PossibleAnswer {
		colors[v.vertex] = v.color
	}
	if fault := g.Puzzle.fault(colors); fault != "" {
		return fmt.Errorf("possible_answer: %s", fault)
	}
	return nil
}

// fault describes the fault of colors, which must have exactly the vertices of the puzzle.
// It returns "" for a proper coloring.
func (p graphPuzzle) fault(colors map[int]int) string {
	for _, v := range p.Vertices {
		color, has := colors[v]
		if !has {
			return fmt.Sprintf("vertex %d has no color", v)
		}
		if !slices.Contains(p.ColorOptions, color) {
			return fmt.Sprintf("vertex %d has a color that is not among those given", v)
		}
	}
	for _, edge := range p.Edges {
		a, has := colors[edge[0]]
		b, too := colors[edge[1]]
		if !has || !too {
			return fmt.Sprintf("edge %v has an end that is not a vertex", edge)
		}
		if a == b {
			return fmt.Sprintf("vertices %d and %d are joined and have the same color", edge[0], edge[1])
		}
	}
	return ""
}

func (g graphColorItem) Solve() string {
	return string(g.PossibleAnswer.appendJSON(nil, ": ", ", "))
}

// Score implements [task.Scorer]. An improper coloring earns nothing. Unknown names in
// the object are ignored.
func (g graphColorItem) Score(text string) quintain.Verdict {
	if !strings.HasPrefix(answer.Trim(text), "{") {
		return quintain.Malformed("the answer is not a JSON object")
	}
	v, err := answer.ReadJSON(text)
	if err != nil {
		return quintain.Malformed(fmt.Sprintf("the answer is not a JSON object: %v", err))
	}
	object, _ := v.(map[string]any)
	colors := make(map[int]int, len(g.Puzzle.Vertices))
	for _, v := range g.Puzzle.Vertices {
		if color, whole := answer.Whole(object[strconv.Itoa(v)]); whole {
			colors[v] = int(color)
		}
	}
	if fault := g.Puzzle.fault(colors); fault != "" {
		return quintain.Wrong(fault)
	}
	return quintain.Right()
}
