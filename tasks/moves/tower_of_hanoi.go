package moves

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// towerOfHanoi asks for moves that carry disks to other pegs.
var towerOfHanoi = task.Spec[hanoiParams, hanoiItem]{
	Name:     "tower_of_hanoi",
	Category: "games",
	Doc: "Carry disks from some pegs to others, in no more moves than the question says. Start and goal are any legal positions, or a tower on one peg if any_state is off. " +
		"The limit is the fewest moves; for towers on four pegs and more, the fewest known.",
	Source:  "The Tower of Hanoi, E. Lucas (1883), with more pegs after J. S. Frame and B. M. Stewart (1941); the settings are those of reasoning-gym.",
	Version: 5,
	List:    "\n",
	Default: hanoiParams{MinDisks: 3, MaxDisks: 7, MinPegs: 3, MaxPegs: 4},
	Levels: []hanoiParams{
		{MinDisks: 3, MaxDisks: 3, MinPegs: 4, MaxPegs: 6, AnyState: true},
		{MinDisks: 4, MaxDisks: 4, MinPegs: 4, MaxPegs: 5, AnyState: true},
		{MinDisks: 4, MaxDisks: 5, MinPegs: 3, MaxPegs: 5, AnyState: true},
		{MinDisks: 6, MaxDisks: 6, MinPegs: 3, MaxPegs: 5, AnyState: true},
		{MinDisks: 7, MaxDisks: 8, MinPegs: 3, MaxPegs: 4, AnyState: true},
		{MinDisks: 9, MaxDisks: 9, MinPegs: 3, MaxPegs: 4, AnyState: true},
	},
	Few:  []string{"There are few positions of so few disks."},
	Make: makeHanoi,
	Many: true,
}

// hanoiParams are the settings of one difficulty.
type hanoiParams struct {
	MinDisks int  `json:"min_disks" want:"1 to 15"`
	MaxDisks int  `json:"max_disks" want:"min_disks to 15"`
	MinPegs  int  `json:"min_pegs" want:"3 to 9"`
	MaxPegs  int  `json:"max_pegs" want:"min_pegs to 9"`
	AnyState bool `json:"any_state"` // start and goal are any legal positions, not only towers
}

// Limits of a puzzle: with three pegs, 15 disks take 32,767 moves.
const (
	mostDisks  = 15
	mostPegs   = 9
	mostStates = 1 << 18 // positions to search, with more than three pegs and any_state
)

// Check refuses what no tag does.
func (p hanoiParams) Check() error {
	if p.AnyState && !searchable(p.MaxDisks, p.MaxPegs) {
		return fmt.Errorf("max_disks is %d, too many for any_state with max_pegs %d: want at most %d positions", p.MaxDisks, p.MaxPegs, mostStates)
	}
	return nil
}

// searchable reports whether the shortest way between any two positions can be found.
func searchable(disks, pegs int) bool {
	states := 1
	for range disks {
		states = min(states*pegs, mostStates+1)
	}
	return pegs == 3 || states <= mostStates
}

// hanoiItem is one puzzle. Pegs are counted from 1, and disks from the smallest.
type hanoiItem struct {
	NumDisks       int   `json:"num_disks" want:"1 to 15"`
	NumPegs        int   `json:"num_pegs" want:"3 to 9"`
	StartPeg       int   `json:"start_peg"`
	TargetPeg      int   `json:"target_peg"`
	AuxiliaryPegs  []int `json:"auxiliary_pegs"`
	SolutionLength int   `json:"solution_length"` // moves
	Start          []int `json:"start,omitempty"` // with any_state: the peg of each disk, the smallest first; start_peg is that of the largest
	Goal           []int `json:"goal,omitempty"`  // the same in the end, for target_peg
	Phrasing       int   `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeHanoi draws the size of the puzzle, and the pegs or the positions.
func makeHanoi(p hanoiParams, r *rng.Rand) (hanoiItem, error) {
	item := hanoiItem{
		NumDisks: r.Between(p.MinDisks, p.MaxDisks), NumPegs: r.Between(p.MinPegs, p.MaxPegs),
		Phrasing: r.Between(0, len(hanoiPhrasings)-1),
	}
	if p.AnyState {
		item.drawStates(r)
		return item, nil
	}
	pegs := make([]int, item.NumPegs)
	for i := range pegs {
		pegs[i] = i + 1
	}
	rng.ToFront(r, pegs, 2)
	item.StartPeg, item.TargetPeg, item.AuxiliaryPegs = pegs[0], pegs[1], pegs[2:]
	slices.Sort(item.AuxiliaryPegs)
	item.SolutionLength = hanoiWays()[item.NumDisks][item.NumPegs].moves
	return item, nil
}

// drawStates draws positions two moves apart or more. Every placing of disks on pegs is
// legal: on each peg they lie in order.
func (h *hanoiItem) drawStates(r *rng.Rand) {
	h.Start, h.Goal = make([]int, h.NumDisks), make([]int, h.NumDisks)
	for h.SolutionLength < min(2, h.NumDisks) {
		for i := range h.NumDisks {
			h.Start[i], h.Goal[i] = r.Between(1, h.NumPegs), r.Between(1, h.NumPegs)
		}
		h.SolutionLength = len(h.way())
	}
	h.StartPeg, h.TargetPeg = h.Start[h.NumDisks-1], h.Goal[h.NumDisks-1]
	for peg := 1; peg <= h.NumPegs; peg++ {
		if peg != h.StartPeg && peg != h.TargetPeg {
			h.AuxiliaryPegs = append(h.AuxiliaryPegs, peg)
		}
	}
}

// way returns a shortest way between positions.
func (h hanoiItem) way() []hanoiMove {
	start, goal := h.ends()
	return fewestHanoi(h.NumDisks, h.NumPegs, start, goal)
}

// ends returns the positions at the start and in the end.
func (h hanoiItem) ends() (start, goal hanoiState) {
	if h.Start == nil {
		return towerOn(int8(h.StartPeg)), towerOn(int8(h.TargetPeg))
	}
	for i := range h.NumDisks {
		start[i], goal[i] = int8(h.Start[i]), int8(h.Goal[i])
	}
	return start, goal
}

// hanoiPhrasings are the wordings of the question for a tower, before and after the picture. %p, %d and
// %m are the numbers of pegs, disks and moves, %s and %t the start and the target peg.
var hanoiPhrasings = [][2]string{
	{"Solve this Tower of Hanoi. There are %p pegs, and on one of them a tower of %d disks, which are numbered from 1, the smallest, to %d, the largest. Only the top disk of a peg can be moved, and never onto a smaller disk.\n\n",
		"\n\nCarry the whole tower from Peg %s to Peg %t in at most %m moves. Answer with one move per line and nothing else, each in the form: Move disk 1 from Peg 2 to Peg 3"},
	{"Here are some pegs with disks:\n\n", "\n\nThis is how %d disks lie on %p pegs now; the larger its number, the larger a disk. All of them should be on Peg %t in the end. You take the uppermost disk of a peg and put it on another peg, which must be empty or have a larger disk on top. %m moves are enough, and you have no more than that. " +
		"Which moves do you make? Write each on a line of its own, like \"Move disk 2 from Peg 1 to Peg 3\", and write no other text."},
	{"%p pegs, %d disks, %m moves: that is all you get to bring the tower on Peg %s over to Peg %t.\n\n",
		"\n\nThe disks have different sizes, from 1 (small) to %d (large). One move takes the top disk of one peg to another peg. At no time may a disk lie on one that is smaller. List the moves in order, one on each line, in these words: Move disk X from Peg Y to Peg Z, where X, Y and Z are numbers. The list is the whole answer."},
	{"Give a list of at most %m lines, each of them of the form\nMove disk N from Peg A to Peg B\nwith numbers for N, A and B. Done one after the other, these moves must carry all %d disks that you see here from Peg %s to Peg %t:\n\n",
		"\n\nOnly the disk that lies on top of a peg can be moved, and it must not be put on a disk with a smaller number. You may use all %p pegs."},
	{"Rules:\n1. Each move takes one disk from the top of a peg and puts it on top of another peg.\n2. A disk is never put on a smaller one. Disk 1 is the smallest.\n3. There are %p pegs, numbered from 1 to %p.\n\nStart:\n\n",
		"\n\nGoal: the %d disks are all on Peg %t, after %m moves or fewer.\n\nReply with the moves only. Put every move on a separate line, and word it like this example: Move disk 1 from Peg 3 to Peg 2"},
	{"How do you get the disks from Peg %s to Peg %t?\n\n",
		"\n\nYou may move one disk at a time, always the one on top, to any of the %p pegs that has no smaller disk on it. The disk with the number %d is the largest. There is a way with %m moves, and longer ones do not count. State each move as \"Move disk 3 from Peg 1 to Peg 2\" (with your own numbers), one per line. No remarks, please."},
}

// hanoiStatePhrasings are the wordings for any positions: before the start, between start
// and goal, and after the goal.
var hanoiStatePhrasings = [][3]string{
	{"Solve this puzzle with the rules of the Tower of Hanoi. There are %p pegs and %d disks, numbered from 1, the smallest, to %d, the largest. Only the top disk of a peg can be moved, and never onto a smaller disk. The disks of a peg are listed from bottom to top.\n\nStart:\n",
		"\n\nGoal:\n", "\n\nReach the goal in at most %m moves. Answer with one move per line and nothing else, each in the form: Move disk 1 from Peg 2 to Peg 3"},
	{"This is how %d disks lie on %p pegs now. Each line lists the disks of a peg upwards, and the larger its number, the larger a disk.\n\n",
		"\n\nIn the end they should lie like this:\n\n", "\n\nYou take the uppermost disk of a peg and put it on another peg, which must be empty or have a larger disk on top. %m moves are enough, and you have no more than that. Which moves do you make? Write each on a line of its own, like \"Move disk 2 from Peg 1 to Peg 3\", and write no other text."},
	{"%p pegs, %d disks, %m moves: that is all you get to turn the first arrangement into the second. The last disk of each row is the one on top.\n\nFirst arrangement\n",
		"\n\nSecond arrangement\n", "\n\nThe disks have different sizes, from 1 (small) to %d (large). One move takes the top disk of one peg to another peg. At no time may a disk lie on one that is smaller. List the moves in order, one on each line, in these words: Move disk X from Peg Y to Peg Z, where X, Y and Z are numbers. The list is the whole answer."},
	{"Give a list of at most %m lines, each of them of the form\nMove disk N from Peg A to Peg B\nwith numbers for N, A and B. Done one after the other, these moves must lead from here:\n\n",
		"\n\nto here:\n\n", "\n\nDisks are written from the bottom of a peg to its top. Only the disk that lies on top of a peg can be moved, and it must not be put on a disk with a smaller number. You may use all %p pegs."},
	{"Rules:\n1. Each move takes one disk from the top of a peg and puts it on top of another peg.\n2. A disk is never put on a smaller one. Disk 1 is the smallest, disk %d the largest.\n3. There are %p pegs. The list of a peg begins with its lowest disk.\n\nStart:\n\n",
		"\n\nGoal, after %m moves or fewer:\n\n", "\n\nReply with the moves only. Put every move on a separate line, and word it like this example: Move disk 1 from Peg 3 to Peg 2"},
	{"How do you rearrange these %d disks?\n\n",
		"\n\nAfterwards the pegs should look like this:\n\n", "\n\nOn each line the disk named last is on top; the disk with the number %d is the largest. You may move one disk at a time, always the one on top, to any of the %p pegs that has no smaller disk on it. There is a way with %m moves, and longer ones do not count. State each move as \"Move disk 3 from Peg 1 to Peg 2\" (with your own numbers), one per line. No remarks, please."},
}

func (h hanoiItem) Prompt() string {
	fill := func(c byte) string {
		switch c {
		case 'p':
			return strconv.Itoa(h.NumPegs)
		case 'd':
			return strconv.Itoa(h.NumDisks)
		case 'm':
			return strconv.Itoa(h.SolutionLength)
		case 's':
			return strconv.Itoa(h.StartPeg)
		}
		return strconv.Itoa(h.TargetPeg)
	}
	b := make([]byte, 0, task.PromptRoom)
	start, goal := h.ends()
	if h.Start != nil {
		words := hanoiStatePhrasings[h.Phrasing]
		b = h.appendPegs(task.AppendFilled(b, words[0], fill), start)
		b = h.appendPegs(task.AppendFilled(b, words[1], fill), goal)
		return string(task.AppendFilled(b, words[2], fill))
	}
	words := hanoiPhrasings[h.Phrasing]
	b = h.appendPegs(task.AppendFilled(b, words[0], fill), start)
	return string(task.AppendFilled(b, words[1], fill))
}

// appendPegs appends a line for each peg with its disks.
func (h hanoiItem) appendPegs(b []byte, at hanoiState) []byte {
	for peg := 1; peg <= h.NumPegs; peg++ {
		if peg > 1 {
			b = append(b, '\n')
		}
		b = append(strconv.AppendInt(append(b, "Peg "...), int64(peg), 10), ':')
		disks := 0
		for disk := h.NumDisks; disk > 0; disk-- {
			if at[disk-1] == int8(peg) {
				b = strconv.AppendInt(append(b, ' '), int64(disk), 10)
				disks++
			}
		}
		switch {
		case disks == 0:
			b = append(b, " empty"...)
		case disks > 1 && h.Start == nil:
			b = append(b, "  (from bottom to top)"...)
		}
	}
	return b
}

// Canonical implements [task.Canonicalizer]. Pegs are named in the order in which the positions
// name them first, for another name changes no move but its spelling. The way back is the same question.
func (h hanoiItem) Canonical() string {
	if h.Start == nil {
		return fmt.Sprint(h.NumDisks, h.NumPegs)
	}
	return canon.Least(2, func(back int) string {
		from, to := h.Start, h.Goal
		if back == 1 {
			from, to = to, from
		}
		names, named := canon.Names[int]{}, make([]int, 0, 2*h.NumDisks)
		for _, peg := range slices.Concat(from, to) {
			named = append(named, names.Of(peg))
		}
		return fmt.Sprint(h.NumPegs, named)
	})
}

// Check refuses a record with inconsistent numbers.
func (h hanoiItem) Check() error {
	switch {
	case h.Start != nil || h.Goal != nil:
		return h.checkStates()
	case h.StartPeg < 1 || h.StartPeg > h.NumPegs || h.TargetPeg < 1 || h.TargetPeg > h.NumPegs || h.StartPeg == h.TargetPeg:
		return fmt.Errorf("start_peg and target_peg are %d and %d, want two of the %d pegs", h.StartPeg, h.TargetPeg, h.NumPegs)
	}
	return task.Want("solution_length", h.SolutionLength, hanoiWays()[h.NumDisks][h.NumPegs].moves)
}

// checkStates refuses positions that are none, and a length that no way between them has.
func (h hanoiItem) checkStates() error {
	for _, state := range [][]int{h.Start, h.Goal} {
		if len(state) != h.NumDisks {
			return fmt.Errorf("start or goal has %d disks, want %d", len(state), h.NumDisks)
		}
		for _, peg := range state {
			if peg < 1 || peg > h.NumPegs {
				return fmt.Errorf("start or goal has a disk on peg %d, want 1 to %d", peg, h.NumPegs)
			}
		}
	}
	switch {
	case slices.Equal(h.Start, h.Goal):
		return errors.New("start and goal are equal")
	case !searchable(h.NumDisks, h.NumPegs):
		return fmt.Errorf("num_disks is %d, too many for %d pegs", h.NumDisks, h.NumPegs)
	case h.SolutionLength < 1 || h.SolutionLength >= 1<<h.NumDisks:
		return fmt.Errorf("solution_length is %d, want 1 to %d", h.SolutionLength, 1<<h.NumDisks-1)
	}
	return nil
}

func (h hanoiItem) Solve() string {
	if h.Start != nil {
		b := make([]byte, 0, 34*h.SolutionLength)
		for _, m := range h.way() {
			b = appendHanoiMove(b, int(m.disk), [2]int{int(m.from), int(m.to)})
		}
		return string(b[:len(b)-1])
	}
	var spare hanoiPegs
	for peg := 1; peg <= h.NumPegs; peg++ {
		if peg != h.StartPeg && peg != h.TargetPeg {
			spare = spare.and(peg)
		}
	}
	b := appendTower(make([]byte, 0, 34*h.SolutionLength), [2]int{1, h.NumDisks}, [2]int{h.StartPeg, h.TargetPeg}, spare)
	return string(b[:len(b)-1])
}

// appendHanoiMove appends the move of a disk from one peg to another.
func appendHanoiMove(b []byte, disk int, pegs [2]int) []byte {
	if disk > 9 {
		b = strconv.AppendInt(append(b, "Move disk "...), int64(disk), 10)
		b = strconv.AppendInt(append(b, " from Peg "...), int64(pegs[0]), 10)
		return append(strconv.AppendInt(append(b, " to Peg "...), int64(pegs[1]), 10), '\n')
	}
	at := len(b)
	b = append(b, "Move disk 0 from Peg 0 to Peg 0\n"...)
	b[at+10] += byte(disk)
	b[at+21] += byte(pegs[0])
	b[at+30] += byte(pegs[1])
	return b
}

// Score implements [task.Scorer]. Right are legal moves that carry all disks to their
// goal, within the limit.
func (h hanoiItem) Score(text string) quintain.Verdict {
	at, goal := h.ends()
	moves := 0
	for line := range strings.Lines(text) {
		if line = answer.Trim(line); line == "" {
			continue
		}
		disk, from, to, read := readHanoiMove(line)
		if !read {
			return quintain.Malformed(fmt.Sprintf("%.60q is not a move in the form: Move disk 1 from Peg 2 to Peg 3", line))
		}
		if moves++; moves > h.SolutionLength {
			return quintain.Wrong(fmt.Sprintf("there are more than %d moves", h.SolutionLength))
		}
		if fault := h.move(&at, disk, [2]int{from, to}); fault != "" {
			return quintain.Wrong(fmt.Sprintf("move %d: %s", moves, fault))
		}
	}
	if moves == 0 {
		return quintain.Malformed("the answer has no moves")
	}
	for disk := 1; disk <= h.NumDisks; disk++ {
		if at[disk-1] != goal[disk-1] {
			return quintain.Wrong(fmt.Sprintf("disk %d ends on Peg %d, want Peg %d", disk, at[disk-1], goal[disk-1]))
		}
	}
	return quintain.Right()
}

// move makes a move. fault describes an illegal one.
func (h hanoiItem) move(at *hanoiState, disk int, pegs [2]int) (fault string) {
	from, to := pegs[0], pegs[1]
	switch {
	case disk < 1 || disk > h.NumDisks || to < 1 || to > h.NumPegs || from == to:
		return fmt.Sprintf("there is no disk %d, or it cannot go from Peg %d to Peg %d", disk, from, to)
	case int(at[disk-1]) != from:
		return fmt.Sprintf("disk %d is not on Peg %d", disk, from)
	}
	for smaller, peg := range at[:disk-1] {
		if int(peg) == from || int(peg) == to {
			return fmt.Sprintf("disk %d is in the way of disk %d", smaller+1, disk)
		}
	}
	at[disk-1] = int8(to)
	return ""
}

// readHanoiMove reads "Move disk 1 from Peg 2 to Peg 3", in any case, with or without a
// full stop.
func readHanoiMove(line string) (disk, from, to int, read bool) {
	const longest = 100
	if len(line) > longest {
		return 0, 0, 0, false
	}
	words := answer.Fields(strings.TrimSuffix(line, "."))
	if len(words) != 9 {
		return 0, 0, 0, false
	}
	var numbers []int
	for i, want := range [...]string{"move", "disk", "", "from", "peg", "", "to", "peg", ""} {
		if want != "" {
			if !strings.EqualFold(words[i], want) {
				return 0, 0, 0, false
			}
			continue
		}
		n, err := strconv.Atoi(words[i])
		if err != nil {
			return 0, 0, 0, false
		}
		numbers = append(numbers, n)
	}
	return numbers[0], numbers[1], numbers[2], true
}
