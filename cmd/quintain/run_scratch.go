package main

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// warmUp warms a model up and shows the progress.
func (w *world) warmUp(ctx context.Context, warm starter.WarmUp, streams []rollout.Stream) (*transformer.Model, error) {
	bar := screen.NewBar(w.screen(), "warming up a model")
	defer bar.End()
	warm.Told = func(update int, loss float64) { bar.Show(update, warm.Updates, fmt.Sprintf("loss %.3f", loss)) }
	return player.WarmUp(ctx, warm, streams)
}
