package moves

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestHanoiScore(t *testing.T) {
	item := hanoiItem{NumDisks: 2, NumPegs: 4, StartPeg: 4, TargetPeg: 2, SolutionLength: 3}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Move disk 1 from Peg 4 to Peg 1\nMove disk 2 from Peg 4 to Peg 2\nMove disk 1 from Peg 1 to Peg 2", 1, ""},
		{"Move disk 1 from Peg 4 to Peg 3\nMove disk 2 from Peg 4 to Peg 2\nMove disk 1 from Peg 3 to Peg 2", 1, "over another peg"},
		{"  move disk 1 from peg 4 to peg 1. \r\n\r\nMOVE DISK 2 FROM PEG 4 TO PEG 2\nMove disk 1  from Peg 1 to Peg 2\n", 1, "other case and space"},
		{"Move disk 1 from Peg 4 to Peg 1\nMove disk 1 from Peg 1 to Peg 3\nMove disk 2 from Peg 4 to Peg 2\nMove disk 1 from Peg 3 to Peg 2", 0, "a move too many; reasoning-gym pays 0.75"},
		{"Move disk 1 from Peg 4 to Peg 1\nMove disk 2 from Peg 4 to Peg 2", 0, "a move too few; reasoning-gym pays 0.05"},
		{"Move disk 2 from Peg 4 to Peg 2\nMove disk 1 from Peg 4 to Peg 2", 0, "not the top disk"},
		{"Move disk 1 from Peg 4 to Peg 2\nMove disk 2 from Peg 4 to Peg 2", 0, "onto a smaller disk"},
		{"Move disk 1 from Peg 3 to Peg 1\nMove disk 2 from Peg 4 to Peg 2\nMove disk 1 from Peg 1 to Peg 2", 0, "from a peg where it is not"},
		{"Move disk 1 from Peg 4 to Peg 5", 0, "there is no such peg"},
		{"Move disk 3 from Peg 4 to Peg 1", 0, "there is no such disk"},
		{"Move disk 0 from Peg 0 to Peg 1", 0, ""},
		{"Move disk 1 from Peg 4 to Peg 4", 0, "no move"},
		{"Move disk 1 from Peg 4 to Peg 1, then disk 2 from Peg 4 to Peg 2", 0, "two moves on a line"},
		{"1 4 1\n2 4 2\n1 1 2", 0, "numbers alone"},
		{"The moves are:\nMove disk 1 from Peg 4 to Peg 1", 0, "words"},
		{" \n\n", 0, "nothing; reasoning-gym pays 0.05"},
	})
	for _, record := range []string{
		`{"num_disks":0,"num_pegs":3,"start_peg":1,"target_peg":2,"solution_length":0}`,
		`{"num_disks":16,"num_pegs":3,"start_peg":1,"target_peg":2,"solution_length":65535}`,
		`{"num_disks":2,"num_pegs":2,"start_peg":1,"target_peg":2,"solution_length":3}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":2,"solution_length":3}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":4,"solution_length":3}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":1,"solution_length":4}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":1,"solution_length":3,"phrasing":6}`,
	} {
		tasktest.RefusedRecords(t, towerOfHanoi.Task(), []string{record})
	}
}

func TestHanoiScoreOfPositions(t *testing.T) {
	item := hanoiItem{NumDisks: 3, NumPegs: 3, StartPeg: 2, TargetPeg: 2, Start: []int{1, 1, 2}, Goal: []int{3, 1, 2}, SolutionLength: 1}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Move disk 1 from Peg 1 to Peg 3", 1, ""},
		{"Move disk 1 from Peg 1 to Peg 2", 0, "another peg"},
		{"Move disk 1 from Peg 2 to Peg 3", 0, "from a peg where it is not"},
		{"Move disk 2 from Peg 1 to Peg 3", 0, "not the top disk"},
		{"Move disk 1 from Peg 1 to Peg 2\nMove disk 1 from Peg 2 to Peg 3", 0, "a move too many"},
	})
	tasktest.RefusedRecords(t, towerOfHanoi.Task(), []string{
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":2,"start":[1,2],"goal":[1],"solution_length":1}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":2,"start":[1,2],"goal":[4,2],"solution_length":1}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":2,"start":[1,2],"goal":[1,2],"solution_length":1}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":2,"start":[1,2],"goal":[3,2],"solution_length":4}`,
		`{"num_disks":2,"num_pegs":3,"start_peg":2,"target_peg":2,"start":[1,2],"solution_length":1}`,
		`{"num_disks":10,"num_pegs":4,"start_peg":2,"target_peg":2,"start":[1,1,1,1,1,1,1,1,1,1],"goal":[2,1,1,1,1,1,1,1,1,1],"solution_length":1}`,
	})
}

func TestHanoiParams(t *testing.T) {
	tasktest.Refused(t, towerOfHanoi.Task(), map[string]string{
		`{"min_disks":0}`:  "min_disks",
		`{"max_disks":16}`: "max_disks",
		`{"min_pegs":2}`:   "min_pegs",
		`{"max_pegs":10}`:  "max_pegs",
		`{"max_disks":10,"max_pegs":4,"any_state":true}`: "max_disks",
	})
}

// A breadth-first search of all positions needs as many moves as the question allows.
func TestHanoiMovesAreTheFewest(t *testing.T) {
	for disks := 1; disks <= 9; disks++ {
		for pegs := 3; pegs <= 5 && disks <= 9-(pegs-3); pegs++ {
			from, to := towerOn(1), towerOn(int8(pegs))
			want := hanoiDistance(disks, pegs, [2]hanoiState{from, to})
			if got := hanoiWays()[disks][pegs].moves; got != want {
				t.Errorf("%d disks and %d pegs: %d moves, want %d", disks, pegs, got, want)
			}
			if got := len(fewestHanoi(disks, pegs, from, to)); got != want {
				t.Errorf("%d disks and %d pegs, as positions: %d moves, want %d", disks, pegs, got, want)
			}
		}
	}
}

// hanoiDistance searches from one position. A position is a number with a digit, in base
// pegs, for each disk: its peg, the smallest disk last.
func hanoiDistance(disks, pegs int, ends [2]hanoiState) int {
	size := 1
	var numbers [2]int
	for disk := range disks {
		for i, end := range ends {
			numbers[i] += (int(end[disk]) - 1) * size
		}
		size *= pegs
	}
	seen, now := make([]bool, size), []int{numbers[0]}
	seen[numbers[0]] = true
	for moves := 0; len(now) > 0; moves++ {
		var next []int
		for _, position := range now {
			if position == numbers[1] {
				return moves
			}
			var covered [mostPegs]bool
			for disk, unit, rest := 0, 1, position; disk < disks; disk, unit, rest = disk+1, unit*pegs, rest/pegs {
				from := rest % pegs
				if covered[from] {
					continue
				}
				covered[from] = true
				for to := range pegs {
					if after := position + (to-from)*unit; !covered[to] && !seen[after] {
						seen[after] = true
						next = append(next, after)
					}
				}
			}
		}
		now = next
	}
	return -1
}

var hanoiMoveRE = regexp.MustCompile(`^Move disk (\d+) from Peg (\d+) to Peg (\d+)$`)

// The second solver reads the pegs from the prompt and plays the solution with stacks.
func TestHanoiSecond(t *testing.T) {
	check := func(h hanoiItem, prompt, got string) error {
		stacks := map[string][]int{}
		target := regexp.MustCompile(`(?:to|on|over to) Peg (\d)[ .,:?]`).FindAllStringSubmatch(prompt, -1)
		for line := range strings.Lines(prompt) {
			name, disks, ok := strings.Cut(line, ":")
			if peg, found := strings.CutPrefix(name, "Peg "); ok && found {
				stacks[peg] = nil
				for _, field := range strings.Fields(disks) {
					if disk, err := strconv.Atoi(field); err == nil {
						stacks[peg] = append(stacks[peg], disk)
					}
				}
			}
		}
		if len(stacks) != h.NumPegs || len(target) == 0 {
			return fmt.Errorf("the prompt shows %d pegs", len(stacks))
		}
		lines := strings.Split(got, "\n")
		for _, line := range lines {
			move := hanoiMoveRE.FindStringSubmatch(line)
			from, to := stacks[move[2]], stacks[move[3]]
			if len(from) == 0 || strconv.Itoa(from[len(from)-1]) != move[1] || len(to) > 0 && to[len(to)-1] < from[len(from)-1] {
				return fmt.Errorf("%s: from %v to %v", line, from, to)
			}
			stacks[move[3]] = append(to, from[len(from)-1])
			stacks[move[2]] = from[:len(from)-1]
		}
		if len(stacks[strconv.Itoa(h.TargetPeg)]) != h.NumDisks || !strings.Contains(prompt, strconv.Itoa(len(lines))+" ") {
			return fmt.Errorf("%v after %d moves", stacks, len(lines))
		}
		return nil
	}
	tasktest.Second(t, tasktest.With(t, towerOfHanoi.Task(), `{"max_disks":9,"max_pegs":6}`), 1002, check)
	tasktest.Second(t, tasktest.With(t, towerOfHanoi.Task(), `{"min_disks":1,"max_disks":1}`), 20, check)
	tasktest.Second(t, tasktest.With(t, towerOfHanoi.Task(), `{"min_disks":12,"max_disks":15,"min_pegs":4,"max_pegs":9}`), 20, check)
}

// The second solver reads both positions from the prompt, plays the solution on them, and
// searches for a shorter way.
func TestHanoiSecondOfPositions(t *testing.T) {
	check := func(h hanoiItem, prompt, got string) error {
		var ends [2]hanoiState
		rows := 0
		for line := range strings.Lines(prompt) {
			name, disks, ok := strings.Cut(line, ":")
			if peg, found := strings.CutPrefix(name, "Peg "); ok && found {
				number, _ := strconv.Atoi(peg)
				for _, field := range strings.Fields(disks) {
					if disk, err := strconv.Atoi(field); err == nil {
						ends[rows/h.NumPegs][disk-1] = int8(number)
					}
				}
				rows++
			}
		}
		now := ends[0]
		lines := strings.Split(got, "\n")
		for _, line := range lines {
			move := hanoiMoveRE.FindStringSubmatch(line)
			disk, _ := strconv.Atoi(move[1])
			for smaller := range disk - 1 {
				if peg := strconv.Itoa(int(now[smaller])); peg == move[2] || peg == move[3] {
					return fmt.Errorf("%s: disk %d is in the way", line, smaller+1)
				}
			}
			if strconv.Itoa(int(now[disk-1])) != move[2] {
				return fmt.Errorf("%s: the disk is on Peg %d", line, now[disk-1])
			}
			to, _ := strconv.Atoi(move[3])
			now[disk-1] = int8(to)
		}
		fewest := hanoiDistance(h.NumDisks, h.NumPegs, ends)
		if now != ends[1] || rows != 2*h.NumPegs || len(lines) != fewest || h.SolutionLength != fewest || !strings.Contains(prompt, strconv.Itoa(fewest)+" ") {
			return fmt.Errorf("%v after %d moves, want %v after %d", now, len(lines), ends[1], fewest)
		}
		return nil
	}
	tasktest.Second(t, towerOfHanoi.Task(), 1002, check)
	tasktest.Second(t, tasktest.With(t, towerOfHanoi.Task(), `{"min_disks":1,"max_disks":2,"max_pegs":9,"any_state":true}`), 200, check)
	tasktest.Second(t, tasktest.With(t, towerOfHanoi.Task(), `{"min_disks":11,"max_disks":11,"max_pegs":3,"any_state":true}`), 20, check)
}

func TestHanoiKeys(t *testing.T) {
	renamed := func(h *hanoiItem, r *rng.Rand) func(string) string {
		to := make([]int, h.NumPegs+1)
		for i := range to {
			to[i] = i
		}
		rng.Shuffle(r, to[1:])
		h.StartPeg, h.TargetPeg = to[h.StartPeg], to[h.TargetPeg]
		for _, pegs := range [][]int{h.AuxiliaryPegs, h.Start, h.Goal} {
			for i, peg := range pegs {
				pegs[i] = to[peg]
			}
		}
		return func(answer string) string {
			return regexp.MustCompile(`Peg \d`).ReplaceAllStringFunc(answer, func(peg string) string {
				return fmt.Sprint("Peg ", to[peg[4]-'0'])
			})
		}
	}
	tasktest.Variant(t, towerOfHanoi.Task(), "other numbers of the pegs", renamed)
	tasktest.Variant(t, tasktest.With(t, towerOfHanoi.Task(), `{}`), "other numbers of the pegs", renamed)
	tasktest.Variant(t, towerOfHanoi.Task(), "the way back", func(h *hanoiItem, _ *rng.Rand) func(string) string {
		h.StartPeg, h.TargetPeg, h.Start, h.Goal = h.TargetPeg, h.StartPeg, h.Goal, h.Start
		return func(answer string) string {
			lines := strings.Split(answer, "\n")
			slices.Reverse(lines)
			for i, line := range lines {
				lines[i] = regexp.MustCompile(`from (Peg \d) to (Peg \d)`).ReplaceAllString(line, "from $2 to $1")
			}
			return strings.Join(lines, "\n")
		}
	})
	tasktest.Other(t, tasktest.With(t, towerOfHanoi.Task(), `{}`), "another disk is on top", func(h *hanoiItem) {
		h.NumDisks, h.SolutionLength = h.NumDisks+1, hanoiWays()[h.NumDisks+1][h.NumPegs].moves
	})
	tasktest.Other(t, towerOfHanoi.Task(), "the smallest disk starts on the second", func(h *hanoiItem) {
		h.Start[0] = h.Start[1]
	})
}
