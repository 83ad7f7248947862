package graphs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// pathStar asks for the way from the center of a star of chains to the end of one chain.
var pathStar = task.Spec[pathStarParams, pathStarItem]{
	Name:     "path_star",
	Category: "graphs",
	Doc:      "Find the way from the center of a star to the end of one arm. Each arm is a chain of nodes.",
	Source:   "The task of G. Bachmann and V. Nagarajan, The Pitfalls of Next-Token Prediction (arXiv 2403.06963); the settings are those of reasoning-gym.",
	Version:  3,
	List:     " ",
	Default:  pathStarParams{Degree: 3, NodeRange: 100_000, MinLength: 3, MaxLength: 5},
	Levels: []pathStarParams{
		{Degree: 2, NodeRange: 100, MinLength: 2, MaxLength: 2},
		{Degree: 3, NodeRange: 1000, MinLength: 2, MaxLength: 4},
		{Degree: 5, NodeRange: 10_000, MinLength: 5, MaxLength: 8},
		{Degree: 8, NodeRange: 100_000, MinLength: 8, MaxLength: 14, Reversed: true},
		{Degree: 12, NodeRange: 1000, MinLength: 20, MaxLength: 30},
		{Degree: 20, NodeRange: 5000, MinLength: 40, MaxLength: 60},
	},
	Make: makePathStar,
}

// pathStarParams are the settings of one difficulty.
type pathStarParams struct {
	Degree    int  `json:"degree" want:"2 to 100"`          // arms
	NodeRange int  `json:"node_range"`                      // nodes have numbers below this
	MinLength int  `json:"min_path_length" want:"2 to 200"` // steps from the center to the end of an arm
	MaxLength int  `json:"max_path_length" want:"min_path_length to 200"`
	Reversed  bool `json:"reversed"` // the answer runs from the end to the center
}

// Check refuses what no tag does.
func (p pathStarParams) Check() error {
	if p.NodeRange <= p.Degree*p.MaxLength+1 || p.NodeRange > 1_000_000_000 {
		return fmt.Errorf("node_range is %d, want more than degree × max_path_length + 1 (%d) and at most 1000000000", p.NodeRange, p.Degree*p.MaxLength+1)
	}
	return nil
}

// pathStarItem is one star. Entries of reasoning-gym have the edges only in the question.
type pathStarItem struct {
	Center     int      `json:"center"`
	Goal       int      `json:"goal"`
	PathLength int      `json:"path_length"`
	GoalPath   []int    `json:"goal_path" want:"2 to 10000"` // in the order of the answer, from the center or from the goal
	Edges      [][2]int `json:"edges,omitempty"`             // each from the node nearer to the center
	Answer     string   `json:"answer,omitempty"`            // from reasoning-gym, which may ask for the path backwards
	Phrasing   int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makePathStar draws arms of one length.
func makePathStar(p pathStarParams, r *rng.Rand) (pathStarItem, error) {
	length := r.Between(p.MinLength, p.MaxLength)
	nodes := rng.Different(r, p.Degree*length+1, 0, int64(p.NodeRange-1))
	item := pathStarItem{Center: int(nodes[0]), PathLength: length, GoalPath: make([]int, 1, length+1), Edges: make([][2]int, 0, p.Degree*length), Phrasing: r.Between(0, len(pathStarPhrasings)-1)}
	item.GoalPath[0] = item.Center
	for arm := range p.Degree {
		from := item.Center
		for _, node := range nodes[1+arm*length:][:length] {
			item.Edges = append(item.Edges, [2]int{from, int(node)})
			from = int(node)
			if arm == 0 {
				item.GoalPath = append(item.GoalPath, from)
			}
		}
	}
	item.Goal = item.GoalPath[length]
	if p.Reversed {
		slices.Reverse(item.GoalPath)
	}
	rng.Shuffle(r, item.Edges)
	return item, nil
}

// pathStarPhrasings are the wordings: before the edges, between the nodes of an edge,
// between edges, and after them. %c and %g stand for the ends of the way.
var pathStarPhrasings = []pathStarPhrasing{
	{"Some chains of nodes begin at one common node. These are the edges of the graph:\n\n", "-", ", ", "\n\nFind the path from node %c to node %g."},
	{"How do you get from %c to %g? You may use these connections, each of them once, in either direction:\n\n", " ", " | ", "\n\nName the nodes that you pass, with both ends."},
	{"The roads of a country are listed below, each with the two towns that it connects. Towns have numbers.\n\n", " and ", "\n", "\n\nYou are in town %c and want to go to town %g. Through which towns do you come?"},
	{"A network consists of the following links.\n\n", "--", "; ", "\n\nA message starts at %c and arrives at %g without visiting a node twice. List the nodes on its way."},
	{"Follow the links from %c until you reach %g.\n\nLinks: ", "/", " ", "\n\nWrite down the route."},
	{"In this list, two numbers in brackets are neighbors:\n\n", ",", ") (", "\n\nThere is exactly one way from %c to %g that steps from neighbor to neighbor and does not turn back. Give it."},
}

// A pathStarPhrasing is a wording.
type pathStarPhrasing struct{ before, dash, between, after string }

func (p pathStarItem) Prompt() string {
	words := pathStarPhrasings[p.Phrasing]
	b := p.appendTo(make([]byte, 0, 400+16*len(p.Edges)), words.before)
	if words.dash == "," {
		b = append(b, '(')
	}
	for i, edge := range p.Edges {
		if i > 0 {
			b = append(b, words.between...)
		}
		b = append(strconv.AppendInt(b, int64(edge[0]), 10), words.dash...)
		b = strconv.AppendInt(b, int64(edge[1]), 10)
	}
	if words.dash == "," {
		b = append(b, ')')
	}
	b = p.appendTo(b, words.after)
	return string(append(b, " Answer with the numbers of all nodes on the way, in their order from the first to the last, separated by spaces."...))
}

// appendTo appends a text with the ends of the way filled in.
func (p pathStarItem) appendTo(b []byte, text string) []byte {
	for {
		before, after, found := strings.Cut(text, "%")
		if b = append(b, before...); !found {
			return b
		}
		end := p.GoalPath[0]
		if after[0] == 'g' {
			end = p.GoalPath[len(p.GoalPath)-1]
		}
		b, text = strconv.AppendInt(b, int64(end), 10), after[1:]
	}
}

func (p pathStarItem) Short() string {
	if len(p.Edges) == 0 {
		return ""
	}
	return fmt.Sprint("way from ", p.GoalPath[0], " to ", p.GoalPath[len(p.GoalPath)-1], " in ", p.Edges)
}

// Canonical implements [task.Canonicalizer]. The order of the edges does not matter, nor which end of the
// way is the first. The numbers of the nodes do: without them, all stars of a size are one.
func (p pathStarItem) Canonical() string {
	if len(p.Edges) == 0 {
		return ""
	}
	edges := slices.Clone(p.Edges)
	slices.SortFunc(edges, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	first, last := p.GoalPath[0], p.GoalPath[len(p.GoalPath)-1]
	b := fmt.Append(make([]byte, 0, 16*len(edges)), min(first, last), max(first, last), " [")
	for i, edge := range edges {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(append(b, '['), int64(edge[0]), 10)
		b = append(strconv.AppendInt(append(b, ' '), int64(edge[1]), 10), ']')
	}
	b = append(b, ']')
	return string(b)
}

// Check refuses a record with a path that does not follow its edges.
func (p pathStarItem) Check() error {
	back := slices.Clone(p.GoalPath)
	slices.Reverse(back)
	if p.Answer != "" && p.Answer != numbers(p.GoalPath) && p.Answer != numbers(back) {
		return errors.New("answer is not the path")
	}
	if len(p.Edges) > 0 {
		has := make(map[[2]int]bool, len(p.Edges))
		for _, edge := range p.Edges {
			has[edge], has[[2]int{edge[1], edge[0]}] = true, true
		}
		for i := range len(p.GoalPath) - 1 {
			if !has[[2]int{p.GoalPath[i], p.GoalPath[i+1]}] {
				return errors.New("goal_path has a step that is not in edges")
			}
		}
	}
	return nil
}

func (p pathStarItem) Solve() string {
	if p.Answer != "" {
		return p.Answer
	}
	return numbers(p.GoalPath)
}

// Score implements [task.Scorer]. There is one way, since a star has no circles.
func (p pathStarItem) Score(text string) quintain.Verdict {
	switch want := p.Solve(); {
	case text == want:
		return quintain.Right()
	case len(text) <= 6*len(want)+80:
		return task.MatchList(strings.NewReplacer("->", " ", "→", " ").Replace(text), want)
	}
	return quintain.Wrong("the answer is too long")
}
