package logic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSelfReferenceScore(t *testing.T) {
	tasktest.Nears(t, selfReference.Scorer(selfReferenceItem{Answer: "2"}), []tasktest.Near{
		{"2", 1, ""}, {" 2.\n", 1, ""}, {"02", 1, "another spelling"},
		{"1", 0, ""}, {"12", 0, "another number"}, {"two", 0, "a number was asked for"}, {"2 or 3", 0, "no choice"}, {"", 0, "nothing"},
	})
}

func TestSelfReferenceParams(t *testing.T) {
	tasktest.Refused(t, selfReference.Task(), map[string]string{`{"difficulty":0}`: "difficulty", `{"difficulty":11}`: "difficulty"})
	tasktest.RefusedRecords(t, selfReference.Task(), []string{
		`{}`, `{"answer":"many"}`, `{"answer":"-1"}`,
		`{"answer":"1","statements":[{"kind":"true","a":1,"b":0}]}`,
		`{"answer":"1","statements":[{"kind":"true","a":1,"b":0},{"kind":"true","a":0,"b":0}]}`,
		`{"answer":"2","statements":[{"kind":"true","a":2,"b":0},{"kind":"true","a":0,"b":0}]}`,
		`{"answer":"2","statements":[{"kind":"maybe","a":1,"b":0},{"kind":"true","a":0,"b":0}]}`,
		`{"answer":"2","phrasing":6,"statements":[{"kind":"true","a":1,"b":0},{"kind":"true","a":0,"b":0}]}`,
	})
}

var selfNumberRE = regexp.MustCompile(`\d+`)

// selfHolds evaluates a sentence, given the truth of each statement.
func selfHolds(text string, is []bool) (bool, error) {
	var of []int
	for _, digits := range selfNumberRE.FindAllString(text, -1) {
		n, _ := strconv.Atoi(digits)
		of = append(of, n)
	}
	trues := count(is)
	number := trues
	if strings.Contains(text, "false.") {
		number = len(is) - trues
	}
	says := func(part string) bool { return strings.Contains(text, part) }
	a, b := false, false
	if strings.Contains(strings.ToLower(text), "statement ") || says("tatements ") && len(of) == 2 && !says("these") {
		a, b = is[of[0]-1], is[of[len(of)-1]-1]
	}
	switch {
	case says("At least one of"):
		return a || b, nil
	case says("Exactly one of"):
		return a != b, nil
	case says("At least "):
		return number >= of[0], nil
	case says("At most "):
		return number <= of[0], nil
	case says("Exactly "):
		return number == of[0], nil
	case says("even"):
		return trues%2 == 0, nil
	case says("odd"):
		return trues%2 == 1, nil
	case says("prime"):
		return trues == 2 || trues == 3 || trues == 5 || trues == 7 || trues == 11, nil
	case says("either both"):
		return a == b, nil
	case says("are both true"):
		return a && b, nil
	case says("Neither"):
		return !a && !b, nil
	case says("If "):
		return !a || b, nil
	case says("is true"):
		return a, nil
	case says("is false"):
		return !a, nil
	}
	return false, fmt.Errorf("%q is not understood", text)
}

var selfLineRE = regexp.MustCompile(`(?m)^(?:\d+\. |Statement \d+: |\(\d+\) |\[\d+\] |\d+: |Sentence \d+ reads: )(.+)$`)

// The second solver reads the sentences in the prompt and tries all assignments one by one.
func TestSelfReferenceSecond(t *testing.T) {
	found := map[string]int{}
	tasktest.Every(t, selfReference.Task(), tasktest.Count(1002, 150), func(item selfReferenceItem, prompt, got string) error {
		lines := selfLineRE.FindAllStringSubmatch(prompt, -1)
		if len(lines) != len(item.Statements) {
			return fmt.Errorf("the prompt has %d statements, want %d", len(lines), len(item.Statements))
		}
		found[got]++
		if len(lines) > 9 && len(item.Statements[0].Kind)%3 > 0 {
			return nil // too many assignments
		}
		ways := 0
		for world := range 1 << len(lines) {
			is := make([]bool, len(lines))
			for i := range is {
				is[i] = world>>i&1 == 1
			}
			fits := true
			for i := 0; i < len(lines) && fits; i++ {
				holds, err := selfHolds(lines[i][1], is)
				if err != nil {
					return err
				}
				fits = holds == is[i]
			}
			if fits {
				ways++
			}
		}
		if strconv.Itoa(ways) != got {
			return fmt.Errorf("the solution is %s, want %d", got, ways)
		}
		return nil
	})
	if tasktest.Heavy && (found["0"] < 50 || found["5"] < 50) {
		t.Errorf("the answers are %v", found)
	}
}

func TestSelfReferenceKeys(t *testing.T) {
	tasktest.Variant(t, selfReference.Task(), "the statements in another order", func(s *selfReferenceItem, r *rng.Rand) func(string) string {
		n := len(s.Statements)
		to := make([]int, n)
		for i := range to {
			to[i] = i
		}
		rng.Shuffle(r, to)
		moved := make([]selfStatement, n)
		for i, statement := range s.Statements {
			at, _ := statement.kind()
			if kind := selfKinds[at]; kind.joins != nil {
				statement.A = to[statement.A]
				if kind.both {
					statement.B = to[statement.B]
				}
			}
			moved[to[i]] = statement
		}
		s.Statements = moved
		return nil
	})
	tasktest.Variant(t, selfReference.Task(), "two numbers of statements exchanged", func(s *selfReferenceItem, _ *rng.Rand) func(string) string {
		for i, statement := range s.Statements {
			if at, _ := statement.kind(); selfKinds[at].both && statement.Kind != "if" {
				s.Statements[i].A, s.Statements[i].B = statement.B, statement.A
			}
		}
		return nil
	})
	tasktest.Other(t, selfReference.Task(), "another number", func(s *selfReferenceItem) {
		if s.Statements[0].Kind == "exactly_true" {
			s.Statements[0].A = s.Statements[0].A%2 + 1
			s.Answer = strconv.Itoa(selfConsistent(s.Statements))
		}
	})
}
