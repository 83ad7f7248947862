package graphs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSchedulingScore(t *testing.T) {
	// A B C: 3·1 + 2·0 ...: by hand, with times 3, 2, 4, deadlines 2, 3, 4 and fines 1, 5, 2
	// A B C 1+10+10=21, A C B 1+6+30=37, B A C 0+3+10=13, B C A 0+4+7=11, C A B 0+5+30=35, C B A 0+15+7=22
	item := schedulingItem{Jobs: []job{{3, 2, 1}, {2, 3, 5}, {4, 4, 2}}, Before: [][2]int{}, Order: []int{1, 2, 0}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"B C A", 1, ""},
		{"B, C, A.", 1, "commas and a full stop"},
		{"B → C → A", 1, "arrows"},
		{"A B C", 0, "as listed"},
		{"B A C", 0, "13, more than the order by fine for the time, which is the best here"},
		{"B C", 0, "a job is left out"},
		{"B C A A", 0, "a job comes twice"},
		{"B C A D", 0, "no such job"},
		{"BCA", 0, "want space"},
		{"b c a", 0, "names are in upper case"},
	})
	item.Before, item.Order = [][2]int{{0, 1}}, []int{0, 1, 2}
	if v := item.Score("B C A"); v.Score > 0 || !strings.Contains(v.Reason, "A does not come before B") {
		t.Errorf("an order that is not allowed gets %+v", v)
	}
}

// An order between the rules and the best earns up to half, the cheaper the more.
func TestSchedulingCredit(t *testing.T) {
	partly := 0
	tasktest.Every(t, jobScheduling.Task(), 300, func(item schedulingItem, _, _ string) error {
		best, trivial := item.fines(item.Order), item.trivial()
		for i := range len(item.Order) - 1 {
			order := slices.Clone(item.Order)
			order[i], order[i+1] = order[i+1], order[i]
			fines := item.fines(order)
			want := max(0, 0.5*float64(trivial-fines)/float64(trivial-best))
			switch {
			case item.misplaced(order) != "":
				want = 0
			case fines == best:
				want = 1
			}
			if v := item.Score(writeNames(order)); math.Abs(v.Score-want) > 1e-12 {
				return fmt.Errorf("an order that costs %d gets %+v, want %v", fines, v, want)
			}
			if want > 0 && want < 1 {
				partly++
			}
		}
		return nil
	})
	if partly < 100 {
		t.Errorf("only %d orders earn a part", partly)
	}
}

func TestSchedulingParams(t *testing.T) {
	tasktest.Refused(t, jobScheduling.Task(), map[string]string{
		`{"min_jobs":3}`:     "min_jobs",
		`{"max_jobs":15}`:    "max_jobs",
		`{"max_time":2}`:     "max_time",
		`{"max_time":100}`:   "max_time",
		`{"precedences":4}`:  "precedences",
		`{"precedences":-1}`: "precedences",
	})
	tasktest.RefusedRecords(t, jobScheduling.Task(), []string{
		`{}`,
		`{"jobs":[{"time":1,"due":1,"fine":1},{"time":1,"due":1,"fine":1}],"before":[],"order":[0]}`,
		`{"jobs":[{"time":1,"due":1,"fine":1},{"time":1,"due":1,"fine":1}],"before":[],"order":[0,0]}`,
		`{"jobs":[{"time":1,"due":1,"fine":1},{"time":1,"due":1,"fine":1}],"before":[[1,0]],"order":[0,1]}`,
		`{"jobs":[{"time":1,"due":1,"fine":1},{"time":1,"due":1,"fine":1}],"before":[[0,2]],"order":[0,1]}`,
		`{"jobs":[{"time":0,"due":1,"fine":1},{"time":1,"due":1,"fine":1}],"before":[],"order":[0,1]}`,
		`{"jobs":[{"time":1,"due":1,"fine":1},{"time":1,"due":1,"fine":1}],"before":[],"order":[0,1],"phrasing":6}`,
	})
}

var (
	jobRE    = regexp.MustCompile(`(?m)^([A-Z]): time (\d+), deadline (\d+), fine (\d+)$`)
	beforeRE = regexp.MustCompile(`(?m)^([A-Z]) must come before ([A-Z])\.$`)
)

// The second solver reads the jobs from the prompt, and tries all orders from the last job to the
// first; what was tried with the same jobs left is not tried again unless it cost less.
func TestSchedulingSecond(t *testing.T) {
	tasktest.Second(t, jobScheduling.Task(), 1002, func(_ schedulingItem, prompt, got string) error {
		times, due, fines := map[string]int{}, map[string]int{}, map[string]int{}
		names, now := "", 0
		for _, line := range jobRE.FindAllStringSubmatch(prompt, -1) {
			names += line[1]
			times[line[1]], _ = strconv.Atoi(line[2])
			due[line[1]], _ = strconv.Atoi(line[3])
			fines[line[1]], _ = strconv.Atoi(line[4])
			now += times[line[1]]
		}
		after := map[string]string{}
		for _, pair := range beforeRE.FindAllStringSubmatch(prompt, -1) {
			after[pair[1]] += pair[2]
		}
		tried, best := map[string]int{}, math.MaxInt
		var try func(left string, end, paid int)
		try = func(left string, end, paid int) {
			if known, again := tried[left]; paid >= best || again && known <= paid {
				return
			}
			tried[left] = paid
			if left == "" {
				best = paid
			}
			for _, last := range strings.Split(left, "") {
				if strings.ContainsAny(left, after[last]) {
					continue
				}
				try(strings.Replace(left, last, "", 1), end-times[last], paid+fines[last]*max(0, end-due[last]))
			}
		}
		try(names, now, 0)
		paid, end := 0, 0
		order := strings.Fields(got)
		for i, name := range order {
			end += times[name]
			paid += fines[name] * max(0, end-due[name])
			if before := strings.Join(order[:i], ""); strings.ContainsAny(before, after[name]+name) {
				return fmt.Errorf("%s is too late in %s", name, got)
			}
		}
		if paid != best || len(order) != len(names) {
			return fmt.Errorf("%s costs %d, want %d", got, paid, best)
		}
		return nil
	})
}

func TestSchedulingKeys(t *testing.T) {
	all := jobScheduling.Task()
	tasktest.Variant(t, all, "other names", func(s *schedulingItem, r *rng.Rand) func(string) string {
		to := renumbered(r, len(s.Jobs))
		jobs := make([]job, len(to))
		for i, old := range s.Jobs {
			jobs[to[i]] = old
		}
		s.Jobs = jobs
		for i, pair := range s.Before {
			s.Before[i] = [2]int{to[pair[0]], to[pair[1]]}
		}
		rng.Shuffle(r, s.Before)
		for i, old := range s.Order {
			s.Order[i] = to[old]
		}
		return renamed(to)
	})
	tasktest.Variant(t, all, "another unit of time", func(s *schedulingItem, _ *rng.Rand) func(string) string {
		for i := range s.Jobs {
			s.Jobs[i].Time *= 2
			s.Jobs[i].Due *= 2
		}
		return nil
	})
	tasktest.Variant(t, all, "another unit of money", func(s *schedulingItem, _ *rng.Rand) func(string) string {
		for i := range s.Jobs {
			s.Jobs[i].Fine *= 10
		}
		return nil
	})
	tasktest.Other(t, all, "a pair the other way round", func(s *schedulingItem) {
		if len(s.Before) > 0 {
			first, second := s.Before[0][0], s.Before[0][1]
			if s.Jobs[first] != s.Jobs[second] {
				s.Before[0] = [2]int{second, first}
				s.Order = bestOrder(s.Jobs, s.needs())
			}
		}
	})
}
