package patterns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// arc1D asks for the result of a rule on a row of cells, known from examples.
var arc1D = task.Spec[arc1DParams, arc1DItem]{
	Name:     "arc_1d",
	Category: "arc",
	Doc: "Find out from examples what is done with rows of colored cells, and do it with another row. Harder levels do two things in sequence. " +
		"All of our rules that fit the examples give the same answer.",
	Source:  "The Abstraction and Reasoning Corpus (F. Chollet, 2019), cut down to rows; the rules are our own, the settings those of reasoning-gym and two more.",
	Version: 3,
	List:    " ",
	Default: arc1DParams{MinSize: 10, MaxSize: 30, Train: 3, Tier: 2, Rules: 1},
	Levels: []arc1DParams{
		{MinSize: 8, MaxSize: 12, Train: 4, Tier: 1, Rules: 1},
		{MinSize: 10, MaxSize: 18, Train: 4, Tier: 2, Rules: 1},
		{MinSize: 12, MaxSize: 30, Train: 3, Tier: 3, Rules: 1},
		{MinSize: 12, MaxSize: 24, Train: 4, Tier: 2, Rules: 2},
		{MinSize: 20, MaxSize: 40, Train: 5, Tier: 3, Rules: 2},
	},
	Make: makeArc1D,
}

// arc1DParams are the settings of one difficulty.
type arc1DParams struct {
	MinSize int `json:"min_size" want:"8 to 200"` // cells of a row
	MaxSize int `json:"max_size" want:"min_size to 200"`
	Train   int `json:"num_train" want:"2 to 20"` // examples
	Tier    int `json:"max_tier" want:"1 to 3"`   // of the rules: 1 to 3, simplest first
	Rules   int `json:"num_rules" want:"1 to 2"`  // 1 or 2, applied in sequence
}

// arc1DItem is one rule, seen from outside.
type arc1DItem struct {
	TaskName string    `json:"task_name"` // the rules with their parameters, joined by a plus
	Size     int       `json:"size"`      // cells of a row
	Train    []rowPair `json:"train_examples" want:"1 to 100"`
	Test     rowPair   `json:"test_example"`
	Phrasing int       `json:"phrasing,omitempty" want:"0 to 5"`
}

// A rowPair is a row and its result. Cells are colors, 0 to 9; 0 is the background.
type rowPair struct {
	Input  []int `json:"input" want:"1 to 1000" each:"0 to 9"`
	Output []int `json:"output" want:"1 to 1000" each:"0 to 9"`
}

// A rowMaker searches for problems.
type rowMaker struct {
	p       arc1DParams
	size    int
	r       *rng.Rand
	rules   rowRules
	inputs  [][]int // of the examples, then of the test
	outputs [][]int

	start   strip // the first input
	other   strip // of another input
	seen    int   // index of that input
	between strip // the intermediate row of two rules
	room    []int
	order   []int // cells in the order of comparison
}

// makeArc1D draws rules and rows until the examples leave one answer.
func makeArc1D(p arc1DParams, r *rng.Rand) (arc1DItem, error) {
	n, size := p.Train+1, r.Between(p.MinSize, p.MaxSize)
	rows, room := make([][]int, 2*n), make([]int, 2*size)
	m := rowMaker{p: p, size: size, r: r, rules: make(rowRules, p.Rules), inputs: rows[:n], outputs: rows[n:], room: room[:0:size], order: room[size:size]}
	const tries = 1000
	for range tries {
		m.choose()
		if m.draw() && !m.doubtful() {
			return m.item(), nil
		}
	}
	return arc1DItem{}, fmt.Errorf("no examples that leave one answer found in %d tries", tries)
}

// choose draws rules.
func (m *rowMaker) choose() {
	for i := range m.rules {
		rule := rng.Pick(m.r, tierRowRules()[m.p.Tier])
		m.rules[i] = boundRowRule{rowRule: rule}
		if rule.ks != nil {
			m.rules[i].k = rng.Pick(m.r, rule.ks)
		}
	}
}

// draw draws rows that the rules change in a clear way. It reports false if it finds too
// few.
func (m *rowMaker) draw() bool {
	const tries = 20 // tries for each row
	for i := range m.inputs {
		found := false
		for try := 0; try < tries && !found; try++ {
			m.inputs[i] = m.rules[0].scene(scenery{m.r, m.size, m.rules[0].k})
			found = m.changed(i)
		}
		if !found {
			return false
		}
	}
	return true
}

// changed applies the rules to input i. It reports false if their effect is unclear to
// people, if one of them changes nothing, or if only background is left.
func (m *rowMaker) changed(i int) bool {
	s := &m.other
	if m.seen = i; i == 0 {
		s = &m.start
	}
	s.look(m.inputs[i])
	for j, rule := range m.rules {
		if rule.clear != nil && !rule.clear(s) {
			return false
		}
		m.room = rule.append(m.room[:0], s)
		if slices.Equal(m.room, s.cells) || slices.Max(m.room) == 0 {
			return false
		}
		if j < len(m.rules)-1 {
			m.between.look(append(m.between.cells[:0], m.room...))
			s = &m.between
		}
	}
	m.outputs[i] = slices.Clone(m.room)
	return !slices.Equal(m.outputs[i], m.inputs[i])
}

// item returns the problem.
func (m *rowMaker) item() arc1DItem {
	item := arc1DItem{TaskName: m.rules.String(), Size: m.size, Train: make([]rowPair, m.p.Train), Phrasing: m.r.Between(0, len(arc1DPhrasings)-1)}
	for i := range item.Train {
		item.Train[i] = rowPair{m.inputs[i], m.outputs[i]}
	}
	item.Test = rowPair{m.inputs[m.p.Train], m.outputs[m.p.Train]}
	return item
}

// doubtful reports whether other rules of ours fit all examples but give another answer.
// For a problem with two rules it tries pairs, and no single rule may fit.
func (m *rowMaker) doubtful() bool {
	two, test := m.p.Rules == 2, m.p.Train
	m.sortCells()
	probe := m.order[0]
	want := m.outputs[0][probe]
	for _, rule := range rulesFor(cellChange{m.inputs[0][probe], want}) {
		if rule.paint(&m.start, probe, rule.k) == want && rule != m.rules[0] && m.makes(rule, &m.start, 0) && (two || !m.fits(test, rule)) && m.fitsMore(rule) {
			return true
		}
	}
	return two && m.doubtfulPair()
}

// doubtfulPair is doubtful for two rules.
func (m *rowMaker) doubtfulPair() bool {
	probe := m.order[0]
	want := m.outputs[0][probe]
	var step strip
	for _, first := range boundRowRules() {
		step.look(first.append(step.cells[:0], &m.start))
		seconds := boundRowRules()
		if step.cells[probe] != want {
			seconds = rulesFor(cellChange{step.cells[probe], want})
		}
		for _, second := range seconds {
			if second.paint(&step, probe, second.k) == want && m.makes(second, &step, 0) && m.fitsMore(first, second) && !m.fits(m.p.Train, first, second) {
				return true
			}
		}
	}
	return false
}

// sortCells puts the cells that change in the first example before the others, since most
// rules recolor them.
func (m *rowMaker) sortCells() {
	m.order = m.order[:0]
	for _, changes := range []bool{true, false} {
		for i, c := range m.inputs[0] {
			if changes == (c != m.outputs[0][i]) {
				m.order = append(m.order, i)
			}
		}
	}
}

// fitsMore reports whether rules that fit the first example fit the others too.
func (m *rowMaker) fitsMore(rules ...boundRowRule) bool {
	for i := 1; i < m.p.Train; i++ {
		if !m.fits(i, rules...) {
			return false
		}
	}
	return true
}

// fits reports whether rules, in sequence, turn input i into output i.
func (m *rowMaker) fits(i int, rules ...boundRowRule) bool {
	s := &m.other
	if m.seen != i {
		s.look(m.inputs[i])
		m.seen = i
	}
	if len(rules) == 2 {
		m.between.look(rules[0].append(m.between.cells[:0], s))
		s = &m.between
	}
	return m.makes(rules[len(rules)-1], s, i)
}

// makes reports whether a rule turns s into output i.
func (m *rowMaker) makes(rule boundRowRule, s *strip, i int) bool {
	for _, j := range m.order {
		if rule.paint(s, j, rule.k) != m.outputs[i][j] {
			return false
		}
	}
	return true
}

// appendRow appends the cells of a row, with spaces between them.
func appendRow(b []byte, row []int) []byte {
	for i, c := range row {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, byte('0'+c))
	}
	return b
}

// rowText writes a row.
func rowText(row []int) string { return string(appendRow(make([]byte, 0, 2*len(row)), row)) }

// arc1DPhrasings are the wordings: before the examples, before and between the two rows of
// an example, after it, and before and after the row in question.
var arc1DPhrasings = [][6]string{
	{"One rule turns each of these rows of cells into another row. A digit is a color, and 0 is the background.\n", "\nInput:  ", "\nOutput: ", "\n", "\nWhat does the rule turn this row into?\n\nInput:  ", ""},
	{"Look at what happens to a strip of colored squares (the colors are written as digits, and an empty square as 0):\n", "\n", "\nbecomes\n", "\n", "\nThe same happens to this strip:\n\n", "\n\nWhat does it become?"},
	{"Below are pairs of rows, before and after a change. The change follows the same rule in every pair; 0 means an empty cell, any other digit a color.\n", "\nbefore | ", "\nafter  | ", "\n", "\nOne row has not been changed yet:\n\nbefore | ", "\n\nGive the row after the change."},
	{"Find the rule that leads from the first row of each pair to the second. Every number stands for the color of a cell; cells with 0 are blank.\n", "\n", "\n", "\n", "\nApply it to a last row:\n\n", ""},
	{"A machine recolors rows of lamps. A lamp is off (0) or shines in one of nine colors (1 to 9). It was seen to do this:\n", "\n- from ", "\n  to   ", "", "\n\nNow these lamps are put into the machine:\n\n  ", "\n\nIn which colors do they leave it?"},
	{"Here is a puzzle about rows of digits, in which runs of the same digit are objects and 0 is the space around them. Somebody has solved it for some rows:\n", "\nrow:      ", "\nsolution: ", "\n", "\nSolve it in the same way for the next one.\n\nrow:      ", ""},
}

func (a arc1DItem) Prompt() string {
	words := &arc1DPhrasings[a.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	for _, e := range a.Train {
		b = appendRow(append(b, words[1]...), e.Input)
		b = appendRow(append(b, words[2]...), e.Output)
		b = append(b, words[3]...)
	}
	b = append(appendRow(append(b, words[4]...), a.Test.Input), words[5]...)
	return string(append(b, "\n\nAnswer with the resulting row alone: its digits, with a space between them."...))
}

func (a arc1DItem) Short() string { return strings.Join(a.lines(), "; ") }

// lines returns the examples and the question.
func (a arc1DItem) lines() []string {
	var lines []string
	for _, e := range a.Train {
		lines = append(lines, rowText(e.Input)+" -> "+rowText(e.Output))
	}
	return append(lines, rowText(a.Test.Input)+" -> ?")
}

// Canonical implements [task.Canonicalizer]. The order of the examples and the colors do not matter, but
// for the background, nor on which side a row begins.
func (a arc1DItem) Canonical() string {
	return canon.Least(2, func(mirrored int) string {
		const color, background, example, asked, before, after = 0, 1, 2, 3, 4, 5
		var g canon.Graph
		colors := g.Node(background)
		g.Nodes(9, color)
		add := func(kind int, row []int) int {
			node := g.Node(kind)
			for i, cell := range row {
				if mirrored == 1 {
					i = len(row) - 1 - i
				}
				g.Arrow(node, colors+cell, i)
			}
			return node
		}
		for _, e := range a.Train {
			pair := g.Node(example)
			g.Arrow(pair, add(before, e.Input), 0)
			g.Arrow(pair, add(after, e.Output), 0)
		}
		add(asked, a.Test.Input)
		return g.Key()
	})
}

func (a arc1DItem) Solve() string { return rowText(a.Test.Output) }

// Score implements [task.Scorer]. Cells may be separated by space, commas or nothing, and
// enclosed in brackets.
func (a arc1DItem) Score(text string) quintain.Verdict {
	want := a.Solve()
	if text == want {
		return quintain.Right()
	}
	if len(text) > 4*len(want)+80 {
		return quintain.Wrong("the answer is too long")
	}
	fields := strings.FieldsFunc(strings.TrimSuffix(answer.Trim(text), "."), func(r rune) bool { return r == ',' || answer.Space(r) })
	if len(fields) == 1 {
		fields = strings.Split(fields[0], "")
	}
	for _, field := range fields {
		if len(field) != 1 || field[0] < '0' || field[0] > '9' {
			return quintain.Malformed("want digits separated by spaces, and nothing else")
		}
	}
	switch {
	case len(fields) == 0:
		return quintain.Malformed("the answer is empty")
	case strings.Join(fields, " ") != want:
		return quintain.Wrong("want " + want)
	}
	return quintain.Right()
}
