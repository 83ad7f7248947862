package moves

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// boxnet asks for a plan for agents to bring boxes to targets.
var boxnet = task.Spec[boxnetParams, boxnetItem]{
	Name:     "boxnet",
	Category: "games",
	Doc: "Plan how agents, one in each square of a field, pass on boxes until all are on targets of their colours. " +
		"Agents act at the same time, and a plan may have only a few more steps than the best known one. A plan that can be carried out earns the share of boxes that it brings home.",
	Source:  "BoxNet1 of Y. Chen et al., Scalable Multi-Robot Collaboration with Large Language Models (2023); the settings are those of reasoning-gym.",
	Version: 4,
	Default: boxnetParams{MinRowNum: 1, MaxRowNum: 4, MinColumnNum: 2, MaxColumnNum: 4, MinBoxNum: 1, MaxBoxNum: 1, ColourList: []string{"red", "blue", "green"}},
	Levels: []boxnetParams{
		{MinRowNum: 2, MaxRowNum: 3, MinColumnNum: 3, MaxColumnNum: 4, MinBoxNum: 1, MaxBoxNum: 1, ColourList: []string{"red", "blue"}},
		{MinRowNum: 3, MaxRowNum: 4, MinColumnNum: 3, MaxColumnNum: 4, MinBoxNum: 1, MaxBoxNum: 1, ColourList: []string{"red", "blue", "green"}},
		{MinRowNum: 3, MaxRowNum: 4, MinColumnNum: 3, MaxColumnNum: 5, MinBoxNum: 1, MaxBoxNum: 2, ColourList: []string{"red", "blue", "green"}},
		{MinRowNum: 4, MaxRowNum: 5, MinColumnNum: 4, MaxColumnNum: 6, MinBoxNum: 1, MaxBoxNum: 3, ColourList: []string{"red", "blue", "green", "yellow"}},
		{MinRowNum: 5, MaxRowNum: 7, MinColumnNum: 5, MaxColumnNum: 7, MinBoxNum: 2, MaxBoxNum: 4, ColourList: []string{"red", "blue", "green", "yellow", "purple"}},
		{MinRowNum: 7, MaxRowNum: 9, MinColumnNum: 7, MaxColumnNum: 9, MinBoxNum: 3, MaxBoxNum: 5, ColourList: []string{"red", "blue", "green", "yellow", "purple", "orange"}},
	},
	Make: makeBoxnet,
	Many: true,
}

// boxnetParams are the settings of one difficulty.
type boxnetParams struct {
	MinRowNum    int      `json:"min_row_num" want:"1 to 20"`
	MaxRowNum    int      `json:"max_row_num" want:"min_row_num to 20"`
	MinColumnNum int      `json:"min_column_num" want:"1 to 20"`
	MaxColumnNum int      `json:"max_column_num" want:"min_column_num to 20"`
	MinBoxNum    int      `json:"min_box_num" want:"1 to 10"` // boxes of each colour
	MaxBoxNum    int      `json:"max_box_num" want:"min_box_num to 10"`
	ColourList   []string `json:"colour_list" want:"1 to 10" chars:"a-z"`
}

const boxnetMostSide = 20 // rows and columns

// Check refuses what no tag does.
func (p boxnetParams) Check() error {
	for i, colour := range p.ColourList {
		if err := checkColour(colour); err != nil {
			return fmt.Errorf("colour_list: %w", err)
		}
		if slices.Contains(p.ColourList[:i], colour) {
			return fmt.Errorf("colour_list has %s twice", colour)
		}
	}
	return nil
}

// boxnetItem is one field.
type boxnetItem struct {
	RowNum       int         `json:"row_num"`
	ColumnNum    int         `json:"column_num"`
	InitialState boxnetField `json:"initial_state"`
	MaxSteps     int         `json:"max_steps,omitempty"` // 0: any number, as in reasoning-gym
	Phrasing     int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// boxnetSpare is the number of steps allowed beyond our plan.
const boxnetSpare = 2

// makeBoxnet draws the places of boxes and targets. A box and a target drawn together are
// in two squares, if there are two.
func makeBoxnet(p boxnetParams, r *rng.Rand) (boxnetItem, error) {
	rows, cols := r.Between(p.MinRowNum, p.MaxRowNum), r.Between(p.MinColumnNum, p.MaxColumnNum)
	squares := rows * cols
	field := boxnetField{rows: rows, cols: cols, things: make([]boxnetThing, 0, 2*p.MaxBoxNum*len(p.ColourList))}
	for _, colour := range p.ColourList {
		for range r.Between(p.MinBoxNum, p.MaxBoxNum) {
			box := r.Between(0, squares-1)
			target := box
			if squares > 1 {
				target = (box + r.Between(1, squares-1)) % squares
			}
			field.things = append(field.things,
				boxnetThing{boxnetSquare{box / cols, box % cols}, boxPrefix, colour},
				boxnetThing{boxnetSquare{target / cols, target % cols}, targetPrefix, colour})
		}
	}
	field.sort()
	return boxnetItem{
		RowNum: rows, ColumnNum: cols, InitialState: field, MaxSteps: len(field.plan()) + boxnetSpare,
		Phrasing: r.Between(0, len(boxnetPhrasings)-1),
	}, nil
}

// A boxnetRoute is a box on its way.
type boxnetRoute struct {
	at, goal boxnetSquare
	colour   string
}

// routes assigns each box the nearest free target of its colour. Boxes without a target get
// no route. The longest routes come first.
func (f *boxnetField) routes() []boxnetRoute {
	routes := make([]boxnetRoute, 0, len(f.things)/2)
	taken := make([]bool, len(f.things))
	for _, box := range f.things {
		if box.kind != boxPrefix {
			continue
		}
		nearest := -1
		for i, target := range f.things {
			if target.kind == targetPrefix && target.colour == box.colour && !taken[i] &&
				(nearest < 0 || box.in.distance(target.in) < box.in.distance(f.things[nearest].in)) {
				nearest = i
			}
		}
		if nearest >= 0 {
			taken[nearest] = true
			routes = append(routes, boxnetRoute{box.in, f.things[nearest].in, box.colour})
		}
	}
	slices.SortStableFunc(routes, func(a, b boxnetRoute) int {
		return cmp.Compare(b.at.distance(b.goal), a.at.distance(a.goal))
	})
	return routes
}

// plan brings all boxes to targets. In each step, every agent moves the box in its square
// with the longest route; the others wait.
func (f *boxnetField) plan() (steps [][]boxnetAction) {
	for routes := f.routes(); len(routes) > 0; {
		step := make([]boxnetAction, 0, len(routes))
		waiting := routes[:0]
		for _, route := range routes {
			if slices.ContainsFunc(step, func(a boxnetAction) bool { return a.agent == route.at }) {
				waiting = append(waiting, route)
				continue
			}
			to := route.at
			if route.at != route.goal {
				to = route.at.towards(route.goal)
			}
			step = append(step, boxnetAction{route.at, to, route.colour})
			if to != route.at {
				waiting = append(waiting, boxnetRoute{to, route.goal, route.colour})
			}
		}
		steps, routes = append(steps, step), waiting
	}
	return steps
}

// boxnetPhrasings are the wordings of the question. %f stands for the contents of the
// squares, %r and %c for the numbers of rows and columns, %s for that of steps.
var boxnetPhrasings = []string{
	"A field has %r by %c squares, each with an agent in it. Squares and agents are named by the coordinates of the middle, row first: square[0.5, 1.5] is in the first row and the second column. This is what lies in the squares; the others are empty:\n\n%f\n\n" +
		"A square may hold any number of boxes. In each step, an agent may move one box from its own square to a square above, below, to the left or to the right of it, or put it onto a target of the same color in its own square, which takes box and target off the field. All agents act at the same time, so a box that has just arrived is moved on in the next step at the earliest. " +
		"Bring all boxes to targets in at most %s steps. Answer with a JSON list of the steps, each an object that says which agents do what: " +
		`[{"Agent[0.5, 0.5]": "move(box_pink, square[0.5, 1.5])"}, {"Agent[0.5, 1.5]": "move(box_pink, target_pink)"}]`,
	`Your answer must be a JSON list with one object for each step, at most %s of them. In an object, "Agent[2.5, 0.5]": "move(box_pink, square[2.5, 1.5])" lets the agent of the square in row 2.5 and column 0.5 hand the pink box in its square to the next square on the right, and "Agent[2.5, 1.5]": "move(box_pink, target_pink)" lets the agent there put it onto the pink target in its square. ` +
		"What the agents have to do: every box must get onto a target of its color, and each target takes one box.\n\n%f\n\nThere are %r rows and %c columns of squares, each with an agent of its own. An agent can do one thing in a step, with a box that is in its square when the step begins, and can pass it on only to a square that shares a side with its own. Several boxes may lie in one square.",
	"You direct the robots of a storehouse. Its floor is divided into %r rows of %c cells; a robot stands in every cell and never leaves it. The cells with something in them:\n\n%f\n\n" +
		"Robots pass boxes on from cell to cell, not diagonally, until each box is in a cell with a target of the same color, where the robot lifts it onto that target. A target is used up by one box, but a cell has room for many boxes. Per step, a robot handles one box, which must have been in its cell at the start of the step; all robots work at once. You have %s steps. " +
		"Write the schedule as JSON: a list of steps, each an object from robots to orders. " + `An order reads "move(box_pink, square[1.5, 0.5])" or "move(box_pink, target_pink)", and the robot in that cell is called "Agent[1.5, 0.5]". Robots without an order are left out.`,
	"Rules:\n1. The field has %r rows and %c columns. A square is written square[row, column], where the rows are 0.5, 1.5 and so on from the top, and the columns likewise from the left.\n2. Each square has an agent, such as Agent[1.5, 0.5] in square[1.5, 0.5], and room for any number of boxes.\n" +
		"3. An agent can send a box in its square to a square beside it (not diagonally), or match it with a target of its color in its square. Box and target are gone after that.\n4. An agent does at most one of these in each step, and a box is moved at most once.\n5. After %s steps at most, no box may be left.\n\nThe start:\n\n%f\n\n" +
		`What do the agents do? Give a JSON list such as [{"Agent[1.5, 0.5]": "move(box_pink, square[0.5, 0.5])"}, {"Agent[0.5, 0.5]": "move(box_pink, target_pink)"}], in which every object is a step.`,
	"Plan the moves that bring these boxes to the targets of their colors:\n\n%f\n\nThe numbers are row and column of a square in a field of %r rows and %c columns. Boxes move by one square in a step, up, down, left or right, and when a box shares its square with a free target of its color, one more step puts it there for good. " +
		"As every square has a single agent, which moves one box in a step, two boxes cannot leave the same square in the same step, but boxes in different squares can move in the same step. There may be several boxes in one square. Finish within %s steps.\n\n" +
		`Reply with JSON only: a list with an object for each step. Its keys are the agents that act, named after their squares ("Agent[0.5, 2.5]"), and its values their actions: "move(box_pink, square[0.5, 1.5])" to pass a box on, "move(box_pink, target_pink)" to put it in its place.`,
	"How do %s steps suffice to clear this field?\n\n%f\n\nIt measures %r x %c squares (rows x columns), and squares that are not listed are empty. An agent lives in each square. When it is told move(box_pink, square[1.5, 2.5]), it pushes the pink box out of its square into that one, which must border on its own; when it is told move(box_pink, target_pink), it puts the box onto the pink target next to it in the same square, and neither counts any more. " +
		"Agents act together, step by step, once per step each, on boxes that were there when the step began. A square may hold several boxes. The field is clear when no boxes are left.\n\n" +
		`Answer in JSON, with the steps as a list of objects: [{"Agent[1.5, 1.5]": "move(box_pink, square[1.5, 2.5])"}, {"Agent[1.5, 2.5]": "move(box_pink, target_pink)"}]`,
}

func (s boxnetItem) Prompt() string {
	return string(task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), boxnetPhrasings[s.Phrasing], func(c byte) string {
		switch c {
		case 'f':
			return s.InitialState.text()
		case 'r':
			return strconv.Itoa(s.RowNum)
		case 'c':
			return strconv.Itoa(s.ColumnNum)
		}
		return strconv.Itoa(s.MaxSteps)
	}))
}

// Canonical implements [task.Canonicalizer]. The names of the colours do not matter, nor the order of
// the things in a square, nor the side from which the field is seen, nor how many steps are to spare.
func (s boxnetItem) Canonical() string {
	const square, colour, box, target = 0, 1, 2, 3
	var g canon.Graph
	rows, cols := s.InitialState.rows, s.InitialState.cols
	squares, colours := g.Nodes(rows*cols, square), map[string]int{}
	for at := range rows * cols {
		if at%cols > 0 {
			g.Join(squares+at-1, squares+at, square)
		}
		if at >= cols {
			g.Join(squares+at-cols, squares+at, square)
		}
	}
	for _, thing := range s.InitialState.things {
		if _, known := colours[thing.colour]; !known {
			colours[thing.colour] = g.Node(colour)
		}
		node := g.Node(box)
		if thing.kind == targetPrefix {
			node = g.Node(target)
		}
		g.Arrow(node, squares+thing.in.row*cols+thing.in.col, square)
		g.Arrow(node, colours[thing.colour], colour)
	}
	return g.Key()
}

// Check refuses a record unless it is a field with a target for every box, and allows
// enough steps.
func (s boxnetItem) Check() error {
	field := s.InitialState
	boxes, steps := field.count(boxPrefix), len(field.plan())
	switch {
	case field.rows != s.RowNum || field.cols != s.ColumnNum:
		return fmt.Errorf("initial_state has %d rows of %d squares, want %d of %d", field.rows, field.cols, s.RowNum, s.ColumnNum)
	case boxes == 0 || len(field.routes()) != boxes:
		return fmt.Errorf("initial_state has %d boxes, and targets for %d of them", boxes, len(field.routes()))
	case s.MaxSteps != 0 && s.MaxSteps < steps:
		return fmt.Errorf("max_steps is %d, want %d or more", s.MaxSteps, steps)
	}
	return nil
}

func (s boxnetItem) Solve() string {
	b := []byte{'['}
	for _, step := range s.InitialState.plan() {
		b = append(b, '{')
		for _, action := range step {
			b = append(action.append(b), ", "...)
		}
		b = append(b[:len(b)-len(", ")], "}, "...)
	}
	return string(append(b[:len(b)-len(", ")], ']'))
}

// Score implements [task.Scorer]. A plan earns the share of boxes that it brings to
// targets, but nothing if it has an impossible action. The order of agents within a step
// does not matter.
func (s boxnetItem) Score(text string) quintain.Verdict {
	steps, read := readBoxnetPlan(text)
	if !read {
		return quintain.Malformed("the answer is not a JSON list of objects with texts")
	}
	if s.MaxSteps > 0 && len(steps) > s.MaxSteps {
		return quintain.Wrong(fmt.Sprintf("there are %d steps, more than %d", len(steps), s.MaxSteps))
	}
	now := newBoxnetPlay(&s.InitialState)
	for i, step := range steps {
		actions := make([]boxnetAction, len(step))
		for k, order := range step {
			var read bool
			if actions[k], read = readBoxnetAction(order.agent, order.does); !read {
				return quintain.Malformed(fmt.Sprintf("step %d has %.30q: %.60q, want an action such as those of the question", i+1, order.agent, order.does))
			}
		}
		if wrong := now.step(actions); wrong != "" {
			return quintain.Wrong(fmt.Sprintf("step %d: %s", i+1, wrong))
		}
	}
	switch all, left := s.InitialState.count(boxPrefix), len(now.boxes); left {
	case 0:
		return quintain.Right()
	case all:
		return quintain.Wrong("no box is on a target")
	default:
		return quintain.Partial(float64(all-left)/float64(all), fmt.Sprintf("%d of %d boxes are not on targets", left, all))
	}
}

// A boxnetPlay is a field during a plan.
type boxnetPlay struct {
	rows, cols     int
	boxes, targets []boxnetThing // those not yet matched
}

func newBoxnetPlay(f *boxnetField) *boxnetPlay {
	p := &boxnetPlay{rows: f.rows, cols: f.cols}
	for _, thing := range f.things {
		if thing.kind == boxPrefix {
			p.boxes = append(p.boxes, thing)
		} else {
			p.targets = append(p.targets, thing)
		}
	}
	return p
}

// step carries out the simultaneous actions of one step, or describes their fault.
func (p *boxnetPlay) step(actions []boxnetAction) (wrong string) {
	var arrived []boxnetThing // boxes that can move again in the next step
	for i, a := range actions {
		if slices.ContainsFunc(actions[:i], func(b boxnetAction) bool { return b.agent == a.agent }) {
			return "an agent acts twice"
		}
		box := slices.Index(p.boxes, boxnetThing{a.agent, boxPrefix, a.colour})
		if box < 0 {
			return fmt.Sprintf("the agent in row %d.5, column %d.5 has no %s box when it begins", a.agent.row, a.agent.col, a.colour)
		}
		p.boxes = slices.Delete(p.boxes, box, box+1)
		if a.to != a.agent {
			if a.to.distance(a.agent) != 1 || a.to.row >= p.rows || a.to.col >= p.cols {
				return fmt.Sprintf("row %d.5, column %d.5 is no square beside that of the agent", a.to.row, a.to.col)
			}
			arrived = append(arrived, boxnetThing{a.to, boxPrefix, a.colour})
			continue
		}
		target := slices.Index(p.targets, boxnetThing{a.agent, targetPrefix, a.colour})
		if target < 0 {
			return fmt.Sprintf("there is no %s target in row %d.5, column %d.5", a.colour, a.agent.row, a.agent.col)
		}
		p.targets = slices.Delete(p.targets, target, target+1)
	}
	p.boxes = append(p.boxes, arrived...)
	return ""
}
