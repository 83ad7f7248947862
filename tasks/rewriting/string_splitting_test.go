package rewriting

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStringSplittingScore(t *testing.T) {
	item := stringSplittingItem{InitialMachines: [3]int{4, 2, 5}, Solution: []int{0, 0, 1, 3, 0, 6}, MaxIterations: 1000}
	if err := item.Check(); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"0 0 1 3 0 6", 1, ""},
		{"0 0 1 3 0 6.", 11. / 12, "reasoning-gym pays for a text that contains the answer"},
		{"0 0 1 3 0 6 0", 11. / 13, ""},
		{"0, 0, 1, 3, 0, 6", 0, "spaces were asked for"},
		{"0 0 1 9 6 0", 0, "before the fifth rule"},
		{"0 0 1 3 0 5", 0, ""},
		{"4 2 5 0 0 0", 0, "the start"},
		{"", 0, "nothing"},
	})
	tasktest.RefusedRecords(t, stringSplitting, []string{
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,5],"max_iterations":1000}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"max_iterations":3}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0]}`,
		`{"initial_machines":[-4,2,5],"solution":[0,0,1,3,0,6]}`,
		`{"initial_machines":[4,2,1000000000],"solution":[0,0,1,3,0,6]}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"phrasing":3}`,
	})
}

func TestStringSplittingParams(t *testing.T) {
	tasktest.Refused(t, stringSplitting, map[string]string{
		`{"min_initial_machines":-1}`:    "min_initial_machines",
		`{"min_initial_machines":6}`:     "max_initial_machines",
		`{"max_initial_machines":0}`:     "max_initial_machines",
		`{"max_initial_machines":10001}`: "max_initial_machines",
		`{"max_iterations":0}`:           "max_iterations",
		`{"max_iterations":100001}`:      "max_iterations",
	})
}

var startRE = regexp.MustCompile(`At the start there are (\d+) \S+, (\d+) \S+ and (\d+) `)

// asked reads the start of a problem out of its prompt.
func asked(prompt string) (a, b, c int) {
	found := startRE.FindStringSubmatch(prompt)
	a, _ = strconv.Atoi(found[1])
	b, _ = strconv.Atoi(found[2])
	c, _ = strconv.Atoi(found[3])
	return a, b, c
}

// The second way reads the start out of the prompt, and works each rule out for all
// it is worth at once; where the steps are bounded, it goes by the prompt's rules.
func TestStringSplittingSecond(t *testing.T) {
	check := func(_ stringSplittingItem, prompt, got string) error {
		a, b, c := asked(prompt)
		a, b, c, x, y := 0, b%2, c%2, 2*a+b/2, a+c/2
		if b+c == 2 {
			b, c, x, y = 0, 0, x+2, y+1
		}
		z := min(x, y)
		want := fmt.Sprintln(a, b, c, x-z, y-z, z)
		if got+"\n" != want || strings.HasSuffix(got, " 0 0 0") {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	}
	tasktest.Second(t, stringSplitting, 1200, check)
	tasktest.Second(t, tasktest.With(t, stringSplitting, `{}`), 300, check)
	tasktest.Second(t, tasktest.With(t, stringSplitting, `{"max_initial_machines":1}`), 50, check)
	few := tasktest.With(t, stringSplitting, `{"min_initial_machines":4,"max_initial_machines":9,"max_iterations":3}`)
	tasktest.Second(t, few, 50, func(_ stringSplittingItem, prompt, got string) error {
		a, b, c := asked(prompt)
		if want := fmt.Sprint(a-3, b, c, 6, 3, 0); got != want || !strings.Contains(prompt, "than 3 steps") {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}
