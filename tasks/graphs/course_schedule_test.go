package graphs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCourseScore(t *testing.T) {
	open := courseItem{Courses: []int{0, 1, 2, 3}, Prerequisites: [][2]int{{1, 0}, {2, 1}, {3, 1}}, Solution: true, Solvable: true}
	tasktest.Nears(t, open.Score, []tasktest.Near{
		{"True", 1, ""}, {"true.", 1, "case and a full stop"}, {"False", 0, ""}, {"True or False", 0, "no choice"}, {"Yes", 0, "True was asked for"}, {"", 0, "nothing"},
	})
	open.Witness = true
	tasktest.Nears(t, open.Score, []tasktest.Near{
		{"0 1 2 3", 1, ""}, {"0, 1, 3, 2", 1, "another order"}, {"1 0 2 3", 0, "against a rule"}, {"0 1 2", 0, "a course left out"}, {"0 1 2 3 3", 0, "a course twice"}, {"0 1 2 2", 0, ""},
		{"0 1 2 4", 0, "no such course"}, {"circle 0 1", 0, "there is none"}, {"circle", 0, "an empty one"}, {"True", 0, "an order was asked for"}, {"", 0, "nothing"},
	})
	shut := courseItem{Courses: []int{0, 1, 2, 3}, Prerequisites: [][2]int{{1, 0}, {2, 1}, {0, 2}, {3, 1}}, Circle: []int{1, 0, 2}, Witness: true}
	tasktest.Nears(t, shut.Score, []tasktest.Near{
		{"circle 1 0 2", 1, ""}, {"Circle: 0, 2, 1", 1, "the circle from another course on"}, {"circle 0 1 2", 0, "the wrong way round"}, {"circle 1 0", 0, "not closed"}, {"circle 1 0 2 1", 0, "a course twice"}, {"circle 3 1 0 2", 0, "one too many"}, {"0 1 2 3", 0, "an order that breaks a rule"},
	})
}

func TestCourseParams(t *testing.T) {
	tasktest.RefusedRecords(t, courseSchedule.Task(), []string{
		`{}`, `{"courses":[0,1],"prerequisites":[[0,2]],"solution":true,"solvable":true}`, `{"courses":[0,1],"prerequisites":[[0,1]],"solution":false,"solvable":false}`,
		`{"courses":[0,1],"prerequisites":[[0,1],[1,0]],"solution":false,"solvable":false,"witness":true}`, `{"courses":[0,1],"prerequisites":[[0,1]],"solution":true,"solvable":true,"phrasing":6}`,
	})
}

var (
	coursePairRE  = regexp.MustCompile(`course (\d+) needs course (\d+)|\((\d+), (\d+)\)|(\d+) builds on (\d+)`)
	courseTurnRE  = regexp.MustCompile(`(\d+) -> (\d+)|(\d+) before (\d+)|(\d+) is required for (\d+)`)
	courseCountRE = regexp.MustCompile(`numbered from 0 to (\d+)|courses, 0 to (\d+)|the courses 0 to (\d+)|so on up to (\d+)|called 0 to (\d+)|numbers 0 to (\d+)`)
)

// The second solver reads the prompt, and removes courses without prerequisites, one by
// one.
func TestCourseSecond(t *testing.T) {
	tasktest.Second(t, courseSchedule.Task(), 1002, func(item courseItem, prompt, got string) error {
		needs := map[string]map[string]bool{}
		last := 0
		for _, digits := range courseCountRE.FindStringSubmatch(prompt)[1:] {
			if digits != "" {
				last, _ = strconv.Atoi(digits)
			}
		}
		for n := range last + 1 {
			needs[strconv.Itoa(n)] = map[string]bool{}
		}
		add := func(match []string, course, needed int) {
			match = slices.DeleteFunc(match[1:], func(s string) bool { return s == "" })
			needs[match[course]][match[needed]] = true
		}
		for _, m := range coursePairRE.FindAllStringSubmatch(prompt, -1) {
			add(m, 0, 1)
		}
		for _, m := range courseTurnRE.FindAllStringSubmatch(prompt, -1) {
			add(m, 1, 0)
		}
		words := strings.Fields(got)
		if circle, ok := strings.CutPrefix(got, "circle "); ok {
			words = strings.Fields(circle)
			for i, word := range words {
				if !needs[word][words[(i+1)%len(words)]] {
					return fmt.Errorf("%s does not need %s", word, words[(i+1)%len(words)])
				}
			}
		} else if item.Witness {
			done := map[string]bool{}
			for _, word := range words {
				for needed := range needs[word] {
					if !done[needed] {
						return fmt.Errorf("%s needs %s", word, needed)
					}
				}
				done[word] = true
			}
			if len(done) != last+1 {
				return fmt.Errorf("%d courses are taken, want %d", len(done), last+1)
			}
		}
		for taken := true; taken; {
			taken = false
			for course, open := range needs {
				if len(open) > 0 {
					continue
				}
				taken = true
				delete(needs, course)
				for _, others := range needs {
					delete(others, course)
				}
			}
		}
		if possible := len(needs) == 0; possible != item.Solution || !item.Witness && got != map[bool]string{true: "True", false: "False"}[possible] {
			return fmt.Errorf("all can be taken: %t; solution %s", possible, got)
		}
		return nil
	})
}

func TestCourseKeys(t *testing.T) {
	tasktest.Variant(t, courseSchedule.Task(), "other numbers of the courses", func(c *courseItem, r *rng.Rand) func(string) string {
		to := make([]int, len(c.Courses))
		for i := range to {
			to[i] = i
		}
		rng.Shuffle(r, to)
		for _, courses := range [][]int{c.Courses, c.Circle} {
			for i, course := range courses {
				courses[i] = to[course]
			}
		}
		for i, edge := range c.Prerequisites {
			c.Prerequisites[i] = [2]int{to[edge[0]], to[edge[1]]}
		}
		return func(answer string) string {
			return regexp.MustCompile(`\d+`).ReplaceAllStringFunc(answer, func(course string) string {
				n, err := strconv.Atoi(course)
				if err != nil {
					t.Fatal(err)
				}
				return strconv.Itoa(to[n])
			})
		}
	})
	tasktest.Variant(t, courseSchedule.Task(), "all prerequisites turned round", func(c *courseItem, _ *rng.Rand) func(string) string {
		slices.Reverse(c.Courses)
		slices.Reverse(c.Circle)
		for i, edge := range c.Prerequisites {
			c.Prerequisites[i] = [2]int{edge[1], edge[0]}
		}
		return func(answer string) string {
			words := strings.Fields(answer)
			first := 0
			if words[0] == "circle" {
				first = 1
			}
			slices.Reverse(words[first:])
			return strings.Join(words, " ")
		}
	})
	tasktest.Other(t, courseSchedule.Task(), "one prerequisite less", func(c *courseItem) {
		if c.Solution {
			c.Prerequisites = c.Prerequisites[1:]
		}
	})
	tasktest.Same(t, courseSchedule.Task(), "the prerequisites may be in any order", func(c *courseItem) { slices.Reverse(c.Prerequisites) })
}
