package rollout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// What another policy does is never a reward of its opponent's, but by the result of a whole match.
func TestOpponentsArePartOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		why   string
		other string   // its reply in the second match, after "a" of the policy; in the first it loses
		want  []string // of the policy's trajectories
		err   string   // a part of the second's
	}{
		{"it wins", "win", []string{"@0#0 scored a=1 right", "@0#1 scored a=0"}, ""},
		{"it loses", "lose", []string{"@0#0 scored a=1 right", "@0#1 scored a=1 right"}, ""},
		{"it gives up", "resign", []string{"@0#0 scored a=1 right", "@0#1 forfeited a=0"}, "seat 1 gave the match up"},
		{"its first prompt leaves no room", "full", []string{"@0#0 scored a=1 right", "@0#1 env_failed a=0"}, "seat 1, server:x: "},
		{"its server is down", "", []string{"@0#0 scored a=1 right", "@0#1 infra_failed a=0"}, "seat 1, server:x: no server"},
		{"its server is too slow", "slow", []string{"@0#0 scored a=1 right", "@0#1 env_failed a=0"}, "seat 1, server:x: "},
		{"its server refuses", "refused", []string{"@0#0 scored a=1 right", "@0#1 env_failed a=0"}, "no such model"},
		{"its reply is invalid", "false", []string{"@0#0 scored a=1 right", "@0#1 infra_failed a=0"}, "0 versions for 1 tokens"},
		{"the run stops", "stopped", []string{"@0#0 scored a=1 right", "@0#1 cancelled a=0"}, quintain.ErrCancelled.Error()},
		{"the table fails after its reply", "break", []string{"@0#0 scored a=1 right", "@0#1 env_failed a=0"}, "the table broke"},
		{"the scores are wrong", "cheat", []string{"@0#0 scored a=1 right", "@0#1 env_failed a=0.75"}, "want 1"},
	} {
		r, requests := sat(t, club{numbered: numbered{name: "a"}, players: []string{quintain.PolicyPlayer, "server:x"}}, func(seat, match, _, _ int) string {
			return [][]string{{"a", "a"}, {"lose", c.other}}[seat][match]
		})
		var got []string
		for i := range r.Trajectories {
			got = append(got, strings.TrimPrefix(short(&r.Trajectories[i]), "a.v0.s0.l0.0"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
		if text := r.Trajectories[1].Error; !strings.Contains(text, c.err) || (text == "") != (c.err == "") {
			t.Errorf("%s: the error is %q, want %q", c.why, text, c.err)
		}
		if again := c.want[1] == "@0#1 infra_failed a=0"; r.Again != again {
			t.Errorf("%s: another try is worthwhile: %v, want %v", c.why, r.Again, again)
		}
		for _, q := range requests {
			if other := strings.Contains(q.Key, "@1"); (q.Sampling.MaxTokens == 7) != other {
				t.Errorf("%s: request %s with %+v", c.why, q.Key, q.Sampling)
			}
		}
	}
}

// Its server failed once: the whole match is played again.
func TestAMatchIsPlayedAgainAfterItsOpponentFailed(t *testing.T) {
	r, _ := sat(t, club{numbered: numbered{name: "a"}, players: []string{"server:x", quintain.PolicyPlayer}}, func(seat, match, _, try int) string {
		if seat == 0 && match == 1 && try == 0 {
			return ""
		}
		return []string{"a", "win"}[seat]
	})
	for i := range r.Trajectories {
		if got := &r.Trajectories[i]; got.Outcome != quintain.Scored || got.Match.Seat != 1 || got.Reward() != 1 || got.Replays != 1 {
			t.Errorf("%s", short(got))
		}
	}
}

// The match keeps what the other policy read and wrote, and its seat gives no trajectory.
func TestAMatchKeepsWhatOpponentsSaid(t *testing.T) {
	r, requests := sat(t, club{numbered: numbered{name: "a"}, players: []string{"server:x", quintain.PolicyPlayer}}, func(seat, _, turn, _ int) string {
		return []string{"first", "second", "third", "draw"}[2*turn+seat]
	})
	if len(r.Trajectories) != 2 || len(requests) != 7 || requests[0].N != 2 || requests[0].Sampling.MaxTokens != 7 {
		t.Fatalf("%d trajectories of the requests %+v", len(r.Trajectories), requests)
	}
	for _, of := range r.Trajectories {
		others := of.Match.Others
		if len(others) != 1 || others[0].Seat != 0 || !alternate(others[0].Messages) {
			t.Fatalf("others said %+v", others)
		}
		var said []string
		for _, m := range others[0].Messages {
			said = append(said, m.Content)
		}
		if want := []string{"open", "first", "seat 1 said second", "third"}; !slices.Equal(said, want) {
			t.Errorf("it said %q, want %q", said, want)
		}
	}
}

// What another policy says first is drawn once, also for a match that is played again.
func TestOthersOpenTogether(t *testing.T) {
	n := 0
	r, requests := sat(t, club{numbered: numbered{name: "a"}, joined: true, players: []string{"server:x", quintain.PolicyPlayer}}, func(seat, match, _, try int) string {
		if seat == 1 {
			return map[bool]string{true: "", false: "win"}[match == 1 && try == 0]
		}
		n++
		return fmt.Sprintf("number %d", n)
	})
	drawn := 0
	for _, q := range requests {
		if q.Sampling.MaxTokens == 7 {
			drawn += q.N
		}
	}
	if drawn != 1 || len(r.Trajectories) != 2 {
		t.Errorf("%d first messages are drawn, %d trajectories", drawn, len(r.Trajectories))
	}
	for i := range r.Trajectories {
		got := &r.Trajectories[i]
		if read := got.Turns[0].Observed; got.Outcome != quintain.Scored || read[0].Content != "seat 0 said number 1" {
			t.Errorf("%s reads %v", short(got), read)
		}
	}
}

func TestOpponentsAreNamed(t *testing.T) {
	names := Opponents([]Stream{
		{Scenario: numbered{name: "a"}}, {Scenario: club{players: both}}, {Scenario: club{players: []string{"frozen:3", quintain.PolicyPlayer}}},
		{Scenario: club{players: []string{quintain.PolicyPlayer, "server:x"}}}, {Scenario: club{players: []string{quintain.PolicyPlayer, "random"}}},
		{Scenario: club{players: []string{quintain.PolicyPlayer, "server:x"}}},
	})
	if want := []string{"frozen:3", "server:x"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	r, _ := sat(t, club{numbered: numbered{name: "a"}, players: []string{"server:y", quintain.PolicyPlayer}}, func(int, int, int, int) string { return "win" })
	for _, of := range r.Trajectories {
		if of.Outcome != quintain.EnvFailed || of.Error != "nobody plays server:y here" {
			t.Errorf("%s: %s", short(&of), of.Error)
		}
	}
}
