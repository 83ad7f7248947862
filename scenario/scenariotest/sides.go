package scenariotest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// most is more replies than any match has.
const most = 500

// A said is a reply of a seat.
type said struct {
	seat int
	text string
}

// A played is a match that was played.
type played struct {
	nexts  []quintain.Next
	said   []said
	talks  [2][]quintain.Message
	scores [2]float64
}

// last is how it ended.
func (p *played) last() *quintain.Next { return &p.nexts[len(p.nexts)-1] }

// seated returns the scenario with players.
func (s suite) seated(t *testing.T, players string) quintain.Seated {
	t.Helper()
	of, err := s.game.Scenario.Over(s.game.Task, fmt.Appendf(nil, `{"players":%q}`, players))
	if err != nil {
		t.Fatal(err)
	}
	seated, ok := of.(quintain.Seated)
	if !ok {
		t.Fatalf("with the players %s it has no tables", players)
	}
	return seated
}

// match plays a match to its end, and checks what the table says.
func match(t *testing.T, of quintain.Seated, p quintain.Problem, say func(seat int, talk []quintain.Message) string) (m played) {
	t.Helper()
	table, err := of.Table(p)
	if err != nil {
		t.Fatal(err)
	}
	next, err := table.Open(t.Context())
	for err == nil {
		m.nexts = append(m.nexts, next)
		for seat, reward := range next.Rewards {
			m.scores[seat] += reward
		}
		if next.End != quintain.Going {
			break
		}
		talk := &m.talks[next.Seat]
		if first := len(*talk) == 0; first != (next.Observe[0].Role == quintain.RoleSystem) {
			t.Fatalf("%s: seat %d gets %+v after %d messages", p.ID(), next.Seat, next.Observe, len(*talk))
		}
		if last := next.Observe[len(next.Observe)-1]; last.Role != quintain.RoleUser || len(last.Content) > 1500 {
			t.Fatalf("%s: an observation of %d bytes: %s", p.ID(), len(last.Content), last.Content)
		}
		*talk = append(*talk, next.Observe...)
		if len(m.said) == most {
			t.Fatalf("%s does not end", p.ID())
		}
		text := say(next.Seat, *talk)
		*talk = append(*talk, quintain.Message{Role: quintain.RoleAssistant, Content: text})
		m.said = append(m.said, said{next.Seat, text})
		next, err = table.Step(t.Context(), next.Seat, quintain.Reply{Text: text, Finish: quintain.Stop})
	}
	if err != nil {
		t.Fatalf("%s: %v", p.ID(), err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if sum := m.scores[0] + m.scores[1]; !m.last().Forfeit && math.Abs(sum-1) > 1e-9 {
		t.Errorf("%s: the seats score %v", p.ID(), m.scores)
	}
	return m
}

// sides plays both seats by uniform legal moves, and then the same replies again.
func (s suite) sides(t *testing.T) {
	of := s.seated(t, "self")
	r := rng.New(1, "sides", s.game.Task.Info().Name, fmt.Sprint(s.level))
	for index := range min(s.size.Problems, 5) {
		p := s.problem(t, of, index)
		m := match(t, of, p, func(seat int, talk []quintain.Message) string {
			advice, err := of.AdviseAt(p, seat, talk)
			if err != nil || len(advice.Allowed) == 0 || len(advice.Best) == 0 {
				t.Fatalf("%s: seat %d may reply %+v, error %v", p.ID(), seat, advice, err)
			}
			for _, best := range advice.Best {
				if !slices.Contains(advice.Allowed, best) {
					t.Fatalf("%s: %s is one of the best of %q", p.ID(), best, advice.Allowed)
				}
			}
			return rng.Pick(r, advice.Allowed)
		})
		for _, n := range m.nexts {
			if n.Illegal || n.Malformed || n.Forfeit {
				t.Fatalf("%s: a legal move gets %+v", p.ID(), n)
			}
		}
		at := 0
		again := match(t, of, p, func(seat int, _ []quintain.Message) string {
			at++
			return m.said[at-1].text
		})
		if !reflect.DeepEqual(m, again) {
			t.Errorf("%s goes another way with the same replies", p.ID())
		}
	}
}

// briefs plays the same moves with short prompts.
func (s suite) briefs(t *testing.T) {
	const longest = 500 // bytes: a board may be shown
	of := s.seated(t, "self")
	short, err := s.game.Scenario.Over(s.game.Task, []byte(`{"players":"self","short_prompts":true}`))
	if err != nil {
		t.Fatal(err)
	}
	brief := short.(quintain.Seated)
	r, tagged := rng.New(1, "briefs"), strings.NewReplacer("<move>", "<answer>", "</move>", "</answer>")
	for index := range 2 {
		p := s.problem(t, of, index)
		long := match(t, of, p, func(seat int, talk []quintain.Message) string {
			advice, err := of.AdviseAt(p, seat, talk)
			if err != nil {
				t.Fatal(err)
			}
			return rng.Pick(r, advice.Allowed)
		})
		table, err := brief.Table(s.problem(t, brief, index))
		if err != nil {
			t.Fatal(err)
		}
		next, err := table.Open(t.Context())
		for k, want := range long.nexts {
			if err != nil || next.Seat != want.Seat || next.End != want.End || !slices.Equal(next.Rewards, want.Rewards) {
				t.Fatalf("%s: after %d replies the table says %+v, error %v; with the rules %+v", p.ID(), k, next, err, want)
			}
			if next.End != quintain.Going {
				break
			}
			if m := next.Observe; len(m) != 1 || m[0].Role != quintain.RoleUser || len(m[0].Content) > longest {
				t.Fatalf("%s: seat %d gets %+v", p.ID(), next.Seat, m)
			}
			next, err = table.Step(t.Context(), next.Seat, quintain.Reply{Text: tagged.Replace(long.said[k].text), Finish: quintain.Stop})
		}
	}
}

// forfeits has each seat reply twice without a legal move, in its first turn.
func (s suite) forfeits(t *testing.T) {
	of := s.seated(t, "self")
	p := s.problem(t, of, 0)
	for _, bad := range hostile {
		for loser := range 2 {
			faults := 0
			m := match(t, of, p, func(seat int, talk []quintain.Message) string {
				if seat == loser {
					faults++
					return bad
				}
				advice, err := of.AdviseAt(p, seat, talk)
				if err != nil {
					t.Fatal(err)
				}
				return advice.Best[0]
			})
			if faults == 0 { // it had no turn
				continue
			}
			last := m.last()
			if faults != 2 || !last.Forfeit || last.Malformed == last.Illegal || last.Why == "" || m.scores != [2]float64{} {
				t.Errorf("%s: seat %d says %.40q %d times: %+v, scores %v", p.ID(), loser, bad, faults, last, m.scores)
			}
			if first := m.nexts[len(m.nexts)-2]; first.Seat != loser || !strings.Contains(first.Observe[0].Content, first.Why) || first.Rewards != nil {
				t.Errorf("%s: after the first fault the table says %+v", p.ID(), first)
			}
		}
	}
}

// players plays against the players of the table, and has them play alone after the first reply.
func (s suite) players(t *testing.T) {
	for _, players := range []string{"policy,optimal", "random,policy", "mixed:0.5, policy"} {
		of := s.seated(t, players)
		mine := 0
		if of.Players()[0] != quintain.PolicyPlayer {
			mine = 1
		}
		for index := range 2 {
			p := s.problem(t, of, index)
			match(t, of, p, func(seat int, talk []quintain.Message) string {
				advice, err := of.AdviseAt(p, seat, talk)
				if err != nil || seat != mine {
					t.Fatalf("%s: seat %d of %s replies, error %v", p.ID(), seat, players, err)
				}
				return advice.Best[0]
			})
		}
	}
	s.others(t)
	for _, bad := range []string{"policy,server:", "policy,frozen:", "policy,frozen:-1", "policy,frozen:01", "policy,frozen:latest", "server:x,server:x", "policy", "optimal,random", "policy,best", "policy,mixed:2", "self,self", ",", "policy,policy,policy"} {
		if _, err := s.game.Scenario.Over(s.game.Task, fmt.Appendf(nil, `{"players":%q}`, bad)); err == nil {
			t.Errorf("players %q are no fault", bad)
		}
	}
}

// others has other policies reply, which are asked as the policy is.
func (s suite) others(t *testing.T) {
	for _, players := range []string{"policy,server:x", "frozen:3,policy"} {
		of := s.seated(t, players)
		p, other := s.problem(t, of, 0), slices.IndexFunc(of.Players(), quintain.Opponent)
		m := match(t, of, p, func(seat int, talk []quintain.Message) string {
			advice, err := of.AdviseAt(p, seat, talk)
			if err != nil || len(advice.Allowed) == 0 {
				t.Fatalf("%s: seat %d of %s may reply %+v, error %v", p.ID(), seat, players, advice, err)
			}
			return advice.Allowed[0]
		})
		if asked := len(m.talks[other]) > 0; !asked && len(m.said) > 1 {
			t.Errorf("%s: %s is not asked among %+v", p.ID(), players, m.said)
		}
	}
}
