package watch

import (
	"fmt"
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
	Name, Category string
	About          string // in a sentence
	Levels         int
	Measured       bool    // MostGuess is known
	MostGuess      float64 // of all levels
	Groups, Scored int     // in the trace
	Mean           float64 // score of these
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
		of := counts.Tasks[e.Info.Name]
		first, _, _ := strings.Cut(e.Info.Doc, ". ")
		row := taskRow{
			Name: e.Info.Name, Category: e.Info.Category, About: strings.TrimSuffix(first, ".") + ".", Levels: len(e.Info.Levels),
			Measured: e.Measured, MostGuess: e.Facts.MostGuess(), Groups: of.Groups, Scored: of.Scored, Mean: of.Mean(),
		}
		if row.Groups > 0 {
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
	Facts        string // of the level, in words; empty: unknown
	Shared       []string
	Levels       [][]string
	Level, Index int
	ID           string // of the problem
	Prompt       excerpt
	Solution     excerpt
	Judged       []judged
	Own          bool   // the run plays levels of its own of this task
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
	p := taskPage{Info: t.Info(), Own: hasOwnLevels(s.head(), t.Info().Name), Asked: q.Has("answer"), Answer: q.Get("answer")}
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

// hasOwnLevels reports whether a run plays a task at levels with parameters of their own.
func hasOwnLevels(head *trace.Head, task string) bool {
	if head == nil {
		return false
	}
	for prefix := range head.Levels {
		if _, name, _, err := quintain.ParseID(prefix + "0"); err == nil && name == task {
			return true
		}
	}
	return false
}

// specimenSeed is the seed of the shown problems.
const specimenSeed = 1

// fill draws the problem and grades the answer.
func (p *taskPage) fill(t quintain.Task) (err error) {
	if p.Shared, p.Levels, err = list.LevelSettings(p.Info); err != nil {
		return err
	}
	specimen, err := list.NewSpecimen(t, quintain.Draw{Seed: specimenSeed, Level: p.Level, Index: p.Index})
	if err != nil {
		return err
	}
	p.ID = specimen.Problem.ID()
	if facts, _ := list.FactsOf(p.Info); p.Level < len(facts.Levels) {
		of := facts.Levels[p.Level]
		p.Facts = fmt.Sprintf("guess rate %.3f, %s problems", of.GuessRate, of.Size())
	}
	w := &pen{room: mostOnPage}
	p.Prompt, p.Solution = w.write(specimen.Problem.Prompt, ""), w.write(specimen.Solution, "")
	for _, j := range specimen.Judged {
		p.Judged = append(p.Judged, judged{plain(j.Answer), j.Kind, plain(j.Reason), j.Score})
	}
	if p.Asked {
		p.Verdict, err = t.Grade(specimen.Problem, p.Answer)
		p.Reason = plain(p.Verdict.Reason)
	}
	return err
}
