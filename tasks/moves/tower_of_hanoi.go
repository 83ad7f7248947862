package moves

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// towerOfHanoi asks for moves that carry a tower to another peg.
var towerOfHanoi = task.Spec[hanoiParams, hanoiItem]{
	Name:     "tower_of_hanoi",
	Category: "games",
	Doc: "Carry a tower of disks from one peg to another, in no more moves than the question says. " +
		"The limit is the fewest moves at all levels, and the fewest known for other settings.",
	Source:  "The Tower of Hanoi, E. Lucas (1883), with more pegs after J. S. Frame and B. M. Stewart (1941); the settings are those of reasoning-gym.",
	Version: 1,
	Default: hanoiParams{MinDisks: 3, MaxDisks: 7, MinPegs: 3, MaxPegs: 4},
	Levels: []hanoiParams{
		{MinDisks: 2, MaxDisks: 2, MinPegs: 3, MaxPegs: 6},
		{MinDisks: 3, MaxDisks: 3, MinPegs: 3, MaxPegs: 6},
		{MinDisks: 4, MaxDisks: 5, MinPegs: 3, MaxPegs: 5},
		{MinDisks: 6, MaxDisks: 6, MinPegs: 3, MaxPegs: 5},
		{MinDisks: 7, MaxDisks: 8, MinPegs: 3, MaxPegs: 5},
		{MinDisks: 9, MaxDisks: 9, MinPegs: 3, MaxPegs: 5},
	},
	Make:    makeHanoi,
	Many:    true,
	Surface: "Sizes and pegs make few different puzzles, and whoever has seen all of them knows the answers.",
}

// hanoiParams are the settings of one difficulty.
type hanoiParams struct {
	MinDisks int `json:"min_disks"`
	MaxDisks int `json:"max_disks"`
	MinPegs  int `json:"min_pegs"`
	MaxPegs  int `json:"max_pegs"`
}

// Limits of a puzzle: with three pegs, 15 disks take 32,767 moves.
const (
	mostDisks = 15
	mostPegs  = 9
)

// Check implements [task.Params].
func (p hanoiParams) Check() error {
	return errors.Join(task.CheckRange("disks", p.MinDisks, p.MaxDisks, [2]int{1, mostDisks}), task.CheckRange("pegs", p.MinPegs, p.MaxPegs, [2]int{3, mostPegs}))
}

// hanoiItem is one puzzle. Pegs are counted from 1, and disks from the smallest.
type hanoiItem struct {
	NumDisks       int   `json:"num_disks"`
	NumPegs        int   `json:"num_pegs"`
	StartPeg       int   `json:"start_peg"`
	TargetPeg      int   `json:"target_peg"`
	AuxiliaryPegs  []int `json:"auxiliary_pegs"`
	SolutionLength int   `json:"solution_length"` // moves
	Phrasing       int   `json:"phrasing,omitempty"`
}

// makeHanoi draws the size of the puzzle and the pegs.
func makeHanoi(p hanoiParams, r *rng.Rand) (hanoiItem, error) {
	item := hanoiItem{
		NumDisks: r.Between(p.MinDisks, p.MaxDisks), NumPegs: r.Between(p.MinPegs, p.MaxPegs),
		Phrasing: r.Between(0, len(hanoiPhrasings)-1),
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

// A hanoiWay is the method of Frame and Stewart for a number of disks and of pegs: it
// carries the smaller disks to one peg, then the others without using that peg, then the
// smaller ones on top.
type hanoiWay struct{ moves, smaller int }

// hanoiWays holds the ways by disks and pegs.
var hanoiWays = sync.OnceValue(func() *[mostDisks + 1][mostPegs + 1]hanoiWay {
	ways := new([mostDisks + 1][mostPegs + 1]hanoiWay)
	for pegs := 3; pegs <= mostPegs; pegs++ {
		for disks := 1; disks <= mostDisks; disks++ {
			best := hanoiWay{2*ways[disks-1][pegs].moves + 1, disks - 1}
			for k := disks - 2; k >= 0 && pegs > 3; k-- { // with three pegs, the larger disks have only two
				if moves := 2*ways[k][pegs].moves + ways[disks-k][pegs-1].moves; moves <= best.moves {
					best = hanoiWay{moves, k}
				}
			}
			ways[disks][pegs] = best
		}
	}
	return ways
})

// hanoiPhrasings are the wordings of the question, before and after the picture. %p, %d and
// %m are the numbers of pegs, disks and moves, %s and %t the start and the target peg.
var hanoiPhrasings = [][2]string{
	{"Solve this Tower of Hanoi. There are %p pegs, and on one of them a tower of %d disks, which are numbered from 1, the smallest, to %d, the largest. Only the top disk of a peg can be moved, and never onto a smaller disk.\n\n",
		"\n\nCarry the whole tower from Peg %s to Peg %t in at most %m moves. Answer with one move per line and nothing else, each in the form: Move disk 1 from Peg 2 to Peg 3"},
	{"\n", "\n\nThis is how %d disks lie on %p pegs now; the larger its number, the larger a disk. All of them should be on Peg %t in the end. You take the uppermost disk of a peg and put it on another peg, which must be empty or have a larger disk on top. %m moves are enough, and you have no more than that. " +
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

// Prompt implements [task.Instance].
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
	words := hanoiPhrasings[h.Phrasing]
	b := task.AppendFilled(make([]byte, 0, task.PromptRoom), words[0], fill)
	for peg := 1; peg <= h.NumPegs; peg++ {
		if peg > 1 {
			b = append(b, '\n')
		}
		b = append(strconv.AppendInt(append(b, "Peg "...), int64(peg), 10), ':')
		if peg != h.StartPeg {
			b = append(b, " empty"...)
			continue
		}
		for disk := h.NumDisks; disk > 0; disk-- {
			b = strconv.AppendInt(append(b, ' '), int64(disk), 10)
		}
		if h.NumDisks > 1 {
			b = append(b, "  (from bottom to top)"...)
		}
	}
	return string(task.AppendFilled(b, words[1], fill))
}

// Canonical implements [task.Canonicalizer].
func (h hanoiItem) Canonical() string {
	return fmt.Sprint(h.NumDisks, h.NumPegs, h.StartPeg, h.TargetPeg)
}

// Check refuses a record with inconsistent numbers.
func (h hanoiItem) Check() error {
	switch {
	case h.NumDisks < 1 || h.NumDisks > mostDisks:
		return fmt.Errorf("num_disks is %d, want 1 to %d", h.NumDisks, mostDisks)
	case h.NumPegs < 3 || h.NumPegs > mostPegs:
		return fmt.Errorf("num_pegs is %d, want 3 to %d", h.NumPegs, mostPegs)
	case h.StartPeg < 1 || h.StartPeg > h.NumPegs || h.TargetPeg < 1 || h.TargetPeg > h.NumPegs || h.StartPeg == h.TargetPeg:
		return fmt.Errorf("start_peg and target_peg are %d and %d, want two of the %d pegs", h.StartPeg, h.TargetPeg, h.NumPegs)
	}
	if want := hanoiWays()[h.NumDisks][h.NumPegs].moves; h.SolutionLength != want {
		return fmt.Errorf("solution_length is %d, want %d", h.SolutionLength, want)
	}
	return task.CheckPhrasing(h.Phrasing, len(hanoiPhrasings))
}

// Solve implements [task.Instance].
func (h hanoiItem) Solve() string {
	var spare hanoiPegs
	for peg := 1; peg <= h.NumPegs; peg++ {
		if peg != h.StartPeg && peg != h.TargetPeg {
			spare = spare.and(peg)
		}
	}
	b := appendTower(make([]byte, 0, 34*h.SolutionLength), [2]int{1, h.NumDisks}, [2]int{h.StartPeg, h.TargetPeg}, spare)
	return string(b[:len(b)-1])
}

// hanoiPegs is a list of pegs, four bits of list each.
type hanoiPegs struct {
	list uint64
	n    int
}

// and returns the pegs with one more at the end.
func (p hanoiPegs) and(peg int) hanoiPegs { return hanoiPegs{p.list | uint64(peg)<<(4*p.n), p.n + 1} }

// appendTower appends the moves that carry a range of disks from one peg to another, using
// spare pegs.
func appendTower(b []byte, disks, pegs [2]int, spare hanoiPegs) []byte {
	n := disks[1] - disks[0] + 1
	switch n {
	case 0:
		return b
	case 1:
		return appendHanoiMove(b, disks[0], pegs)
	}
	k := hanoiWays()[n][spare.n+2].smaller
	small, large := [2]int{disks[0], disks[0] + k - 1}, [2]int{disks[0] + k, disks[1]}
	aside, others := int(spare.list&15), hanoiPegs{spare.list >> 4, spare.n - 1}
	b = appendTower(b, small, [2]int{pegs[0], aside}, others.and(pegs[1]))
	b = appendTower(b, large, pegs, others)
	return appendTower(b, small, [2]int{aside, pegs[1]}, others.and(pegs[0]))
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

// Score implements [task.Instance]. Right are legal moves that carry all disks over, within
// the limit.
func (h hanoiItem) Score(text string) quintain.Verdict {
	var at [mostDisks + 1]int // the peg of each disk
	for disk := 1; disk <= h.NumDisks; disk++ {
		at[disk] = h.StartPeg
	}
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
		if at[disk] != h.TargetPeg {
			return quintain.Wrong(fmt.Sprintf("disk %d ends on Peg %d, want Peg %d", disk, at[disk], h.TargetPeg))
		}
	}
	return quintain.Right()
}

// move makes a move. fault describes an illegal one.
func (h hanoiItem) move(at *[mostDisks + 1]int, disk int, pegs [2]int) (fault string) {
	from, to := pegs[0], pegs[1]
	switch {
	case disk < 1 || disk > h.NumDisks || to < 1 || to > h.NumPegs || from == to:
		return fmt.Sprintf("there is no disk %d, or it cannot go from Peg %d to Peg %d", disk, from, to)
	case at[disk] != from:
		return fmt.Sprintf("disk %d is not on Peg %d", disk, from)
	}
	for smaller := 1; smaller < disk; smaller++ {
		if at[smaller] == from || at[smaller] == to {
			return fmt.Sprintf("disk %d is in the way of disk %d", smaller, disk)
		}
	}
	at[disk] = to
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
