// Command pretrain makes a new model that imitates the tasks' own solutions, and writes its weights
// to a file. It skips held-out problems. Without flags it makes the file that the same build of the
// program embeds, byte for byte. With the -scenario of a game it makes first weights for that game,
// in the way of the embedded ones.
//
// An interrupt keeps the unfinished model beside the file, and the same command continues it.
//
//	go run ./tiny/pretrain starter.weights
//	go run ./tiny/pretrain -scenario slippery_grid ice.weights
//	go run ./tiny/pretrain -with tasks=spell_backward:0,chain_sum:0 -updates 1000 mine.weights
//	quintain run --weights mine.weights
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A school is a model to be made, with its problems.
type school struct {
	Source catalog.Source
	Model  starter.Sizes
	warm   starter.WarmUp
	path   string // of the weights
}

// Declare implements [settings.Declarer].
func (s *school) Declare(d *settings.Section) {
	s.Source.Declare(d)
	d.Section(&s.Model, "model", "sizes of a model made from scratch")
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	s, err := open(os.Args[1:], os.Stderr)
	if err == nil {
		err = s.make(ctx, os.Stderr)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pretrain:", err)
		os.Exit(1)
	}
}

// open reads the flags of the program; their help goes to out.
func open(args []string, out io.Writer) (*school, error) {
	s := &school{Source: catalog.Source{Scenario: catalog.DefaultScenario()}, Model: starter.DefaultSizes()}
	f := flag.NewFlagSet("pretrain", flag.ContinueOnError)
	f.SetOutput(out)
	scenario := f.String("scenario", "reasoning_gym", "game to be played")
	config := f.String("config", "", "YAML file with settings")
	updates := f.Int("updates", 0, "supervised updates; 0: as many as for the embedded weights")
	batch := f.Int("batch", 0, "examples per update; 0: as many as for the embedded weights")
	seed := f.Uint64("model-seed", starter.DefaultWarmUp("").Seed, "seed of the first parameters")
	given := map[string]settings.Given{}
	f.Func("with", "`KEY=VALUE` of a setting: tasks, scenario or model; may be given several times", func(text string) error {
		key, value, has := strings.Cut(text, "=")
		if !has {
			return errors.New("want KEY=VALUE")
		}
		given[key] = settings.Given{Text: value, By: "-with " + key}
		return nil
	})
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() != 1 || *updates < 0 || *batch < 0 {
		return nil, errors.New("want one file for the weights, and -updates and -batch of 0 or more")
	}
	given["scenario"] = settings.Given{Text: *scenario, By: "-scenario"}
	s.warm, s.path = starter.DefaultWarmUp(*scenario), f.Arg(0)
	if *updates > 0 {
		s.warm.Updates = *updates
	}
	if *batch > 0 {
		s.warm.Batch = *batch
	}
	s.warm.Seed = *seed
	return s, s.load(*scenario, *config, given)
}

// load sets the settings, over those that suit the scenario.
func (s *school) load(scenario, file string, given map[string]settings.Given) error {
	preset := starter.Preset(scenario)
	for key := range preset {
		if !strings.HasPrefix(key, "model.") {
			delete(preset, key)
		}
	}
	s.Source.Scenario.Suit(starter.Scenario)
	if err := settings.New(s).Preset(preset); err != nil {
		return err
	}
	from := settings.Sources{Flags: given}
	if err := from.ReadFile(file); err != nil {
		return err
	}
	form := settings.New(s).Use("tasks", "scenario", "environment", "model")
	for key := range given {
		if _, err := form.Find(key); err != nil {
			return fmt.Errorf("-with %s: %w", key, err)
		}
	}
	err := form.Load(from)
	s.warm.Sizes, s.warm.Path = s.Model.Config(), s.path+".unfinished"
	return err
}

// make makes the model, writes it, and says how far it is.
func (s *school) make(ctx context.Context, said io.Writer) error {
	defer s.Source.Scenario.Stop()
	if err := s.Source.Scenario.Start(ctx, slog.New(slog.NewTextHandler(said, nil))); err != nil {
		return err
	}
	lessons := func(*task.Set) catalog.Choices { return catalog.Lessons(s.Source.Scenario.Name) }
	streams, err := s.Source.Streams(lessons, run.Defaults().Seed)
	if err != nil {
		return err
	}
	s.warm.Told = func(update int, loss float64) {
		if update%50 == 0 {
			fmt.Fprintf(said, "update %d of %d: loss %.3f\n", update, s.warm.Updates, loss)
		}
	}
	model, err := player.WarmUp(ctx, s.warm, streams)
	if err != nil {
		return err
	}
	data, err := tiny.WriteWeights(transformer.Checkpoint{Model: model}, nil, transformer.Float16)
	if err != nil {
		return err
	}
	return datadir.WriteFile(s.path, data)
}
