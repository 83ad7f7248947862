package puzzles

import (
	"encoding/json"
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

func TestJugsScore(t *testing.T) {
	item := jugsItem{Puzzle: jugsPuzzle{JugCapacities: []int{3, 5, 5}, Target: 4}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{`["fill B", "pour B->A", "empty A", "pour B->A", "fill B", "pour B->A"]`, 1, ""},
		{` ["fill C now", "pour C->A", "empty A", "pour C->A please", "fill C", "pour C->A"] `, 1, "more words, as in reasoning-gym"},
		{`["fill B","pour B->B","pour B->A","empty A","pour B->A","fill B","pour B->A"]`, 1, "a jug into itself"},
		{`["fill B", "pour B->A", "empty A", "pour B->A", "fill B", "pour B->A", "empty A"]`, 1, "the amount is still there"},
		{`["fill B", "pour B->A", "empty A", "pour B->A", "fill B", "pour B->A", "empty B"]`, 0, "and here no longer"},
		{`["fill B", "pour B->A", "empty A", "pour B->A", "fill B"]`, 0, "a move is missing, and reasoning-gym pays 0.01"},
		{`["fill B", "pour A->B"]`, 0, ""},
		{`["Fill B", "pour B->A", "empty A", "pour B->A", "fill B", "pour B->A"]`, 0, "a capital"},
		{`["fill b", "pour b->a", "empty a", "pour b->a", "fill b", "pour b->a"]`, 0, "small letters"},
		{`["fill B", "pour B -> A", "empty A", "pour B -> A", "fill B", "pour B -> A"]`, 0, ""},
		{`["fill D"]`, 0, "there is no such jug"},
		{`["pour A->B->C"]`, 0, ""},
		{`["fill"]`, 0, ""},
		{`["drink A"]`, 0, ""},
		{`[4]`, 0, ""},
		{`[]`, 0, "reasoning-gym pays 0.01"},
		{`{}`, 0, ""},
		{`"fill B"`, 0, ""},
		{`fill B, pour B->A`, 0, "no JSON"},
		{``, 0, "nothing"},
	})
	tasktest.RefusedRecords(t, jugs.Task(), []string{
		`{}`,
		`{"puzzle":{"jug_capacities":[3,0],"target":1}}`,
		`{"puzzle":{"jug_capacities":[3,100001],"target":1}}`,
		`{"puzzle":{"jug_capacities":[3,5],"target":0}}`,
		`{"puzzle":{"jug_capacities":[3,5],"target":1},"phrasing":99}`,
	})
}

// Foreign puzzles may need three jugs, or have no solution.
func TestJugsOfOthers(t *testing.T) {
	three := jugsItem{Puzzle: jugsPuzzle{JugCapacities: []int{6, 10, 15}, Target: 1}}
	if v := three.Score(three.Solve()); v.Score != 1 {
		t.Errorf("%s gets %+v", three.Solve(), v)
	}
	never := jugsItem{Puzzle: jugsPuzzle{JugCapacities: []int{4, 6, 8}, Target: 3}}
	if got := never.Solve(); got != "[]" {
		t.Errorf("got %s for a puzzle without a solution", got)
	}
}

var (
	jugRE    = regexp.MustCompile(`[A-Z]: (\d+)`)
	litersRE = regexp.MustCompile(`exactly (\d+) liter`)
)

// jugsAsked reads jugs and target from a prompt.
func jugsAsked(prompt string) (capacities []int, target int) {
	for _, found := range jugRE.FindAllStringSubmatch(prompt, -1) {
		capacity, _ := strconv.Atoi(found[1])
		capacities = append(capacities, capacity)
	}
	target, _ = strconv.Atoi(litersRE.FindStringSubmatch(prompt)[1])
	return capacities, target
}

// The second solver reads the prompt and tracks the contents and the free room of each jug.
func TestJugsSecond(t *testing.T) {
	check := func(_ jugsItem, prompt, got string) error {
		capacities, target := jugsAsked(prompt)
		holds, room := make([]int, 26), make([]int, 26)
		copy(room, capacities)
		var moves []string
		if err := json.Unmarshal([]byte(got), &moves); err != nil {
			return err
		}
		for _, move := range moves {
			jug := move[len(move)-1] - 'A'
			switch {
			case strings.HasPrefix(move, "fill "):
				holds[jug], room[jug] = holds[jug]+room[jug], 0
			case strings.HasPrefix(move, "empty "):
				room[jug], holds[jug] = holds[jug]+room[jug], 0
			default:
				for from := move[len("pour ")] - 'A'; holds[from] > 0 && room[jug] > 0; {
					holds[from], room[from], holds[jug], room[jug] = holds[from]-1, room[from]+1, holds[jug]+1, room[jug]-1
				}
			}
		}
		for i, n := range holds {
			if n == target && i < len(capacities) {
				return nil
			}
		}
		return fmt.Errorf("no jug holds %d in the end: %v", target, holds)
	}
	tasktest.Second(t, jugs.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, jugs.Task(), `{"difficulty":199,"num_jugs":3}`), 20, check)
}

// A breadth-first search finds no solution with fewer moves than the difficulty.
func TestJugsTakeSoManyMoves(t *testing.T) {
	for _, difficulty := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 11} {
		shortest := 0
		params := fmt.Sprintf(`{"difficulty":%d,"num_jugs":%d}`, difficulty, 3+difficulty%5/4)
		tasktest.Second(t, tasktest.With(t, jugs.Task(), params), 20, func(_ jugsItem, prompt, _ string) error {
			capacities, target := jugsAsked(prompt)
			n := fewestMoves(capacities, target, difficulty+2)
			if n < difficulty {
				return fmt.Errorf("it takes %d moves, want %d or more", n, difficulty)
			}
			if n <= difficulty+1 {
				shortest++
			}
			return nil
		})
		if shortest == 0 {
			t.Errorf("difficulty %d: all puzzles take %d moves or more", difficulty, difficulty+2)
		}
	}
}

// fewestMoves searches breadth first; it returns most if there is no shorter way.
func fewestMoves(capacities []int, target, most int) int {
	type jugsState [4]int
	now, seen := map[jugsState]bool{{}: true}, map[jugsState]bool{{}: true}
	for n := 1; n < most; n++ {
		next := map[jugsState]bool{}
		for s := range now {
			for i := range capacities {
				for k := range capacities {
					filled, emptied, poured := s, s, s
					filled[i], emptied[i] = capacities[i], 0
					if i != k {
						amount := min(s[i], capacities[k]-s[k])
						poured[i], poured[k] = s[i]-amount, s[k]+amount
					}
					for _, after := range []jugsState{filled, emptied, poured} {
						if after[0] == target || after[1] == target || after[2] == target || after[3] == target {
							return n
						}
						if !seen[after] {
							seen[after], next[after] = true, true
						}
					}
				}
			}
		}
		now = next
	}
	return most
}

func TestJugsKeys(t *testing.T) {
	tasktest.Same(t, jugs.Task(), "the letters of the jugs are names", func(j *jugsItem) { slices.Reverse(j.Puzzle.JugCapacities) })
	tasktest.Variant(t, jugs.Task(), "twice as much everywhere", func(j *jugsItem, _ *rng.Rand) func(string) string {
		j.Puzzle.Target *= 2
		for i := range j.Puzzle.JugCapacities {
			j.Puzzle.JugCapacities[i] *= 2
		}
		return nil
	})
	tasktest.Translated(t, jugs.Task(), func(solution string, from, to jugsItem) string {
		var pairs []string
		taken := make([]bool, len(to.Puzzle.JugCapacities))
		for i, capacity := range from.Puzzle.JugCapacities {
			capacity = capacity * to.Puzzle.Target / from.Puzzle.Target
			k := slices.Index(to.Puzzle.JugCapacities, capacity)
			for taken[k] {
				k += 1 + slices.Index(to.Puzzle.JugCapacities[k+1:], capacity)
			}
			taken[k] = true
			pairs = append(pairs, string(rune('A'+i)), string(rune('A'+k)))
		}
		return strings.NewReplacer(pairs...).Replace(solution)
	})
}
