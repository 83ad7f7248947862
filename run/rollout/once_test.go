package rollout

import (
	"context"
	"errors"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestPlay(t *testing.T) {
	policy := sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil })
	job, err := jobs(made{env: func() quintain.Env { return &echo{} }}, 1)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	played, err := Play(t.Context(), policy, quintain.Sampling{}, job)
	if err != nil || played.Outcome != quintain.Scored || len(played.Turns) != 1 {
		t.Errorf("played %+v, error %v", played, err)
	}
	cause := errors.New("no more")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	if _, err := Play(ctx, policy, quintain.Sampling{}, job); !errors.Is(err, cause) {
		t.Errorf("error %v after the end of the context, want its cause", err)
	}
}
