package nats

import (
	"context"
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
