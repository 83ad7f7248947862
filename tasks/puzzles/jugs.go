package puzzles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// jugs asks for moves that measure out an amount of water.
var jugs = task.Spec[jugsParams, jugsItem]{
	Name:     "jugs",
	Category: "algorithmic",
	Doc: "Measure out an amount of water with jugs that can be filled, emptied and poured into one another. " +
		"It takes at least as many moves as the difficulty says; any moves that end with the amount in a jug are right.",
	Source:  "The water pouring puzzle, known since the thirteenth century; the settings are those of reasoning-gym.",
	Version: 6,
	Many:    true,
	List:    answer.AsJSON,
	Default: jugsParams{NumJugs: 3, Difficulty: 10},
	Levels: []jugsParams{
		{NumJugs: 3, Difficulty: 2},
		{NumJugs: 3, Difficulty: 4},
		{NumJugs: 4, Difficulty: 7},
		{NumJugs: 4, Difficulty: 11},
		{NumJugs: 5, Difficulty: 16},
		{NumJugs: 7, Difficulty: 24},
	},
	Few: []string{
		"Two moves measure few amounts with three jugs.",
		"Four moves measure few amounts with three jugs.",
		"Seven moves measure few amounts with four jugs.",
	},
	Make: makeJugs,
}

// jugsParams are the settings of one difficulty.
type jugsParams struct {
	NumJugs    int `json:"num_jugs" want:"3 to 26"`
	Difficulty int `json:"difficulty" want:"1 to 199"` // fewest moves of a solution
}

// jugsItem is one puzzle.
type jugsItem struct {
	Puzzle   jugsPuzzle `json:"puzzle"`
	Phrasing int        `json:"phrasing,omitempty" want:"0 to 5"`
}

// jugsPuzzle is the jugs and the amount to measure.
type jugsPuzzle struct {
	JugCapacities []int `json:"jug_capacities" want:"1 to 26" each:"1 to 100000"` // of the jugs A, B, …, in liters
	Target        int   `json:"target" want:"1 or more"`                          // in liters
	MinMoves      int   `json:"min_moves,omitempty"`                              // in entries of reasoning-gym; ours need at least the difficulty
}

// makeJugs draws the jugs so that the number of moves follows from arithmetic. All
// capacities but one are multiples of g. So the water in each jug is, modulo g, a multiple
// r·a of the odd capacity a; r is 1 when jug a is full. Filling a raises the sum of the
// positive r by one. Filling it up from another jug raises that and the sum of the negative
// ones. No other move raises either, and between two such moves something else must happen
// to jug a. A negative r also needs another jug filled first, and a positive one needs jug
// a poured out last, except for r = 1. Hence 2s moves reach at most |r| = s. The target has
// r = ±s, and s is less than g/2, so that no smaller r leads to the same amount.
func makeJugs(p jugsParams, r *rng.Rand) (jugsItem, error) {
	s := (p.Difficulty + 1) / 2
	g := r.Between(2*s+1, 4*s+16)
	odd := r.Between(2, 2*g)
	for gcd(odd, g) != 1 {
		odd++
	}
	target := odd * s % g
	if s == 1 || r.Chance(0.5) {
		target = g - target
	}
	scale := max(1, r.Between(-2, 3)) // 1 in four cases of six
	capacities := make([]int, p.NumJugs)
	capacities[0], capacities[1] = scale*odd, scale*g
	for i := 2; i < p.NumJugs; i++ {
		capacities[i] = scale * g * r.Between(1, 3)
	}
	rng.Shuffle(r, capacities)
	return jugsItem{
		Puzzle:   jugsPuzzle{JugCapacities: capacities, Target: scale * target},
		Phrasing: r.Between(0, len(jugsPhrasings)-1),
	}, nil
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// jugsPhrasings are the wordings of the question, before the jugs.
var jugsPhrasings = []string{
	"You stand at a well with some empty jugs. When full, they hold these amounts, in liters:",
	"You have to measure out water with jugs that have no marks on them. You also have a tap and a drain. The jugs are empty now, and their capacities in liters are:",
	"Here are some empty jugs, and as much water as you like. These are the capacities of the jugs, in liters:",
	"A cook has no scales, but several jugs without marks, all of them empty, and running water. In liters, the jugs hold:",
	"Next to a lake stand some jugs with nothing in them. How much each can hold, in liters, is listed here:",
	"Water can be measured by pouring it from jug to jug. All jugs are empty at the start, and their sizes in liters are:",
}

func (j jugsItem) Prompt() string {
	b := make([]byte, 0, 900)
	b = append(append(b, jugsPhrasings[j.Phrasing]...), "\n\n"...)
	b = append(j.appendJugs(b), "\n\n\"fill A\" fills jug A to the brim, \"empty A\" pours all of its water away, and \"pour A->B\" pours water from A into B until A is empty or B is full. "+
		"Find moves after which some jug holds exactly "...)
	return string(append(appendLiters(b, j.Puzzle.Target), ".\n"+
		`Answer with a JSON list of the moves, for example ["fill A", "pour A->B", "empty B"].`...))
}

// appendJugs appends the names of the jugs with their capacities.
func (j jugsItem) appendJugs(b []byte) []byte {
	for i, capacity := range j.Puzzle.JugCapacities {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, 'A'+byte(i), ':', ' '), int64(capacity), 10)
	}
	return b
}

// appendLiters appends "1 liter" or "5 liters".
func appendLiters(b []byte, n int) []byte {
	b = append(strconv.AppendInt(b, int64(n), 10), " liters"...)
	if n == 1 {
		b = b[:len(b)-1]
	}
	return b
}

func (j jugsItem) Short() string {
	return "jugs " + string(j.appendJugs(nil)) + ", target " + strconv.Itoa(j.Puzzle.Target)
}

// Canonical implements [task.Canonicalizer]. The order of the jugs does not matter, since their letters
// are names, nor does the unit in which all is measured.
func (j jugsItem) Canonical() string {
	unit := j.Puzzle.Target
	for _, capacity := range j.Puzzle.JugCapacities {
		for capacity != 0 {
			unit, capacity = capacity, unit%capacity
		}
	}
	sizes := slices.Sorted(slices.Values(j.Puzzle.JugCapacities))
	for i := range sizes {
		sizes[i] /= unit
	}
	return fmt.Sprint(j.Puzzle.Target/unit, sizes)
}

// A jugMove fills jug to from the well, empties jug from into it, or pours from one into
// the other; the well is -1.
type jugMove struct{ from, to int }

// String writes m as in an answer.
func (m jugMove) String() string {
	switch {
	case m.from < 0:
		return "fill " + string(rune('A'+m.to))
	case m.to < 0:
		return "empty " + string(rune('A'+m.from))
	default:
		return "pour " + string(rune('A'+m.from)) + "->" + string(rune('A'+m.to))
	}
}

// move makes a move of the puzzle; water is the contents of the jugs.
func (p jugsPuzzle) move(water []int, m jugMove) {
	switch {
	case m.from < 0:
		water[m.to] = p.JugCapacities[m.to]
	case m.to < 0:
		water[m.from] = 0
	default:
		amount := min(water[m.from], p.JugCapacities[m.to]-water[m.to])
		water[m.from] -= amount
		water[m.to] += amount
	}
}

// Solve implements [task.Instance]. It goes back and forth between two jugs, the pair that
// needs the fewest moves. A foreign puzzle may need three jugs; then it searches.
func (j jugsItem) Solve() string {
	var best []jugMove
	for from := range j.Puzzle.JugCapacities {
		for to := range j.Puzzle.JugCapacities {
			if from == to {
				continue
			}
			if moves := j.Puzzle.between(from, to, len(best)); moves != nil {
				best = moves
			}
		}
	}
	if best == nil {
		best = j.Puzzle.search()
	}
	texts := make([]string, len(best))
	for i, m := range best {
		texts[i] = m.String()
	}
	solution, err := json.Marshal(texts)
	if err != nil {
		panic(err) // strings always encode
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(solution), `\u003e`, ">"), ",", ", ")
}

// between carries water from one jug to another until one of them holds the target. It
// returns nil if they never do, or if it would need known moves or more (0: any number).
func (p jugsPuzzle) between(from, to, known int) []jugMove {
	most := 2 * (p.JugCapacities[from] + p.JugCapacities[to])
	if known > 0 {
		most = min(most, known-1)
	}
	var moves []jugMove
	water := make([]int, len(p.JugCapacities))
	for range most {
		next := jugMove{from, to}
		switch {
		case water[from] == 0:
			next = jugMove{-1, from}
		case water[to] == p.JugCapacities[to]:
			next = jugMove{to, -1}
		}
		p.move(water, next)
		moves = append(moves, next)
		if water[from] == p.Target || water[to] == p.Target {
			return moves
		}
	}
	return nil
}

// search finds a shortest solution breadth first, and gives up if there are too many
// states.
func (p jugsPuzzle) search() []jugMove {
	const mostStates = 200_000
	type state struct {
		water []int
		moves []jugMove
	}
	queue := []state{{water: make([]int, len(p.JugCapacities))}}
	seen := map[string]bool{fmt.Sprint(queue[0].water): true}
	all := p.allMoves()
	for len(queue) > 0 && len(seen) < mostStates {
		s := queue[0]
		queue = queue[1:]
		for _, m := range all {
			water := slices.Clone(s.water)
			p.move(water, m)
			key := fmt.Sprint(water)
			if seen[key] {
				continue
			}
			seen[key] = true
			moves := append(slices.Clip(s.moves), m)
			if slices.Contains(water, p.Target) {
				return moves
			}
			queue = append(queue, state{water, moves})
		}
	}
	return nil
}

// allMoves lists all moves.
func (p jugsPuzzle) allMoves() (all []jugMove) {
	for from := -1; from < len(p.JugCapacities); from++ {
		for to := -1; to < len(p.JugCapacities); to++ {
			if from != to {
				all = append(all, jugMove{from, to})
			}
		}
	}
	return all
}

func (j jugsItem) Score(text string) quintain.Verdict {
	v, err := answer.ReadJSON(text)
	if err != nil {
		return quintain.Malformed(fmt.Sprintf("the answer is not a JSON list: %v", err))
	}
	list, ok := v.([]any)
	if !ok {
		return quintain.Malformed("the answer is not a JSON list")
	}
	water := make([]int, len(j.Puzzle.JugCapacities))
	for i, item := range list {
		text, _ := item.(string)
		move, read := readJugMove(text, len(water))
		if !read {
			return quintain.Malformed(fmt.Sprintf("move %d is %.40q, want \"fill A\", \"empty A\" or \"pour A->B\" with existing jugs", i+1, text))
		}
		j.Puzzle.move(water, move)
	}
	if !slices.Contains(water, j.Puzzle.Target) {
		return quintain.Wrong(fmt.Sprintf("no jug holds %d at the end: %v", j.Puzzle.Target, water))
	}
	return quintain.Right()
}

// readJugMove reads a move with n jugs. As in reasoning-gym, more words may follow.
func readJugMove(text string, n int) (m jugMove, read bool) {
	verb, rest := cutWord(text)
	object, _ := cutWord(rest)
	switch verb {
	case "fill":
		m = jugMove{-1, jugNamed(object, n)}
		return m, m.to >= 0
	case "empty":
		m = jugMove{jugNamed(object, n), -1}
		return m, m.from >= 0
	case "pour":
		from, to, _ := strings.Cut(object, "->")
		m = jugMove{jugNamed(from, n), jugNamed(to, n)}
		return m, m.from >= 0 && m.to >= 0
	}
	return jugMove{}, false
}

// cutWord cuts the first word off text.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, answer.Space)
	if end := strings.IndexFunc(text, answer.Space); end >= 0 {
		return text[:end], text[end:]
	}
	return text, ""
}

// jugNamed returns the index of a jug, or -1 if none of the n jugs has that name.
func jugNamed(name string, n int) int {
	if len(name) != 1 || name[0] < 'A' || int(name[0]-'A') >= n {
		return -1
	}
	return int(name[0] - 'A')
}
