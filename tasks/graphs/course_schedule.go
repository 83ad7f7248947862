package graphs

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

// courseSchedule asks whether all of some courses with prerequisites can be taken, or in
// which order.
var courseSchedule = task.Spec[courseParams, courseItem]{
	Name:     "course_schedule",
	Category: "graphs",
	Doc: "Tell whether courses can all be taken if some of them need others. " +
		"Harder levels ask for an order of the courses, or for a circle of courses that need each other.",
	Source:  "Topological sorting, A. B. Kahn (1962); the settings are those of reasoning-gym and witness.",
	Version: 4,
	List:    " ",
	Default: courseParams{MinCourses: 5, MaxCourses: 10, MinPrerequisites: 1, MaxPrerequisites: 2, MinCycle: 3, MaxCycle: 5, PSolvable: 0.5},
	Levels: []courseParams{
		{MinCourses: 6, MaxCourses: 8, MinPrerequisites: 1, MaxPrerequisites: 1, MinCycle: 3, MaxCycle: 3, PSolvable: 0.5},
		{MinCourses: 8, MaxCourses: 12, MinPrerequisites: 1, MaxPrerequisites: 2, MinCycle: 3, MaxCycle: 5, PSolvable: 0.5},
		{MinCourses: 8, MaxCourses: 12, MinPrerequisites: 1, MaxPrerequisites: 2, MinCycle: 3, MaxCycle: 6, PSolvable: 0.5, Witness: true},
		{MinCourses: 20, MaxCourses: 30, MinPrerequisites: 1, MaxPrerequisites: 3, MinCycle: 4, MaxCycle: 10, PSolvable: 0.5, Witness: true},
		{MinCourses: 50, MaxCourses: 70, MinPrerequisites: 1, MaxPrerequisites: 3, MinCycle: 6, MaxCycle: 20, PSolvable: 0.5, Witness: true},
		{MinCourses: 120, MaxCourses: 150, MinPrerequisites: 1, MaxPrerequisites: 4, MinCycle: 10, MaxCycle: 40, PSolvable: 0.5, Witness: true},
	},
	Few: []string{
		"Six to eight courses depend on each other in few ways, if their numbers do not matter.",
	},
	Make: makeCourse,
	Many: true,
}

// courseParams are the settings of one difficulty.
type courseParams struct {
	MinCourses       int     `json:"min_num_courses" want:"3 to 1000"`
	MaxCourses       int     `json:"max_num_courses" want:"min_num_courses to 1000"`
	MinPrerequisites int     `json:"min_num_prerequisites" want:"1 to 20"` // of a course with enough courses before it
	MaxPrerequisites int     `json:"max_num_prerequisites" want:"min_num_prerequisites to 20"`
	MinCycle         int     `json:"min_cycle_length" want:"3 to 1000"` // length of the circle, if there is one; at most all courses
	MaxCycle         int     `json:"max_cycle_length" want:"min_cycle_length to 1000"`
	PSolvable        float64 `json:"p_solvable" want:"0 to 1"` // share of the problems without a circle
	Witness          bool    `json:"witness"`                  // the answer is an order or a circle, not True or False
}

// maxCourses limits the courses.
const maxCourses = 1000

// courseItem is one list of courses.
type courseItem struct {
	Courses       []int    `json:"courses" want:"1 to 1000"`                                                  // in a valid order, if all can be taken
	Prerequisites [][2]int `json:"prerequisites" want:"at most 50000" each:"0 or more and less than courses"` // a course, and one that it needs
	Solution      bool     `json:"solution"`                                                                  // same as Solvable
	Solvable      bool     `json:"solvable"`
	Circle        []int    `json:"circle,omitempty"` // courses of which each needs the next, and the last the first
	Witness       bool     `json:"witness,omitempty"`
	Phrasing      int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeCourse draws an order and, for each course, prerequisites from the courses before it.
// Then it adds a chain and connects its ends: against the order, to make a circle, or with
// it. Neither connection is there before, so that both kinds have as many lines.
func makeCourse(p courseParams, r *rng.Rand) (courseItem, error) {
	n := r.Between(p.MinCourses, p.MaxCourses)
	item := courseItem{Courses: make([]int, n), Solvable: r.Chance(p.PSolvable), Witness: p.Witness, Phrasing: r.Between(0, len(coursePhrasings)-1)}
	item.Solution = item.Solvable
	for i := range item.Courses {
		item.Courses[i] = i
	}
	rng.Shuffle(r, item.Courses)
	length := min(n, r.Between(p.MinCycle, p.MaxCycle))
	edges := make([][2]int, 0, n*p.MaxPrerequisites+length)
	for i := 1; i < n; i++ {
		for range min(i, r.Between(p.MinPrerequisites, p.MaxPrerequisites)) {
			edges = append(edges, [2]int{item.Courses[i], item.Courses[r.Between(0, i-1)]})
		}
	}
	at := rng.Different(r, length, 0, int64(n-1))
	slices.Sort(at)
	chain := make([]int, length)
	for i := range chain {
		chain[length-1-i] = item.Courses[at[i]] // each needs the next
	}
	edges = slices.DeleteFunc(edges, func(e [2]int) bool { return e == [2]int{chain[0], chain[length-1]} })
	for i := range length - 1 {
		edges = append(edges, [2]int{chain[i], chain[i+1]})
	}
	if item.Solvable {
		edges = append(edges, [2]int{chain[0], chain[length-1]})
	} else {
		edges = append(edges, [2]int{chain[length-1], chain[0]})
		item.Circle = chain
	}
	slices.SortFunc(edges, func(a, b [2]int) int { return (a[0]-b[0])*maxCourses + a[1] - b[1] })
	item.Prerequisites = slices.Compact(edges)
	rng.Shuffle(r, item.Prerequisites)
	return item, nil
}

// order returns the courses in a valid order. If there is none, some are missing.
func (c courseItem) order() []int {
	n := len(c.Courses)
	needs, leads := make([]int, n), make([][]int, n)
	for _, edge := range c.Prerequisites {
		needs[edge[0]]++
		leads[edge[1]] = append(leads[edge[1]], edge[0])
	}
	order := make([]int, 0, n)
	for course, open := range needs {
		if open == 0 {
			order = append(order, course)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, next := range leads[order[i]] {
			if needs[next]--; needs[next] == 0 {
				order = append(order, next)
			}
		}
	}
	return order
}

// coursePhrasings are the wordings: before the list (%n stands for the number of courses),
// a prerequisite (%a needs %b), and between two prerequisites.
var coursePhrasings = []coursePhrasing{
	{"There are %n courses, numbered from 0 to %m. For some of them you must have finished another course before:\n\n", "course %a needs course %b", "\n", "Can you finish all courses?"},
	{"A student wants to take %n courses, 0 to %m, one after the other. A pair (a, b) means that b has to be completed before a:\n\n", "(%a, %b)", ", ", "Is it possible to complete them all?"},
	{"A university offers the courses 0 to %m. The rules are written as \"first -> then\":\n\n", "%b -> %a", "; ", "Does any order of the %n courses keep all rules?"},
	{"Plan a schedule of %n courses with the numbers 0, 1 and so on up to %m.\nRequirements:\n", "* %b before %a", "\n", "Can all of them be taken?"},
	{"You can start a course only after you have passed everything it builds on. Here is what the courses (there are %n, called 0 to %m) build on.\n\n", "%a builds on %b.", " ", "Will you ever be able to pass all of them?"},
	{"Of %n courses with the numbers 0 to %m, no two can be taken at once.\n\n", "%b is required for %a", ", ", "Say whether somebody could take every one of them."},
}

// A coursePhrasing is a wording.
type coursePhrasing struct{ intro, pair, between, ask string }

// courseForms are the forms of the answer: True or False, or a witness.
var courseForms = [2]string{
	" Answer True if so, and False if not.",
	" If so, answer with an order in which all can be taken: the numbers of all courses, separated by spaces. If not, answer with the word circle and courses of which each needs the next one directly, and the last needs the first, such as: circle 4 1 7",
}

func (c courseItem) Prompt() string {
	words, n := coursePhrasings[c.Phrasing], len(c.Courses)
	counts := func(c byte) string {
		if c == 'n' {
			return strconv.Itoa(n)
		}
		return strconv.Itoa(n - 1)
	}
	b := task.AppendFilled(make([]byte, 0, 600+24*len(c.Prerequisites)), words.intro, counts)
	b = append(c.appendPairs(b, words), "\n\n"...)
	return string(append(task.AppendFilled(b, words.ask, counts), courseForms[task.Bit(c.Witness)]...))
}

// appendPairs appends the prerequisites.
func (c courseItem) appendPairs(b []byte, words coursePhrasing) []byte {
	for i, edge := range c.Prerequisites {
		if i > 0 {
			b = append(b, words.between...)
		}
		for k := 0; k < len(words.pair); k++ {
			if words.pair[k] != '%' {
				b = append(b, words.pair[k])
				continue
			}
			k++
			b = strconv.AppendInt(b, int64(edge[words.pair[k]-'a']), 10)
		}
	}
	return b
}

func (c courseItem) Short() string {
	b := append(strconv.AppendInt(nil, int64(len(c.Courses)), 10), " courses "...)
	return string(c.appendPairs(b, coursePhrasings[1])) + courseForms[task.Bit(c.Witness)]
}

// Canonical implements [task.Canonicalizer]. The numbers of the courses and the order of the
// prerequisites do not matter, nor which of two courses needs the other, if all are turned round.
func (c courseItem) Canonical() string {
	key := canon.Least(2, func(i int) string {
		var g canon.Graph
		g.Nodes(len(c.Courses), 0)
		for _, edge := range c.Prerequisites {
			g.Arrow(edge[i], edge[1-i], 0)
		}
		return g.Key()
	})
	return fmt.Sprint(len(c.Courses), c.Witness, key)
}

// Check refuses a record with a wrong statement about its courses.
func (c courseItem) Check() error {
	n := len(c.Courses)
	switch possible := len(c.order()) == n; {
	case possible != c.Solution:
		return fmt.Errorf("solution is %t, want %t", c.Solution, possible)
	case c.Witness && !possible && c.circle(c.Circle) != nil:
		return errors.New("circle is none")
	}
	return nil
}

func (c courseItem) Choices() int {
	if c.Witness {
		return 0 // an order or a circle
	}
	return 2
}

func (c courseItem) Solve() string {
	switch {
	case !c.Witness:
		return task.TrueOrFalse(c.Solution)
	case c.Solution:
		return numbers(c.order())
	}
	return "circle " + numbers(c.Circle)
}

// numbers writes a list separated by spaces.
func numbers(list []int) string {
	b := make([]byte, 0, 4*len(list))
	for i, n := range list {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

// Score implements [task.Scorer]. Any valid order, and any circle, is right.
func (c courseItem) Score(text string) quintain.Verdict {
	if !c.Witness {
		return task.MatchWords(text, c.Solve())
	}
	words := answer.Fields(strings.NewReplacer(",", " ", ":", " ").Replace(strings.TrimSuffix(answer.Trim(text), ".")))
	if len(words) == 0 {
		return quintain.Malformed("the answer is empty")
	}
	check := c.complete
	if strings.EqualFold(words[0], "circle") {
		check, words = c.circle, words[1:]
	}
	if len(words) > len(c.Courses) {
		return quintain.Wrong(fmt.Sprintf("there are %d words for %d courses", len(words), len(c.Courses)))
	}
	list := make([]int, len(words))
	for i, word := range words {
		n, ok := answer.ReadInt(word)
		if !ok || n < 0 || n >= int64(len(c.Courses)) {
			return quintain.Malformed(fmt.Sprintf("%.20q is not a course", word))
		}
		list[i] = int(n)
	}
	if err := check(list); err != nil {
		return quintain.Wrong(err.Error())
	}
	return quintain.Right()
}

// places returns the index of each course in a list, or -1. It refuses a list with a
// repeated course.
func (c courseItem) places(list []int) ([]int, error) {
	at := slices.Repeat([]int{-1}, len(c.Courses))
	for i, course := range list {
		if course < 0 || course >= len(at) || at[course] >= 0 {
			return nil, fmt.Errorf("course %d is listed twice, or does not exist", course)
		}
		at[course] = i
	}
	return at, nil
}

// complete refuses a list unless it is a valid order of all courses.
func (c courseItem) complete(list []int) error {
	at, err := c.places(list)
	switch {
	case err != nil:
		return err
	case len(list) != len(c.Courses):
		return fmt.Errorf("there are %d courses, want all %d", len(list), len(c.Courses))
	}
	for _, edge := range c.Prerequisites {
		if at[edge[1]] >= at[edge[0]] {
			return fmt.Errorf("course %d needs course %d, which comes later", edge[0], edge[1])
		}
	}
	return nil
}

// circle refuses a list unless each course needs the next, and the last the first.
func (c courseItem) circle(list []int) error {
	at, err := c.places(list)
	if err != nil {
		return err
	}
	found := make([]bool, len(list))
	for _, edge := range c.Prerequisites {
		if i := at[edge[0]]; i >= 0 && list[(i+1)%len(list)] == edge[1] {
			found[i] = true
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return fmt.Errorf("course %d does not need course %d", list[i], list[(i+1)%len(list)])
	}
	if len(list) == 0 {
		return errors.New("the circle is empty")
	}
	return nil
}
