package rollout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A match is an unfinished match at a table, with an episode for each seat of a policy.
type match struct {
	table quintain.Table
	seats []*episode // nil: a player's of the table
	next  quintain.Next
	paid  []float64 // to each seat so far
	early []float64 // of it, before the seat's first reply
}

// matches plays the group of one job at tables. It restarts matches in which the policy failed, but
// not the others.
func (e *Engine) matches(ctx, accept context.Context, job Job, of quintain.Seated) Result {
	all := make([]*match, e.Size)
	for i := range all {
		all[i] = e.newMatch(ctx, job, of, place{i, 0})
	}
	var first []quintain.Sample // of another policy, if it replies first
	e.sit(ctx, "", all, &first)
	for try := 1; try <= e.Replays && accept.Err() == nil; try++ {
		var again []*match
		for i, m := range all {
			if m.may() {
				all[i] = e.newMatch(ctx, job, of, place{i, try})
				again = append(again, all[i])
			}
		}
		if again == nil {
			break
		}
		e.sit(ctx, fmt.Sprintf("~%d", try), again, &first)
	}
	var episodes []*episode // seat by seat
	for seat := range len(of.Players()) {
		for _, m := range all {
			if ep := m.seats[seat]; ep.learns() {
				ep.record.Match.Others = m.talks()
				episodes = append(episodes, ep)
			}
		}
	}
	return collected(accept, job, episodes)
}

// noSeat stands for a reply that nobody has given yet.
const noSeat = -1

// A place is that of a match in its group.
type place struct{ number, replays int }

// newMatch makes and opens a match of a job. It records a failure in its episodes.
func (e *Engine) newMatch(ctx context.Context, job Job, of quintain.Seated, at place) *match {
	players := of.Players()
	m := &match{seats: make([]*episode, len(players)), paid: make([]float64, len(players)), early: make([]float64, len(players))}
	nobody := ""
	for seat, player := range players {
		if player != quintain.PolicyPlayer && !quintain.Opponent(player) {
			continue
		}
		p := job.Problem.At(seat)
		ep := &episode{env: &chair{m, seat}, number: at.number, traced: job.Span.Valid(), record: quintain.Trajectory{
			ID: fmt.Sprintf("%s#%d", p.ID(), at.number), Problem: p, Replays: at.replays, Started: time.Now(),
			Match: &quintain.Match{ID: fmt.Sprintf("%s#%d", job.Problem.ID(), at.number), Seat: seat, Players: players},
		}}
		if player != quintain.PolicyPlayer {
			other, plays := e.Opponents[player]
			if ep.other = &other; !plays {
				nobody = player
			}
		}
		m.seats[seat] = ep
	}
	m.guard(ctx, func() error {
		if nobody != "" {
			return fmt.Errorf("nobody plays %s here", nobody)
		}
		table, err := of.Table(job.Problem)
		if err != nil {
			return err
		}
		m.table = table
		next, err := table.Open(ctx)
		if err != nil {
			return err
		}
		_, err = m.turn(noSeat, next)
		return err
	})
	return m
}

// guard calls the table outside of a reply. An error or a panic is a failure of all episodes.
func (m *match) guard(ctx context.Context, call func() error) {
	if ep := m.learner(); ep != nil {
		ep.guard(ctx, call)
		m.share(ep)
	}
}

// sit plays matches of a group to their ends, and closes them. The first replies answer the same
// messages and come from one request, whose key is the ID of their group and more; see [Engine.openTogether] for opened.
func (e *Engine) sit(ctx context.Context, more string, all []*match, opened *[]quintain.Sample) {
	var first []*episode
	for _, m := range all {
		ep := m.seats[m.next.Seat]
		if ep == nil || ep.over() {
			continue
		}
		if len(first) > 0 && first[0].record.Match.Seat != m.next.Seat {
			ep.fail(ctx, quintain.EnvFailed, errors.New("the table opens the matches of one problem with different seats"))
			m.share(ep)
			continue
		}
		first = append(first, ep)
	}
	switch {
	case len(first) == 0:
	case first[0].other != nil && all[0].next.Together:
		e.openTogether(ctx, first[0].record.Problem.ID()+more, first, opened)
	default:
		e.firstTurn(ctx, first[0].record.Problem.ID()+more, first)
	}
	var others sync.WaitGroup
	for _, m := range all {
		others.Go(func() {
			for ep := m.settle(); ep != nil; ep = m.settle() {
				e.turn(ctx, ep)
			}
			if m.table != nil {
				m.guard(context.Background(), m.table.Close)
			}
		})
	}
	others.Wait()
}

// may reports whether the match failed, and may be played again.
func (m *match) may() bool {
	for _, ep := range m.seats {
		if ep != nil && ep.may {
			return true
		}
	}
	return false
}

// turn takes what the table says after a reply of a seat, or below 0 in the beginning: what it pays,
// and who is next. It returns what the reply has earned.
func (m *match) turn(replied int, next quintain.Next) (earned float64, err error) {
	n := len(m.seats)
	if len(next.Rewards) != n && next.Rewards != nil || next.End == quintain.Going && (next.Seat < 0 || next.Seat >= n || m.seats[next.Seat] == nil) {
		return 0, fmt.Errorf("the table has %s, pays %d, and wants a reply of seat %d", stats.Count(n, "seat"), len(next.Rewards), next.Seat)
	}
	for seat, reward := range next.Rewards {
		m.paid[seat] += reward
		switch ep := m.seats[seat]; {
		case ep == nil:
		case seat == replied:
			earned = reward + m.early[seat]
			m.early[seat] = 0
		case len(ep.record.Turns) > 0:
			ep.record.Turns[len(ep.record.Turns)-1].Reward += reward
		default:
			m.early[seat] += reward
		}
	}
	if m.next = next; next.End == quintain.Going && next.Seat != replied {
		ep := m.seats[next.Seat]
		ep.talk = append(ep.talk[:len(ep.talk):len(ep.talk)], next.Observe...)
	}
	return earned, m.balance(replied)
}

// balance checks the scores of a match that has ended.
func (m *match) balance(replied int) error {
	sum := 0.0
	for seat, score := range m.paid {
		if err := quintain.CheckReward(score); err != nil {
			return fmt.Errorf("the table: seat %d: %w", seat, err)
		}
		sum += score
	}
	switch {
	case m.next.End == quintain.Going:
	case m.next.Forfeit && m.paid[replied] != 0:
		return fmt.Errorf("seat %d gave the match up and scores %v, want 0", replied, m.paid[replied])
	case !m.next.Forfeit && math.Abs(sum-1) > 1e-9:
		return fmt.Errorf("the seats of the match score %v, which is %v together, want 1", m.paid, sum)
	}
	return nil
}

// settle brings the consequences of the last reply to all seats, and returns the episode of the
// seat that replies next; nil: the match is over.
func (m *match) settle() *episode {
	for _, ep := range m.seats {
		if ep != nil && ep.over() {
			m.share(ep)
			return nil
		}
	}
	return m.seats[m.next.Seat]
}

// share ends the other episodes as one has ended.
func (m *match) share(ended *episode) {
	if !ended.over() {
		return
	}
	of := &ended.record
	left := of.Outcome.Rewarded() && m.next.End == quintain.Going // it had no room to go on
	if left {
		of.Outcome = quintain.ModelFailed
	}
	for _, ep := range m.seats {
		if ep == nil || ep == ended || ep.over() {
			continue
		}
		switch {
		case !of.Outcome.Rewarded():
			ep.record.Outcome, ep.record.Error = ended.spoils()
			ep.may, ep.stop = ended.may, ended.stop
		case left || m.next.Forfeit:
			ep.record.Outcome, ep.record.Error = quintain.Forfeited, fmt.Sprintf("seat %d gave the match up", of.Match.Seat)
			ep.record.End = m.next.End
		case len(ep.record.Turns) > 0:
			ep.record.Turns[len(ep.record.Turns)-1].Right = m.won(ep.record.Match.Seat)
			ep.end(m.next.End)
		default:
			ep.record.Outcome = quintain.Scored
		}
		ep.record.Took = of.Took
	}
}

// won reports whether the match has ended, and a seat has the whole score.
func (m *match) won(seat int) bool {
	return m.next.End != quintain.Going && !m.next.Forfeit && m.paid[seat] == 1
}

// A chair is a seat of a match, as the environment of its episode.
type chair struct {
	*match
	seat int
}

// Open implements [quintain.Env]. The match opens the table.
func (c *chair) Open(context.Context) ([]quintain.Message, error) { return nil, nil }

// Step implements [quintain.Env]. If another seat is next, the next messages of this one come later.
func (c *chair) Step(ctx context.Context, reply quintain.Reply) (step quintain.Step, err error) {
	next, err := c.table.Step(ctx, c.seat, reply)
	if err != nil {
		return step, err
	}
	if step = next.Step; next.Seat != c.seat {
		step.Observe = nil
	}
	step.Reward, err = c.turn(c.seat, next)
	step.Right = c.won(c.seat)
	return step, err
}

// Close implements [quintain.Env]. The match closes the table.
func (c *chair) Close() error { return nil }

// Seats is the largest number of the policy's seats at the tables of streams, at least 1.
func Seats(streams []Stream) int {
	most := 1
	for _, s := range streams {
		most = max(most, len(learners(s.Scenario)))
	}
	return most
}

// learners lists the policy's seats at the tables of a scenario; none: there are no tables.
func learners(s quintain.Scenario) (seats []int) {
	of, seated := s.(quintain.Seated)
	if !seated {
		return nil
	}
	for seat, player := range of.Players() {
		if player == quintain.PolicyPlayer {
			seats = append(seats, seat)
		}
	}
	return seats
}

// CheckPlayed reports what no engine gives for a group of a size, of episodes that another process
// played. A scenario of nil has no tables.
func CheckPlayed(of quintain.Scenario, size int, played []quintain.Trajectory) error {
	seats := learners(of)
	if want := size * max(1, len(seats)); len(played) != want {
		return fmt.Errorf("there are %d, want %d", len(played), want)
	}
	for i := range played {
		m := played[i].Match
		if (m != nil) != (seats != nil) {
			return fmt.Errorf("episode %d has the match %v", i, m)
		}
		if m != nil && m.Seat != seats[i/size] {
			return fmt.Errorf("episode %d has seat %d, want %d", i, m.Seat, seats[i/size])
		}
	}
	return nil
}
