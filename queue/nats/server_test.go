package nats

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	natsio "github.com/nats-io/nats.go"
)

// While a cluster has no leader, questions are lost. A waiting question is answered soon after
// there is a leader, or a new connection.
func TestQuestionsThatAreLost(t *testing.T) {
	for _, c := range []struct {
		why     string
		elected time.Duration // when answers begin
		broken  time.Duration // when the connection breaks
		within  time.Duration
	}{
		{"a leader is elected", 5500 * time.Millisecond, time.Hour, 5500*time.Millisecond + askTime + retryPause},
		{"the slowest election", 9 * time.Second, time.Hour, 9*time.Second + askTime + retryPause},
		{"another server answers", 300 * time.Millisecond, 300 * time.Millisecond, 300*time.Millisecond + retryPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{o: Options{}.withDefaults(), nc: new(natsio.Conn)}
			began := time.Now()
			breaks := time.AfterFunc(c.broken, s.abandon)
			defer breaks.Stop()
			err := s.ask(t.Context(), func(ctx context.Context) error {
				if time.Since(began) >= c.elected {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			})
			if took := time.Since(began); err != nil || took > c.within {
				t.Errorf("%s: %v, error %v, want at most %v", c.why, took, err, c.within)
			}
		})
	}
}

// A write that waits for an earlier one gives up when its own time is up, however late it
// begins.
func TestWriteBehindAnother(t *testing.T) {
	for _, c := range []struct {
		why    string
		held   time.Duration // by the earlier write
		given  time.Duration // by the caller; 0: nothing
		within time.Duration
	}{
		{"nothing is in its way", 0, 0, 10*time.Second + retryPause},
		{"the earlier write takes nearly as long", 9 * time.Second, 0, 10*time.Second + retryPause},
		{"the earlier write takes longer", 15 * time.Second, 0, 10 * time.Second},
		{"the caller has less time", 2 * time.Second, 3 * time.Second, 3*time.Second + retryPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			away, err := natsio.Connect("nats://127.0.0.1:1", natsio.RetryOnFailedConnect(true), natsio.ReconnectBufSize(-1),
				natsio.ReconnectWait(time.Hour), natsio.SetCustomDialer(noDialer{}))
			if err != nil {
				t.Fatal(err)
			}
			defer away.Close()
			s := &store{server: &server{o: Options{}.withDefaults(), nc: away}}
			log := newChain(s, nil, false)
			log.turn <- struct{}{}
			free := time.AfterFunc(c.held, func() { <-log.turn })
			defer free.Stop()
			ctx := t.Context()
			if c.given > 0 {
				var end context.CancelFunc
				ctx, end = context.WithTimeout(ctx, c.given)
				defer end()
			}
			began := time.Now()
			err = log.write(ctx, s.doneMessage(nil))
			if took := time.Since(began); err == nil || took > c.within {
				t.Errorf("%s: %v, error %v, want an error after %v at most", c.why, took, err, c.within)
			}
		})
	}
}

// A noDialer reaches no server.
type noDialer struct{}

func (noDialer) Dial(string, string) (net.Conn, error) { return nil, net.ErrClosed }

// Deletions, which may happen later, do not wait for a leader.
func TestWhatIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{o: Options{}.withDefaults(), nc: new(natsio.Conn)}
		began := time.Now()
		err := s.askOnce(t.Context(), func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if took := time.Since(began); !passing(err) || took > askTime {
			t.Errorf("%v, error %v", took, err)
		}
	})
}
