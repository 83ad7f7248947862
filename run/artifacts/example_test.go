package artifacts_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/artifacts"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/trace"
)

// must ends the program with an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A run of a script leaves a trace, metrics and logs in its data folder.
func Example() {
	path := must(os.MkdirTemp("", "artifacts"))
	defer os.RemoveAll(path)
	folder := must(datadir.Open(path, "example"))
	defer folder.Close()
	q := must(queue.Open(context.Background(), queue.NewMemory(), queue.Options{}))
	defer q.Close()

	gym := must(scenario.Find(scenarios.All, "reasoning_gym"))
	streams := []rollout.Stream{{Scenario: must(gym.Over(arithmetic.Tasks()[0], nil)), Seed: 1, Weight: 1}}
	s := player.Default(player.Script)
	s.Script.Delay = 0
	settings := run.Defaults()
	settings.Steps, settings.BatchSize = 2, 16
	r := must(run.Open(context.Background(), run.Config{
		Settings: settings, Rules: rollout.DefaultRules(), Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 2048},
		Streams: streams, Policy: must(s.Solver(streams, 1, func() int32 { return 0 })), Queue: q,
	}))
	files := must(artifacts.Open(r, artifacts.Config{
		Folder: folder, Program: "example", Settings: &settings, Trace: trace.Default(), Metrics: scalars.Default(),
		Dumps: export.DumpSettings{Rollouts: true}, Records: export.Legacy, Rules: rollout.DefaultRules(),
		Register: func(prometheus.Collector) {}, Log: slog.New(slog.DiscardHandler),
	}))
	fmt.Println(errors.Join(r.Run(context.Background()), files.Close()))
	for _, name := range []string{datadir.Trace, datadir.Metrics, datadir.Training, datadir.Evaluations, datadir.Dumps, datadir.Records} {
		_, err := os.Stat(folder.Join(name))
		fmt.Println(name, err == nil)
	}
	// Output:
	// <nil>
	// trace true
	// metrics.jsonl true
	// training.jsonl true
	// examinations.jsonl true
	// dumps true
	// records true
}
