package watch

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A heldOut is an evaluation on held-out problems during the run: a line of
// examinations.jsonl.
type heldOut struct {
	Version  int                `json:"version"`
	Mean     float64            `json:"mean_score"`
	Within   *stats.Interval    `json:"interval"` // of Mean; nil: unknown
	Tasks    map[string]float64 `json:"tasks"`    // by label
	Examples []example          `json:"examples"`
	Words    string             `json:"-"` // Mean and Within
}

// An example is the reply to one problem of a label, the same in every evaluation.
type example struct {
	Label    string  `json:"label"`
	ID       string  `json:"id"`
	Question string  `json:"question"`
	Reply    string  `json:"reply"`
	Score    float64 `json:"score"`
	Right    bool    `json:"right"`
	Why      string  `json:"why"`
}

// A heldOuts follows the evaluations of a run. Many goroutines may use it at once.
type heldOuts struct {
	mu    sync.Mutex
	files []tail      // of the processes of the run
	all   [][]heldOut // of each file
}

// list returns the evaluations in the files, oldest first, without lines that are none. The
// caller must not change them.
func (h *heldOuts) list() (all []heldOut, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, make([][]heldOut, len(h.files)-len(h.all))...)
	for i := range h.files {
		for more := true; more; {
			var failed error
			more, failed = h.files[i].Read(func() { h.all[i] = nil }, func(line []byte) {
				var one heldOut
				if strictjson.Unmarshal(line, &one) == nil && one.Tasks != nil {
					one.Words = one.words()
					h.all[i] = append(h.all[i], one)
				}
			})
			if err = errors.Join(err, failed); failed != nil {
				break
			}
		}
		all = append(all, h.all[i]...)
	}
	if len(h.files) > 1 {
		slices.SortStableFunc(all, func(a, b heldOut) int { return cmp.Compare(a.Version, b.Version) })
	}
	return all, err
}

// A heatMap has the scores of tasks and levels, at the start and now.
type heatMap struct {
	Levels []string // the easiest first, as in labels: :0, :1, …
	Rows   []heatRow
}

// A heatRow is a task in a map.
type heatRow struct {
	Task  string
	Cells []*cell // by level; nil: none
}

// A cell is a level of a task: its score in the first evaluation that has it, and in the last.
type cell struct {
	Label      string
	Start, Now float64
	Example    bool // a problem of it is shown
	Shade      int  // Now in tenths, for the style
}

// newHeatMap makes the map of evaluations; nil: there are none.
func newHeatMap(all []heldOut) *heatMap {
	cells := map[string]*cell{}
	for _, one := range all {
		for label, score := range one.Tasks {
			if cells[label] == nil {
				cells[label] = &cell{Label: label, Start: score}
			}
			cells[label].Now = score
		}
		for _, e := range one.Examples {
			if c := cells[e.Label]; c != nil {
				c.Example = true
			}
		}
	}
	if len(cells) == 0 {
		return nil
	}
	m := &heatMap{}
	by := map[string]map[string]*cell{} // by task and level
	for label, c := range cells {
		c.Shade = int(math.Floor(10 * min(1, max(0, c.Now))))
		task, _ := labelParts(label)
		level := strings.TrimPrefix(label, task)
		if by[task] == nil {
			by[task] = map[string]*cell{}
		}
		by[task][level] = c
		if !slices.Contains(m.Levels, level) {
			m.Levels = append(m.Levels, level)
		}
	}
	slices.SortFunc(m.Levels, compareLabels)
	for _, task := range sortedKeys(by) {
		row := heatRow{Task: task}
		for _, level := range m.Levels {
			row.Cells = append(row.Cells, by[task][level])
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// labelParts splits the label of a stream, as "task", "task:2" or "task (3)", into the task
// and numbers that order its streams.
func labelParts(label string) (task string, numbers [2]int) {
	if name, rest, ok := strings.Cut(strings.TrimSuffix(label, ")"), " ("); ok {
		if n, err := strconv.Atoi(rest); err == nil {
			label, numbers[1] = name, n
		}
	}
	if name, rest, ok := strings.Cut(label, ":"); ok {
		if n, err := strconv.Atoi(rest); err == nil {
			label, numbers[0] = name, n
		}
	}
	return label, numbers
}

// compareLabels orders labels by their levels.
func compareLabels(a, b string) int {
	_, x := labelParts(a)
	_, y := labelParts(b)
	return cmp.Or(slices.Compare(x[:], y[:]), cmp.Compare(a, b))
}

// compareLabelsByTask orders the labels of all tasks.
func compareLabelsByTask(a, b string) int {
	x, _ := labelParts(a)
	y, _ := labelParts(b)
	return cmp.Or(cmp.Compare(x, y), compareLabels(a, b))
}
