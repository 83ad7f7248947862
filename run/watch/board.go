package watch

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/exam"
)

// A stepPage is the content of the page of a turn of a game.
type stepPage struct {
	At                          string
	Before, Next                string // addresses of the turns beside; empty: there is none
	Board                       [][]string
	Best                        []string // moves; nil: unknown
	Told, Reasoning, Reply, Why excerpt
	Shown                       stepRow
	Turns                       []stepRow // all of the episode, up to a limit
	Left                        int       // further turns
	Summary                     string    // of the episode; empty: no value is known
}

// A stepRow is a turn in the list of turns.
type stepRow struct {
	Name         int // from 1 on
	Link         string
	Answer, Note string
	Illegal      bool
	Shown        bool
	Lost         *exam.TurnRegret // nil: unknown
	Blunder      bool
}

// boardPages are the pages of games.
type boardPages struct{ *Server }

// adviser returns who knows the best moves in a scenario; nil: nobody.
func (s boardPages) adviser(scenario string) quintain.Adviser {
	if s.config.Adviser == nil {
		return nil
	}
	return s.config.Adviser(scenario)
}

// step answers with the page of a turn.
func (s boardPages) step(c *web.Call) error {
	r, at, err := s.trace.read(c)
	if err != nil {
		return err
	}
	q := c.R.URL.Query()
	episode, errEpisode := strconv.Atoi(q.Get("episode"))
	turn, errTurn := strconv.Atoi(q.Get("turn"))
	step, there := boardOf(r, episode, turn)
	if errEpisode != nil || errTurn != nil || !there {
		return web.Errorf(http.StatusNotFound, "the group has no such turn")
	}
	w := &pen{at: at.Text(), room: mostOnPage}
	of := func(part string) string { return fmt.Sprintf("part=%s&episode=%d&turn=%d", part, episode, turn) }
	now, before := step.At(), r.Episodes[episode].Turns[:turn]
	p := stepPage{
		At: at.Text(), Board: step.Board, Left: step.Left, Summary: step.Summary,
		Best: bestMoves(c.Context(), s.adviser(r.Problem.Scenario), r.Problem, before), Told: w.write(step.Told, of("told")+"&message=0"),
		Reasoning: w.write(now.Reasoning, of("reasoning")), Reply: w.write(now.Reply, of("reply")), Why: w.write(now.Why, of("why")),
	}
	p.list(&step)
	return s.show(c, view{fmt.Sprintf("Turn %d of %s", turn+1, plain(r.Problem.Task)), "step", &p})
}

// list lists the turns of an episode, and those beside the shown one.
func (p *stepPage) list(step *boardStep) {
	for k, t := range step.Turns {
		p.Turns = append(p.Turns, stepRow{
			Name: t.Name(), Link: fmt.Sprintf("step?at=%s&episode=%d&turn=%d", p.At, step.Episode, k), Answer: t.Answer, Note: t.Note(),
			Illegal: t.Illegal, Shown: k == step.Turn, Lost: t.Lost, Blunder: t.Lost != nil && t.Lost.IsBlunder(),
		})
	}
	p.Shown = p.Turns[step.Turn]
	if step.Turn > 0 {
		p.Before = p.Turns[step.Turn-1].Link
	}
	if step.Turn+1 < len(p.Turns) {
		p.Next = p.Turns[step.Turn+1].Link
	}
}
