package watch

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/watch/board"
)

// A stepPage is the content of the page of a turn of a game.
type stepPage struct {
	At string
	board.Step
	Best                        []string // moves; nil: unknown
	Told, Reasoning, Reply, Why excerpt
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
	step, there := board.Of(r, episode, turn)
	if errEpisode != nil || errTurn != nil || !there {
		return web.Errorf(http.StatusNotFound, "the group has no such turn")
	}
	w := &pen{at: at.Text(), room: mostOnPage}
	of := func(part string) string { return fmt.Sprintf("part=%s&episode=%d&turn=%d", part, episode, turn) }
	now, before := step.At(), r.Episodes[episode].Turns[:turn]
	return s.show(c, view{fmt.Sprintf("Turn %d of %s", turn+1, plain(r.Problem.Task)), "step", &stepPage{
		At: at.Text(), Step: step, Best: board.Best(c.Context(), s.adviser(r.Problem.Scenario), r.Problem, before), Told: w.write(step.Told, of("told")+"&message=0"),
		Reasoning: w.write(now.Reasoning, of("reasoning")), Reply: w.write(now.Reply, of("reply")), Why: w.write(now.Why, of("why")),
	}})
}

// To is the address of another turn.
func (p *stepPage) To(turn int) string {
	return fmt.Sprintf("step?at=%s&episode=%d&turn=%d", p.At, p.Episode, turn)
}

// Before and Next are the addresses of the turns beside; empty: there is none.
func (p *stepPage) Before() string {
	if p.Turn == 0 {
		return ""
	}
	return p.To(p.Turn - 1)
}

// Next is the address of the next turn; see Before.
func (p *stepPage) Next() string {
	if p.Turn+1 == len(p.Turns) {
		return ""
	}
	return p.To(p.Turn + 1)
}
