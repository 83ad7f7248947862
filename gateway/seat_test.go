package gateway

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// A slow policy says how long each reply took.
type slow struct {
	took time.Duration
	got  []quintain.Request
}

func (s *slow) Sample(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
	s.got = append(s.got, r)
	return []quintain.Sample{{Took: s.took}}, nil
}

func TestASeatSharesItsTime(t *testing.T) {
	p := &slow{took: 6 * time.Second}
	at := countCalls(quintain.Seat{Policy: p, Key: "a#1", Within: 10 * time.Second, Exam: true})
	for range 2 {
		if _, err := at.Sample(t.Context(), quintain.Request{Key: "other", N: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := at.Sample(t.Context(), quintain.Request{N: 1}); !errors.Is(err, quintain.ErrTimeout) || len(p.got) != 2 {
		t.Errorf("error %v after %d requests", err, len(p.got))
	}
	for i, want := range []time.Duration{10 * time.Second, 4 * time.Second} {
		if r := p.got[i]; r.Within != want || !r.Exam || r.Key != []string{"a#1~1", "a#1~2"}[i] {
			t.Errorf("request %d: within %v, key %s, exam %t", i, r.Within, r.Key, r.Exam)
		}
	}
}
