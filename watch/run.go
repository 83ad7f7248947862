package watch

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub/hubstats"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/watch/words"
)

// A runPage is the content of the page of a run.
type runPage struct {
	Head     *trace.Head
	Name     string // two words for people; empty: unknown
	Folder   string
	Began    time.Time
	Status   status
	Settings runSettings

	Learning *learning // nil: there was no evaluation
	Curve    *chart    // of the evaluations; nil: none
	Playing  *playing  // nil: nothing to show yet
	Totals   totals
	Speed    speed
	Model    int // groups in which a reply fell short
	Failed   int // groups with a failed or stopped episode

	Charts   []chart
	Training []chart // of the training itself
	Tasks    []taskLine
	Left     int    // unread numbers, in percent
	Time     bool   // charts over time, not steps
	Hub      string // the hub's statistics; empty: no hub
	Machine  []fact // the run's process; empty: not this one
}

// A runSettings has what the page needs of the settings in a trace; nil: unknown.
type runSettings struct {
	Run struct {
		MaxLag       *int `json:"max_lag"`
		ExamProblems *int `json:"exam_problems"`
	} `json:"run"`
}

// A taskLine is a task of the run in its table.
type taskLine struct {
	taskScores
	Played trace.Tally
}

// run answers with the page of the run.
func (s *Server) run(c *web.Call) error {
	p := s.runPage()
	p.Time = c.R.URL.Query().Get("x") == "time"
	return s.show(c, view{p.title(), "run", &p})
}

// title names the run.
func (p *runPage) title() string {
	return strings.TrimSpace("Run " + p.Name)
}

// runPage is the current content of the page.
func (s *Server) runPage() runPage {
	p := runPage{Left: s.numbers.Left(), Head: s.head(), Status: s.status(), Began: s.began(), Folder: lastPart(s.config.Data)}
	if p.Head != nil {
		p.Name = words.TwoWords(p.Head.Run)
		p.Settings = settingsOf(p.Head.Settings)
	}
	exams := s.heldOuts()
	p.Learning = learningFrom(exams)
	p.Playing = s.playing.now(s.trace)
	counts := s.trace.sums()
	p.Totals = newTotals(s.numbers, &counts)
	p.Speed = newSpeed(s.numbers)
	p.Model, p.Failed = counts.Outcomes[quintain.ModelFailed], failedGroups(&counts)
	p.Tasks = taskLines(tasksIn(exams), counts.Tasks)
	p.fillCharts(s)
	if s.hub != nil {
		var text strings.Builder
		hubstats.Print(&text, s.hub(), time.Now())
		p.Hub = text.String()
	}
	if s.machine != nil {
		p.Machine = process(s.machine, s.config.Data)
	}
	return p
}

// NoExams reports whether the run holds no evaluations.
func (p *runPage) NoExams() bool {
	n := p.Settings.Run.ExamProblems
	return n != nil && *n == 0
}

// Pace says who waits for whom, by the staleness of the groups; empty: unknown.
func (p *runPage) Pace() string {
	most, lag := p.Settings.Run.MaxLag, p.Totals.MeanLag
	switch {
	case most == nil || p.Totals.Lagged == 0:
		return ""
	case *most > 0 && lag > 0.8*float64(*most):
		return fmt.Sprintf("That is near the bound of %d: training sets the pace, and play waits for it.", *most)
	case lag < 1:
		return "That is little: play sets the pace, and training waits for it."
	}
	return fmt.Sprintf("The bound is %d.", *most)
}

// fillCharts fills in the charts with existing series.
func (p *runPage) fillCharts(s *Server) {
	names := s.numbers.Names()
	if one := heldOutChart(); one.fill(s.numbers, names) {
		p.Curve = &one
	}
	for _, one := range charts() {
		if one.fill(s.numbers, names) {
			p.Charts = append(p.Charts, one)
		}
	}
	for _, one := range trainingCharts() {
		if one.fill(s.numbers, names) {
			p.Training = append(p.Training, one)
		}
	}
}

// settingsOf reads the settings of a trace.
func settingsOf(text json.RawMessage) (s runSettings) {
	if jsonform.Unmarshal(text, &s) != nil {
		return runSettings{} // of another program
	}
	return s
}

// lastPart is the name of a folder.
func lastPart(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		full = path
	}
	return plain(filepath.Base(full))
}

// taskLines joins the scores of evaluations and the groups of each task, by name.
func taskLines(scores []*taskScores, played map[string]trace.Tally) (all []taskLine) {
	seen := map[string]bool{}
	for _, t := range scores {
		seen[t.Name] = true
		all = append(all, taskLine{*t, played[t.Name]})
	}
	for _, name := range sortedKeys(played) {
		if !seen[name] {
			all = append(all, taskLine{taskScores{Name: name}, played[name]})
		}
	}
	return all
}

// head is the newest head of the trace, or nil.
func (s *Server) head() *trace.Head {
	last := s.trace.find(trace.Query{Newest: true, Limit: 1})
	if len(last) == 0 {
		return nil
	}
	h, err := s.trace.now().Head(last[0].Ref)
	if err != nil {
		return nil // the segment was just removed
	}
	return &h
}
