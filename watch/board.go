package watch

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/watch/board"
)

// A stepPage is the content of the page of a turn of a game.
type stepPage struct {
	At string
	board.Step
	Told, Reasoning, Reply, Why excerpt
}

// boardPages are the pages of games.
type boardPages struct{ *Server }

// step answers with the page of a turn.
func (s boardPages) step(c *web.Call) error {
	r, at, err := s.trace.read(c)
	if err != nil {
		return err
	}
	q := c.R.URL.Query()
	episode, errEpisode := strconv.Atoi(q.Get("episode"))
	turn, errTurn := strconv.Atoi(q.Get("turn"))
	step, there := board.Of(c.Context(), r, episode, turn)
	if errEpisode != nil || errTurn != nil || !there {
		return web.Errorf(http.StatusNotFound, "the group has no such turn")
	}
	w := &pen{at: at.Text(), room: mostOnPage}
	of := func(part string) string { return fmt.Sprintf("part=%s&episode=%d&turn=%d", part, episode, turn) }
	now := step.At()
	return s.show(c, view{fmt.Sprintf("Turn %d of %s", turn+1, plain(r.Problem.Task)), "step", &stepPage{
		At: at.Text(), Step: step, Told: w.write(step.Told, of("told")+"&message=0"),
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
