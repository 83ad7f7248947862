package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run/fleet/worker"
)

// A worker ends in order when its run is over, whatever it does when it hears so, and says why.
func TestAWorkerEndsWithItsRun(t *testing.T) {
	const why = "it made its 3 steps"
	for _, test := range []struct {
		when     string
		problems int
		delay    time.Duration // of an episode
		fault    func(*http.Request) int
		before   bool // the run is over before the worker comes
		says     string
		last     string // call; empty: any
	}{
		{when: "it waits for leases", says: "0 groups played with 0 episodes", last: "DELETE worker"},
		{when: "it plays all that it can hold", problems: 50, delay: time.Hour, says: "3 leases returned, 0 fenced", last: "DELETE worker"},
		{
			when: "its groups are not taken", problems: 50, delay: time.Second, says: "0 groups played", last: "DELETE worker",
			fault: func(r *http.Request) int {
				if kind(r) == "POST finish" {
					return http.StatusServiceUnavailable
				}
				return 0
			},
		},
		{when: "it comes", before: true, says: "0 groups played", last: "POST workers"},
		{
			when: "it cannot take leave any more", says: "0 groups played",
			fault: func(r *http.Request) int {
				if kind(r) == "DELETE worker" {
					return -1
				}
				return 0
			},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCoordinator(t, test.problems)
			c.fault = test.fault
			over := func() { c.over = why }
			if test.before {
				over()
			}
			p := c.start(func(to *worker.Config) { to.Player.Script.Delay = test.delay })
			if !test.before {
				pause.For(t.Context(), time.Minute)
				c.set(over)
			}
			began := time.Now()
			<-p.done
			if took := time.Since(began); p.err != nil || took > 7*time.Second {
				t.Errorf("%s: it ended after %v with the error %v", test.when, took, p.err)
			}
			has(t, p.text(), "the run is over: "+why, test.says)
			for _, part := range []string{"not delivered", "was not told"} {
				if strings.Contains(p.text(), part) {
					t.Errorf("%s: it says %q:\n%s", test.when, part, p.text())
				}
			}
			if last := c.calls[len(c.calls)-1]; test.last != "" && last != test.last {
				t.Errorf("%s: the last call is %s, want %s", test.when, last, test.last)
			}
		})
	}
}

// A wait for the inference server that the end of the worker cuts is no error, whichever of the two is noticed first.
func TestEnded(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := fmt.Errorf("%w while it waited", quintain.ErrCancelled)
	for _, test := range []struct {
		why  string
		over bool
		err  error
		want error
	}{
		{"the context's end", true, context.Canceled, nil},
		{"a request given up", true, stopped, nil},
		{"a request given up, but the worker goes on", false, stopped, stopped},
		{"another fault", true, io.EOF, io.EOF},
	} {
		ctx := t.Context()
		if test.over {
			ctx = over
		}
		if got := worker.Ended(ctx, test.err); !errors.Is(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.why, got, test.want)
		}
	}
}
