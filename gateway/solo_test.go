package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
)

func TestASoloEndsAtItsTime(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		after  time.Duration
		want   string
	}{
		{Limits{Calls: 1, Seconds: 90}, 91 * time.Second, "it took more than 90 seconds"},
		{Limits{Calls: 1, Seconds: 90, Idle: 30}, 31 * time.Second, "no call came for 30 seconds"},
	} {
		synctest.Test(t, func(t *testing.T) {
			how := Defaults()
			how.Limits = c.limits
			s, err := NewSolo(how, quintain.Seat{Policy: &parrot{}, Key: "a"}, quintain.Problem{})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			s.Watch(t.Context())
			if took := time.Since(began); took != c.after {
				t.Errorf("it ended after %v, want %v", took, c.after)
			}
			if _, err := s.Close(); !errors.Is(err, quintain.ErrTimeout) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // the end of the context is not that of the session
		s, err := NewSolo(Defaults(), quintain.Seat{Policy: &parrot{}, Key: "a"}, quintain.Problem{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		s.Watch(ctx)
		if _, err := s.Close(); err == nil || !strings.Contains(err.Error(), "no call of its model") {
			t.Errorf("error %v", err)
		}
	})
}

// A client that takes gzip has a long reply once its last byte has left, as any other.
func TestLongRepliesArrive(t *testing.T) {
	b := open(t, nil)
	made := b.make(`{"name": "long", "prompt": "?", "of": 2}`)
	for _, s := range made.Sessions {
		b.policy.says = []string{strings.Repeat("well ", 1000)}
		b.chatWith(s, map[string]any{"messages": []quintain.Message{user("?")}})
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	}
	for _, played := range b.result().Trajectories {
		if played.Outcome != quintain.Scored || slices.ContainsFunc(played.Turns, func(t quintain.Turn) bool { return !t.Used() || t.Call.Took <= 0 }) {
			t.Errorf("%s: %s: %+v", played.Outcome, played.Error, played.Turns)
		}
	}
}
