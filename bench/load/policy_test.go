//go:build heavy

package main

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/fake"
)

// A clock is a generator that takes 10 ms per token, and fails every tenth time.
type clock struct {
	asked atomic.Int64
	fails bool
}

func (*clock) Can() policy.Abilities { return policy.Abilities{} }

func (c *clock) Generate(_ context.Context, p policy.Prompt) ([]policy.Output, error) {
	if c.asked.Add(1)%10 == 0 && c.fails {
		return nil, errors.New("out of cheese")
	}
	time.Sleep(time.Duration(p.Sampling.MaxTokens)*10*time.Millisecond + 3*time.Millisecond)
	return []policy.Output{{Tokens: policy.Encode(strings.Repeat("x", p.Sampling.MaxTokens))}}, nil
}

func TestALoadIsMeasured(t *testing.T) {
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := StreamLoad{
				Streams: 50, Rounds: 2, Ramp: time.Second, Prompt: 5, Tokens: 20,
				Ideal: func(n int) time.Duration { return time.Duration(n) * 10 * time.Millisecond },
			}
			row, err := l.Run(t.Context(), &clock{fails: fails})
			if err != nil {
				t.Fatal(err)
			}
			errs := 0
			if fails {
				errs = 10
			}
			if row.Errors != errs || row.Requests != 100-errs || row.LatencyP99 != 203 || row.AddedP50 != 3 || row.AddedP99 != 3 || row.MostAtOnce > 50 {
				t.Errorf("measured %+v", row)
			}
			if !fails && (math.Abs(row.Seconds-1.386) > 1e-9 || math.Abs(row.TokensPerS-2000/1.386) > 1e-6) {
				t.Errorf("it took %v s at %v tokens a second", row.Seconds, row.TokensPerS)
			}
		})
	}
}

func TestLoadsAreChecked(t *testing.T) {
	t.Parallel()
	for _, l := range []StreamLoad{{Rounds: 1, Prompt: 1}, {Streams: 1, Prompt: 1}, {Streams: 1, Rounds: 1}, {Streams: 1, Rounds: 1, Prompt: 1, Tokens: -1}} {
		if l.Check() == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}

func TestAMeasurementRecognisesTheServer(t *testing.T) {
	t.Parallel()
	like := fake.Defaults()
	like.Shape, like.Rate, like.FirstToken = string(fake.VLLM), 0, 0
	server, err := fake.New(fake.Config{Server: like})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	defer web.Close()
	m := DefaultStreams()
	if err := m.Check(); err == nil {
		t.Error("neither a fake server nor an address is taken")
	}
	if err := m.Flags().Parse([]string{"-url", web.URL, "-streams", "8", "-rounds", "2", "-ramp", "0s", "-tokens", "20"}); err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), io.Discard)
	if err != nil || r.Server != engines.KindVLLM || r.Requests != 16 || r.Errors != 0 {
		t.Errorf("measured %+v, error %v", r, err)
	}
}
