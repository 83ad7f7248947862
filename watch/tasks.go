package watch

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/list"
	"github.com/quintain-rl/quintain/trace"
)

// A tasksPage is the content of the page of tasks.
type tasksPage struct {
	Played []taskRow // in this run
	Others []taskRow
}

// A taskRow is a task in the table.
type taskRow struct {
	list.Entry
	Played trace.Tally // groups in the trace
}

// About describes the task in a sentence.
func (r taskRow) About() string {
	first, _, _ := strings.Cut(r.Info.Doc, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

// tasks answers with the page of tasks.
func (s *Server) tasks(c *web.Call) error {
	p, err := s.tasksPage()
	if err != nil {
		return err
	}
	return s.show(c, view{"Tasks", "tasks", p})
}

func (s *Server) tasksPage() (p tasksPage, err error) {
	all, err := list.Filter{GuessRate: 1}.Find(s.config.Tasks())
	counts := s.trace.sums()
	for _, e := range all {
		row := taskRow{e, counts.Tasks[e.Info.Name]}
		if row.Played.Groups > 0 {
			p.Played = append(p.Played, row)
		} else {
			p.Others = append(p.Others, row)
		}
	}
	return p, err
}

// A taskPage is the content of the page of a task, with one problem.
type taskPage struct {
	Info         quintain.Info
	Facts        list.Facts
	Shared       []string
	Levels       [][]string
	Level, Index int
	Specimen     list.Specimen
	Prompt       excerpt
	Solution     excerpt
	Judged       []judged
	Asked        bool   // an answer was typed
	Answer       string // the typed answer
	Verdict      quintain.Verdict
	Reason       string
}

// A judged is an answer close to the solution, with its score.
type judged struct {
	Answer, Kind, Reason string
	Score                float64
}

// task answers with the page of a task, and the verdict on a typed answer.
func (s *Server) task(c *web.Call) error {
	q := c.R.URL.Query()
	tasks, err := task.NewSet(s.config.Tasks())
	if err != nil {
		return err
	}
	t, err := tasks.Get(q.Get("name"))
	if err != nil {
		return web.Errorf(http.StatusNotFound, "%v", err)
	}
	p := taskPage{Info: t.Info(), Asked: q.Has("answer"), Answer: q.Get("answer")}
	for _, n := range []struct {
		name string
		to   *int
	}{{"level", &p.Level}, {"index", &p.Index}} {
		if text := q.Get(n.name); text != "" {
			if *n.to, err = strconv.Atoi(text); err != nil {
				return web.Errorf(http.StatusBadRequest, "%s: want a whole number", n.name)
			}
		}
	}
	if err := c.Compute(func() error { return p.fill(t) }); err != nil {
		return web.Errorf(http.StatusBadRequest, "%v", err)
	}
	return s.show(c, view{"Task " + p.Info.Name, "task", p})
}

// specimenSeed is the seed of the shown problems.
const specimenSeed = 1

// fill draws the problem and grades the answer.
func (p *taskPage) fill(t quintain.Task) (err error) {
	if p.Shared, p.Levels, err = list.LevelSettings(p.Info); err != nil {
		return err
	}
	p.Facts, _ = list.FactsOf(p.Info)
	if p.Specimen, err = list.NewSpecimen(t, quintain.Draw{Seed: specimenSeed, Level: p.Level, Index: p.Index}); err != nil {
		return err
	}
	w := &pen{room: mostOnPage}
	p.Prompt, p.Solution = w.write(p.Specimen.Problem.Prompt, ""), w.write(p.Specimen.Solution, "")
	for _, j := range p.Specimen.Judged {
		p.Judged = append(p.Judged, judged{plain(j.Answer), j.Kind, plain(j.Reason), j.Score})
	}
	if p.Asked {
		p.Verdict, err = t.Grade(p.Specimen.Problem, p.Answer)
		p.Reason = plain(p.Verdict.Reason)
	}
	return err
}
