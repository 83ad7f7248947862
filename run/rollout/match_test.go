package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A club is a scenario with tables for so many players.
type club struct {
	numbered
	players []string
	opens   func(match int) string // the first message; nil: all alike
	joined  bool                   // see [quintain.Next.Together]
	made    *matchCount
}

// A matchCount counts the tables that were made and closed.
type matchCount struct {
	mu           sync.Mutex
	made, closed int
}

func (c club) TablesOnly() bool  { return false }
func (c club) Players() []string { return c.players }

func (c club) Table(p quintain.Problem) (quintain.Table, error) {
	c.made.mu.Lock()
	defer c.made.mu.Unlock()
	c.made.made++
	return &clubTable{club: c, number: c.made.made}, nil
}

func (c club) AdviseAt(quintain.Problem, int, []quintain.Message) (a quintain.Advice, err error) {
	return a, nil
}

// A clubTable passes the turn on, until a reply ends the match.
type clubTable struct {
	club
	number int
	plies  int
}

func (t *clubTable) Seats() int { return len(t.players) }

func (t *clubTable) Open(context.Context) (quintain.Next, error) {
	text := "open"
	if t.opens != nil {
		text = t.opens(t.number)
	}
	return quintain.Next{Seat: 0, Together: t.joined, Step: quintain.Step{Observe: user(text)}}, nil
}

func user(text string) []quintain.Message {
	return []quintain.Message{{Role: quintain.RoleUser, Content: text}}
}

func (t *clubTable) Step(_ context.Context, seat int, reply quintain.Reply) (next quintain.Next, err error) {
	t.plies++
	end := func(scores ...float64) (quintain.Next, error) {
		next.End, next.Rewards = quintain.Terminated, scores
		return next, nil
	}
	switch scores := []float64{0, 0}; reply.Text {
	case "win":
		scores[seat] = 1
		return end(scores...)
	case "lose":
		scores[1-seat] = 1
		return end(scores...)
	case "draw":
		return end(0.5, 0.5)
	case "cheat":
		return end(0.75, 0.75)
	case "resign":
		next.Malformed, next.End, next.Forfeit = true, quintain.Terminated, true
		return next, nil
	case "resign for pay":
		next.Malformed, next.End, next.Forfeit, next.Rewards = true, quintain.Terminated, true, []float64{0.1, 0.1}
		return next, nil
	case "mumble":
		next.Malformed, next.Seat, next.Observe = true, seat, user("what?")
		return next, nil
	case "rest":
		return end(0.25, 0.5)
	case "early":
		next.Rewards = []float64{0, 0.25}
	case "break":
		return next, errors.New("the table broke")
	case "panic":
		panic("fire")
	}
	next.Seat, next.Observe = 1-seat, user(fmt.Sprintf("seat %d said %s", seat, reply.Text))
	return next, nil
}

func (t *clubTable) Close() error {
	t.made.mu.Lock()
	defer t.made.mu.Unlock()
	t.made.closed++
	return nil
}

var both = []string{quintain.PolicyPlayer, quintain.PolicyPlayer}

// A script says what a seat replies in its turn, given the number of the match; "" is an error of
// the policy.
type seatScript func(seat, match, turn, try int) string

// sat plays a group of two matches by a script. Another policy, server:x, samples 7 tokens at most.
func sat(t *testing.T, c club, say seatScript) (r Result, requests []quintain.Request) {
	t.Helper()
	var out sink
	var mu sync.Mutex
	c.made = &matchCount{}
	policy := sampler(func(_ context.Context, r quintain.Request) (all []quintain.Sample, err error) {
		mu.Lock()
		requests = append(requests, r)
		mu.Unlock()
		turn := 0
		for _, m := range r.Messages {
			if m.Role == quintain.RoleAssistant {
				turn++
			}
		}
		for k := range r.N {
			seat, match, try := keyed(r.Key, k)
			text := say(seat, match, turn, try)
			switch text {
			case "":
				return nil, errors.New("no server")
			case "full":
				return nil, quintain.ErrNoRoom
			case "slow":
				return nil, quintain.ErrTimeout
			case "refused":
				return nil, fmt.Errorf("no such model: %w", quintain.ErrFinal)
			case "stopped":
				return nil, quintain.ErrCancelled
			case "false":
				return []quintain.Sample{{Text: "win", Wrote: []quintain.Token{1}}}, nil // without versions
			}
			all = append(all, says(text, 1)...)
		}
		return all, nil
	})
	e := &Engine{
		Size: 2, Parallel: 1, Replays: 1, Done: out.done, Next: jobs(c, 1), Policy: policy,
		Opponents: map[string]Opponent{"server:x": {policy, quintain.Sampling{MaxTokens: 7}}},
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(out.results) != 1 || c.made.made != c.made.closed {
		t.Fatalf("%d results; %d tables were made, %d closed", len(out.results), c.made.made, c.made.closed)
	}
	return out.results[0], requests
}

// keyed reads the key of sample k of a request.
func keyed(key string, k int) (seat, match, try int) {
	_, at, _ := strings.Cut(key, "@")
	match = k
	if _, err := fmt.Sscanf(at, "%d#%d~%d", &seat, &match, &try); err != nil {
		if _, err := fmt.Sscanf(at, "%d~%d", &seat, &try); err != nil {
			match, try = k, 0
			fmt.Sscanf(at, "%d#%d", &seat, &match)
		}
	}
	return seat, match, try
}

// shown is a trajectory in short: its ID, outcome, replies with rewards, and whether it was right.
func short(t *quintain.Trajectory) string {
	text := fmt.Sprintf("%s %s", t.ID, t.Outcome)
	for _, turn := range t.Turns {
		text += fmt.Sprintf(" %s=%v", turn.Reply, turn.Reward)
	}
	if t.Solved() {
		text += " right"
	}
	return text
}

func TestMatchesGiveATrajectoryForEachSeat(t *testing.T) {
	for _, c := range []struct {
		why  string
		say  seatScript
		want []string // of each trajectory
	}{
		{"a win of the first, and of the second", func(seat, match, turn, _ int) string {
			return [][]string{{"a", "win"}, {"a", "b", "lose"}}[match][2*turn+seat]
		}, []string{"@0#0 scored a=0", "@0#1 scored a=0 lose=0", "@1#0 scored win=1 right", "@1#1 scored b=1 right"}},
		{"a match that ends before the second replies", func(_, match, turn, _ int) string {
			return [][]string{{"win"}, {"a", "draw"}}[match][turn]
		}, []string{"@0#0 scored win=1 right", "@0#1 scored a=0 draw=0.5", "@1#0 scored", "@1#1 scored a=0.5"}},
		{"a fault is told, and the seat replies again", func(seat, _, turn, _ int) string {
			return []string{"mumble", "a", "draw"}[min(2, turn+seat)]
		}, []string{"@0#0 scored mumble=0 a=0 draw=0.5", "@0#1 scored mumble=0 a=0 draw=0.5", "@1#0 scored a=0.5", "@1#1 scored a=0.5"}},
		{"a reward before the first reply belongs to that", func(seat, _, turn, _ int) string {
			return []string{"early", "rest"}[seat]
		}, []string{"@0#0 scored early=0.25", "@0#1 scored early=0.25", "@1#0 scored rest=0.75", "@1#1 scored rest=0.75"}},
		{"who gives up scores 0, and nobody is paid", func(seat, match, turn, _ int) string {
			return [][]string{{"resign"}, {"a", "resign"}}[match][turn+seat]
		}, []string{"@0#0 model_failed resign=0", "@0#1 forfeited a=0", "@1#0 forfeited", "@1#1 model_failed resign=0"}},
		{"who has no room gives up", func(seat, match, turn, _ int) string {
			return []string{"a", "b", "full"}[2*turn+seat]
		}, []string{"@0#0 model_failed a=0", "@0#1 model_failed a=0", "@1#0 forfeited b=0", "@1#1 forfeited b=0"}},
		{"scores that are not 1 together", func(_, match, _, _ int) string { return []string{"cheat", "win"}[match] },
			[]string{"@0#0 env_failed cheat=0", "@0#1 scored win=1 right", "@1#0 env_failed", "@1#1 scored"}},
		{"pay for giving up", func(_, match, _, _ int) string { return []string{"resign for pay", "win"}[match] },
			[]string{"@0#0 env_failed resign for pay=0", "@0#1 scored win=1 right", "@1#0 env_failed", "@1#1 scored"}},
		{"a table that fails", func(_, match, _, _ int) string { return []string{"break", "panic"}[match] },
			[]string{"@0#0 env_failed break=0", "@0#1 env_failed panic=0", "@1#0 env_failed", "@1#1 env_failed"}},
		{"a policy that fails once: the whole match is played again", func(seat, match, turn, try int) string {
			if seat == 1 && match == 1 && try == 0 {
				return ""
			}
			return []string{"a", "win"}[turn+seat]
		}, []string{"@0#0 scored a=0", "@0#1 scored a=0", "@1#0 scored win=1 right", "@1#1 scored win=1 right"}},
		{"a policy that always fails", func(seat, match, turn, _ int) string {
			if seat == 1 && match == 1 {
				return ""
			}
			return []string{"a", "win"}[turn+seat]
		}, []string{"@0#0 scored a=0", "@0#1 infra_failed a=0", "@1#0 scored win=1 right", "@1#1 infra_failed"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			r, _ := sat(t, club{numbered: numbered{name: "a"}, players: both}, c.say)
			var got []string
			for i := range r.Trajectories {
				of := &r.Trajectories[i]
				got = append(got, strings.TrimPrefix(short(of), "a.v0.s0.l0.0"))
				if talk := of.Messages(); len(of.Turns) > 0 && !alternate(talk) {
					t.Errorf("%s: its conversation is %+v", of.ID, talk)
				}
				if m := of.Match; m == nil || of.ID != of.Problem.ID()+m.ID[len("a.v0.s0.l0.0"):] || *of.Problem.Seat != m.Seat || !slices.Equal(m.Players, both) {
					t.Errorf("%s: its match is %+v", of.ID, of.Match)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// alternate reports whether each reply follows a message to the policy.
func alternate(talk []quintain.Message) bool {
	for i, m := range talk {
		if want := []string{quintain.RoleUser, quintain.RoleAssistant}[i%2]; m.Role != want {
			return false
		}
	}
	return true
}

// A seat that replies twice in a row reads what the table says between.
func TestASeatMayReplyAgain(t *testing.T) {
	_, requests := sat(t, club{numbered: numbered{name: "a"}, players: both}, func(_, _, turn, _ int) string { return []string{"mumble", "draw"}[turn] })
	for _, r := range requests[1:] {
		if !alternate(r.Messages) || len(r.Messages) != 3 || r.Messages[2].Content != "what?" || r.Fresh != 2 || r.Wrote != len("mumble") {
			t.Errorf("%+v", r)
		}
	}
	if len(requests) != 3 {
		t.Errorf("%d requests, want one for the first replies and one for each match", len(requests))
	}
}

// The first replies come from one request. Later ones continue the exact tokens of their seat.
func TestSeatsHaveConversationsOfTheirOwn(t *testing.T) {
	_, requests := sat(t, club{numbered: numbered{name: "a"}, players: both}, func(seat, match, turn, _ int) string {
		return []string{"first", "second", "third", "draw"}[2*turn+seat]
	})
	by := map[string]quintain.Request{}
	for _, r := range requests {
		by[fmt.Sprintf("%s %d", r.Key, len(r.Messages))] = r
	}
	if len(by) != 7 {
		t.Errorf("there are %d requests, want 1 for the first replies and 3 for each match: %v", len(by), by)
	}
	for key, want := range map[string]struct {
		n, context, fresh, wrote int
		last                     string
	}{
		"a.v0.s0.l0.0@0 1":   {2, 0, 0, 0, "open"},
		"a.v0.s0.l0.0@1#1 1": {1, 0, 0, 0, "seat 0 said first"},
		"a.v0.s0.l0.0@0#0 3": {1, 2 + len("first"), 2, len("first"), "seat 1 said second"},
		"a.v0.s0.l0.0@1#0 3": {1, 2 + len("second"), 2, len("second"), "seat 0 said third"},
	} {
		r, asked := by[key]
		if !asked || r.N != want.n || len(r.Context) != want.context || r.Fresh != want.fresh || r.Wrote != want.wrote || r.Messages[len(r.Messages)-1].Content != want.last {
			t.Errorf("%s: %+v, want %+v", key, r, want)
		}
	}
}

func TestMatchesOfAProblemOpenAlike(t *testing.T) {
	c := club{numbered: numbered{name: "a"}, players: both, opens: func(match int) string { return fmt.Sprint(match) }}
	r, _ := sat(t, c, func(int, int, int, int) string { return "win" })
	if got := r.Trajectories[1]; got.Outcome != quintain.EnvFailed || !strings.Contains(got.Error, "different messages") {
		t.Errorf("%+v", got)
	}
}

// An evaluation plays the episode of one seat.
func TestEvaluationsHaveNoTables(t *testing.T) {
	var out sink
	e := &Engine{Size: 1, Parallel: 1, Exam: true, Done: out.done, Next: jobs(club{numbered: numbered{name: "a"}, players: both}, 1),
		Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil })}
	if err := e.Run(t.Context()); err != nil || out.results[0].Trajectories[0].Match != nil || out.results[0].Trajectories[0].Reward() != 3 {
		t.Errorf("%+v, error %v", out.results, err)
	}
}

// Groups of a match are kept together, and forfeited episodes belong to none.
func TestPartsAreGroupsOfSeats(t *testing.T) {
	for _, c := range []struct {
		why  string
		keep bool
		say  seatScript
		want string // of each part: its ID with the scores, or the reason
	}{
		{"both teach", false, func(seat, match, turn, _ int) string {
			return [][]string{{"a", "win"}, {"a", "b", "win"}}[match][2*turn+seat]
		}, "@0 [0 1], @1 [1 0]"},
		{"equal scores", false, func(seat, _, _, _ int) string { return []string{"a", "win"}[seat] }, "@0 equal_scores, @1 equal_scores"},
		{"equal scores that are kept", true, func(seat, _, _, _ int) string { return []string{"a", "win"}[seat] }, "@0 [0 0], @1 [1 1]"},
		{"one teaches: an episode is forfeited", false, func(seat, match, turn, _ int) string {
			return [][]string{{"a", "resign"}, {"a", "win"}}[match][2*turn+seat]
		}, "@0 [0], @1 [0 1], @0 forfeited"},
		{"the second never replies: there is no group of it", false, func(_, match, _, _ int) string { return []string{"win", "draw"}[match] }, "@0 [1 0.5]"},
		{"a failure of one is that of both", true, func(seat, match, _, _ int) string {
			return [][]string{{"a", "cheat"}, {"a", "win"}}[match][seat]
		}, "@0 env_failed, @1 env_failed"},
	} {
		r, _ := sat(t, club{numbered: numbered{name: "a"}, players: both}, c.say)
		rules := Rules{Estimator: GRPO, TurnDiscount: 1, KeepEqual: c.keep, Memory: &Memory{}}
		parts, err := rules.JudgeSeats(r)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range parts {
			text := string(p.Drop)
			if (p.Group == nil) != (p.Drop != "") {
				t.Errorf("%s: %+v", c.why, p)
			}
			if p.Group != nil {
				text = fmt.Sprint(p.Group.Scores)
				if err := p.Group.Check(); err != nil || p.Group.ID != p.Job.Problem.ID() || len(p.Trajectories) != len(p.Scores) {
					t.Errorf("%s: group %+v, error %v", c.why, p.Group, err)
				}
			}
			got = append(got, "@"+fmt.Sprint(*p.Job.Problem.Seat)+" "+text)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", c.why, text, c.want)
		}
	}
}

// If no match comes to a reply, there is nothing to learn, and nothing breaks.
func TestMatchesWithoutReplies(t *testing.T) {
	idle := func(seat int) quintain.Trajectory {
		return quintain.Trajectory{Outcome: quintain.Scored, Match: &quintain.Match{Seat: seat}}
	}
	r := Result{Trajectories: []quintain.Trajectory{idle(0), idle(1)}}
	rules := DefaultRules()
	if parts, err := rules.JudgeSeats(r); err != nil || len(parts) != 1 || parts[0].Drop != DropFewTokens || parts[0].Group != nil {
		t.Errorf("%+v, error %v", parts, err)
	}
	if scores := rules.Scores(r); scores != nil {
		t.Errorf("scores %v", scores)
	}
}

// A seat that another player has gives no trajectory.
func TestOnlyThePolicyLearns(t *testing.T) {
	if n := Seats([]Stream{{Scenario: numbered{name: "a"}}, {Scenario: club{players: both}}}); n != 2 {
		t.Errorf("the policy has %d seats, want 2", n)
	}
	r, _ := sat(t, club{numbered: numbered{name: "a"}, players: []string{quintain.PolicyPlayer, "random"}}, func(int, int, int, int) string { return "draw" })
	if len(r.Trajectories) != 2 || r.Trajectories[1].ID != "a.v0.s0.l0.0@0#1" || r.Trajectories[1].Reward() != 0.5 {
		t.Errorf("%+v", r.Trajectories)
	}
	r, _ = sat(t, club{numbered: numbered{name: "a"}, players: []string{quintain.PolicyPlayer, "random"}}, func(int, int, int, int) string { return "a" })
	if got := r.Trajectories[0]; got.Outcome != quintain.EnvFailed || !strings.Contains(got.Error, "wants a reply of seat 1") {
		t.Errorf("a table that wants a reply of another player: %+v", got)
	}
}

func TestCheckPlayed(t *testing.T) {
	of := func(seats ...int) (all []quintain.Trajectory) {
		for _, seat := range seats {
			one := quintain.Trajectory{}
			if seat >= 0 {
				one.Match = &quintain.Match{Seat: seat}
			}
			all = append(all, one)
		}
		return all
	}
	table := club{players: []string{quintain.PolicyPlayer, "random", quintain.PolicyPlayer}}
	for _, c := range []struct {
		why      string
		scenario quintain.Scenario
		seats    []int // of the episodes of a group of 2; -1: no match
		want     string
	}{
		{"no tables", numbered{}, []int{-1, -1}, ""},
		{"an evaluation", nil, []int{-1, -1}, ""},
		{"too few", numbered{}, []int{-1}, "there are 1, want 2"},
		{"a match without a table", numbered{}, []int{-1, 0}, "episode 1 has the match"},
		{"both seats of both matches", table, []int{0, 0, 2, 2}, ""},
		{"an episode is missing", table, []int{0, 0, 2}, "there are 3, want 4"},
		{"no match", table, []int{0, 0, 2, -1}, "episode 3 has the match"},
		{"another player's seat", table, []int{0, 0, 1, 2}, "episode 2 has seat 1, want 2"},
		{"another order", table, []int{0, 2, 0, 2}, "episode 1 has seat 2, want 0"},
	} {
		if err := CheckPlayed(c.scenario, 2, of(c.seats...)); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}
