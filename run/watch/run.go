package watch

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/trace"
)

// A runPage is the content of the page of a run.
type runPage struct {
	Head     *trace.Head
	Name     string // two words for people; empty: unknown
	Folder   string
	Files    string // in place of the folder; empty: none
	Began    time.Time
	Status   status
	Settings runSettings

	Learning *learning // nil: there was no evaluation
	Curve    *chart    // of the evaluations; nil: none
	Playing  *playing  // nil: nothing to show yet
	Unit     string    // of what is sampled: tokens or bytes
	Totals   totals
	Speed    speed
	Model    int // groups in which a reply fell short
	Failed   int // groups with a failed or stopped episode

	Charts   []chart
	Training []chart // of the training itself
	Tasks    []taskLine
	NoExams  bool   // the run holds no evaluations
	WhoWaits string // in words; empty: unknown
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
	Name           string
	First, Now     *float64 // scores of the first and the last evaluation; nil: none
	Spark          string   // see [taskScores.spark]
	Levels, Done   int      // see [taskScores]
	Groups, Scored int      // played, in the trace
	Mean           float64  // score of these
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
	p := runPage{Left: s.numbers.Left(), Head: s.head(), Status: s.status(), Began: s.began(), Files: lastParts(s.config.Files), Folder: lastParts(append([]string{s.config.Data}, s.config.Others...))}
	if p.Head != nil {
		p.Name = words.TwoWords(p.Head.Run)
		p.Settings = settingsOf(p.Head.Settings)
	}
	exams := s.heldOuts()
	p.Learning = learningFrom(exams)
	p.Unit = "tokens"
	if p.Playing = s.playing.now(s.trace); p.Playing != nil {
		p.Unit = p.Playing.Unit
	}
	counts := s.trace.sums()
	p.Totals = newTotals(s.numbers, &counts)
	p.Speed = newSpeed(s.numbers)
	p.Model, p.Failed = counts.Outcomes[quintain.ModelFailed], failedGroups(&counts)
	p.Tasks = taskLines(tasksIn(exams), counts.Tasks)
	if p.WhoWaits = p.Settings.whoWaits(&p.Totals); p.Settings.Run.ExamProblems != nil {
		p.NoExams = *p.Settings.Run.ExamProblems == 0
	}
	p.fillCharts(s)
	if s.hub != nil {
		var text strings.Builder
		s.hub().Print(&text, time.Now())
		p.Hub = text.String()
	}
	if s.machine != nil {
		p.Machine = process(s.machine, s.config.Data)
	}
	return p
}

// whoWaits says who waits for whom, by the staleness of the groups; empty: unknown.
func (s *runSettings) whoWaits(t *totals) string {
	most := s.Run.MaxLag
	switch {
	case most == nil || t.Lagged == 0:
		return ""
	case *most > 0 && t.MeanLag > 0.8*float64(*most):
		return fmt.Sprintf("That is near the bound of %d: training sets the pace, and play waits for it.", *most)
	case t.MeanLag < 1:
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
			one.Unit = strings.Replace(one.Unit, "tokens", p.Unit, 1)
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
	if strictjson.Unmarshal(text, &s) != nil {
		return runSettings{} // of another program
	}
	return s
}

// lastParts are the names of folders.
func lastParts(paths []string) string {
	var names []string
	for _, path := range paths {
		if full, err := filepath.Abs(path); err == nil {
			path = full
		}
		names = append(names, plain(filepath.Base(path)))
	}
	return strings.Join(names, ", ")
}

// taskLines joins the scores of evaluations and the groups of each task, by name.
func taskLines(scores []*taskScores, played map[string]trace.Tally) (all []taskLine) {
	seen := map[string]bool{}
	add := func(t *taskScores) {
		seen[t.Name] = true
		of := played[t.Name]
		all = append(all, taskLine{t.Name, known(t.Scores, 0), known(t.Scores, len(t.Scores)-1), t.spark(), t.Levels, t.Done, of.Groups, of.Scored, of.Mean()})
	}
	for _, t := range scores {
		add(t)
	}
	for _, name := range sortedKeys(played) {
		if !seen[name] {
			add(&taskScores{Name: name})
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
