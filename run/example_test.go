package run_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/words"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// must ends the program with an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// The main job: the model in the box learns a task from its own episodes.
func Example() {
	folder := must(os.MkdirTemp("", "quintain"))
	defer os.RemoveAll(folder)

	spell := must(must(task.NewSet(words.Tasks())).Get("spell_backward"))
	short := must(spell.With([]byte(`{"min_word_len":3,"max_word_len":3}`)))
	gym := must(must(scenario.Find(scenarios.All, "reasoning_gym")).Over(short, []byte(`{"short_prompts":true}`)))

	sizes := starter.DefaultSizes()
	trainer := must(starter.OpenTrainer(starter.Training{
		Path: folder + "/checkpoint", Sizes: sizes.Config(), Learn: tiny.Default(),
		Fresh: func() (*transformer.Model, error) { return must(starter.Load("")).Model, nil },
	}))
	q := must(queue.Open(context.Background(), queue.NewMemory(), queue.Options{}))
	defer q.Close()

	settings, rules := run.Defaults(), rollout.DefaultRules()
	settings.Steps, settings.BatchSize, rules.MinTrainable = 3, 16, 1
	r := must(run.Open(context.Background(), run.Config{
		Settings: settings, Rules: rules, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 24},
		Streams: []rollout.Stream{{Scenario: gym, Seed: 1, Weight: 1}},
		Policy:  trainer.Policy(), Trainer: run.Trainer{Consumer: run.Train(trainer)}, Queue: q,
	}))
	if err := r.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	report := r.Report()
	fmt.Println(report.Steps, "steps on", report.Tasks[0].Label, "to version", report.Version)
	// Output: 3 steps on spell_backward to version 3
}
