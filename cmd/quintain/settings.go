package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/starter"
	"github.com/quintain-rl/quintain/transformer"
)

// Settings are everything that can be set: the form of the YAML file.
type settings struct {
	Data   string         `yaml:"data"` // folder that keeps all state
	Log    logSettings    `yaml:"log"`
	Server serverSettings `yaml:"server"`
	Hub    hubSettings    `yaml:"hub"`
	Run    runSettings    `yaml:"run"`
	Policy policySettings `yaml:"policy"`
	Model  modelSettings  `yaml:"model"`
	Learn  learn.Settings `yaml:"learn"`
}

type logSettings struct {
	Level  string `yaml:"level"`  // debug, info, warn or error
	Format string `yaml:"format"` // text or json
}

type serverSettings struct {
	Host    string `yaml:"host"`
	Port    int    `yaml:"port"`     // 0: any that is free
	KeyFile string `yaml:"key_file"` // file with the keys of which requests must bring one; needed off loopback
	NATSURL string `yaml:"nats_url"` // NATS server or cluster that keeps the groups; empty: this process does

	NATSReplicas int `yaml:"nats_replicas"` // copies that a cluster keeps
}

type runSettings struct {
	Scenario     string            `yaml:"scenario"` // reasoning_gym or math_multi_turn
	Tasks        taskList          `yaml:"tasks"`
	ShortPrompts bool              `yaml:"short_prompts"` // ask in a few characters, without a system message
	Problems     string            `yaml:"problems"`      // file of problems for math_multi_turn; empty: the tasks
	Seed         uint64            `yaml:"seed"`
	GroupSize    int               `yaml:"group_size"`    // episodes of one problem
	BatchSize    int               `yaml:"batch_size"`    // episodes of one training step
	MaxLag       int               `yaml:"max_lag"`       // policy versions that an episode may be older than its training
	Parallel     int               `yaml:"parallel"`      // episodes under way at once
	Grace        time.Duration     `yaml:"grace"`         // for episodes under way when the run is stopped
	StepTime     time.Duration     `yaml:"step_time"`     // how long the built-in consumer takes for a batch
	Consumer     string            `yaml:"consumer"`      // builtin, or hub: a trainer that takes batches from the hub
	FromScratch  bool              `yaml:"from_scratch"`  // warm a new model up in place of the embedded one
	EvalProblems int               `yaml:"eval_problems"` // of each task, for the examinations before and after; 0: none
	EvalEvery    time.Duration     `yaml:"eval_every"`    // between examinations during the run; 0: none
	Estimator    rollout.Estimator `yaml:"estimator"`
	KeepEqual    bool              `yaml:"keep_equal"`
	MinTrainable int               `yaml:"min_trainable"`
	MaxSequence  int               `yaml:"max_sequence"`
	MaskTooLong  bool              `yaml:"mask_too_long"`
	LengthBudget int               `yaml:"length_budget"`
	Dump         dumpSettings      `yaml:"dump"`
	MultiTurn    multiTurnSettings `yaml:"multi_turn"`
}

type dumpSettings struct {
	Rollouts  bool    `yaml:"rollouts"`  // write groups with a score above Threshold to files
	Failed    bool    `yaml:"failed"`    // write groups in which every score is 0 to files
	Threshold float64 `yaml:"threshold"` // 0 to 1
}

type multiTurnSettings struct {
	Turns         int     `yaml:"turns"`
	StopAtSuccess bool    `yaml:"stop_at_success"`
	Discount      float64 `yaml:"discount"` // of a turn's reward for the turn before it
	RewardBias    float64 `yaml:"reward_bias"`
	RewardScaling float64 `yaml:"reward_scaling"`
}

type policySettings struct {
	Kind     string            `yaml:"kind"`    // tiny, script or openai
	Weights  string            `yaml:"weights"` // of tiny: file to begin with; empty: the embedded one
	Sampling quintain.Sampling `yaml:"sampling"`
	Accuracy float64           `yaml:"accuracy"` // of script
	Delay    time.Duration     `yaml:"delay"`    // of a reply of script
	URL      string            `yaml:"url"`      // of openai: base of the API
	Model    string            `yaml:"model"`
	KeyFile  string            `yaml:"key_file"` // file with the API key
	TokenIDs bool              `yaml:"token_ids"`
	Extra    map[string]any    `yaml:"extra_body"` // added to every request to the openai server
	Timeout  time.Duration     `yaml:"timeout"`    // of one exchange with the server
	Retries  int               `yaml:"retries"`
}

// A modelSettings is the sizes of a model that is made from scratch.
type modelSettings struct {
	Context int `yaml:"context"` // tokens of a conversation at most
	Layers  int `yaml:"layers"`
	Width   int `yaml:"width"`
	Heads   int `yaml:"heads"`
	Hidden  int `yaml:"hidden"` // width within a feed-forward block
}

// config returns the sizes as the model has them.
func (m modelSettings) config() transformer.Config {
	return transformer.Config{Vocab: tiny.Size, Context: m.Context, Layers: m.Layers, Width: m.Width, Heads: m.Heads, Hidden: m.Hidden}
}

// The kinds of policy.
const (
	kindTiny   = "tiny"
	kindScript = "script"
	kindOpenAI = "openai"
)

// defaultSettings are the settings where nothing is said but the kind of policy.
func defaultSettings(kind string) settings {
	sizes := starter.Sizes()
	s := settings{
		Data:   "quintain-data",
		Log:    logSettings{Level: "info", Format: "text"},
		Server: serverSettings{Host: "127.0.0.1", Port: 8000, NATSReplicas: 1},
		Hub:    defaultHub(),
		Run: runSettings{
			Scenario: "reasoning_gym", Seed: 1,
			GroupSize: 8, BatchSize: 64, MaxLag: 2, Parallel: 512,
			Grace: 30 * time.Second, StepTime: 50 * time.Millisecond, Consumer: "builtin",
			Estimator: rollout.GRPO, MinTrainable: 10, MaskTooLong: true,
			Dump:      dumpSettings{Threshold: 0.7},
			MultiTurn: multiTurnSettings{Turns: 5, StopAtSuccess: true, Discount: 1, RewardScaling: 1},
		},
		Policy: policySettings{
			Kind: kind, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 2048},
			Accuracy: 0.6, Delay: 20 * time.Millisecond, Timeout: time.Hour, Retries: 9,
		},
		Model: modelSettings{sizes.Context, sizes.Layers, sizes.Width, sizes.Heads, sizes.Hidden},
		Learn: learn.Default(),
	}
	if kind == kindTiny {
		s.Run.ShortPrompts, s.Run.EvalProblems, s.Run.MinTrainable = true, heldOutCount, 1
		s.Run.MaxLag, s.Run.Parallel, s.Run.StepTime = 4, 256, 0
		s.Run.EvalEvery = 15 * time.Second
		s.Learn.WeightCap = 1       // so small a model changes quickly: what is stale must not count for more than what is not
		s.Learn.LearningRate = 5e-4 // at twice that, now and then a run forgets a task for good
		s.Policy.Sampling.MaxTokens = 24
	}
	return s
}

// A taskChoice is one task of a run.
type taskChoice struct {
	Name   string         `yaml:"name"`
	Level  int            `yaml:"level"`
	Weight float64        `yaml:"weight"` // 0 is taken for 1
	Params map[string]any `yaml:"params,omitempty"`

	raw json.RawMessage // the same, where the program itself chose the task
}

// A taskList is the tasks of a run; empty: all. As a flag it is written
// NAME[:LEVEL],….
type taskList []taskChoice

// Set implements [pflag.Value].
func (l *taskList) Set(text string) error {
	*l = nil
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, level, has := strings.Cut(part, ":")
		choice := taskChoice{Name: name, Weight: 1}
		if has {
			n, err := strconv.Atoi(level)
			if err != nil {
				return fmt.Errorf("the level of %s is %q, want a number", name, level)
			}
			choice.Level = n
		}
		*l = append(*l, choice)
	}
	return nil
}

// String implements [pflag.Value].
func (l *taskList) String() string {
	var parts []string
	for _, c := range *l {
		parts = append(parts, c.Name+":"+strconv.Itoa(c.Level))
	}
	return strings.Join(parts, ",")
}

// Type implements [pflag.Value].
func (l *taskList) Type() string { return "NAME[:LEVEL],…" }

// envPrefix begins the names of the environment variables that stand for flags.
const envPrefix = "QUINTAIN_"

// A loader reads settings from flags, environment and file, in that order of
// precedence.
type loader struct {
	settings
	file string
	w    *world
}

// newLoader returns a loader with the defaults, and gives root the flags of every
// verb.
func newLoader(w *world, root *cobra.Command) *loader {
	l := &loader{settings: defaultSettings(kindTiny), w: w}
	f := root.PersistentFlags()
	f.StringVar(&l.file, "config", "", "YAML file with settings; quintain config prints its form")
	f.StringVar(&l.Log.Level, "log-level", l.Log.Level, "debug, info, warn or error")
	f.StringVar(&l.Log.Format, "log-format", l.Log.Format, "text or json")
	return l
}

// serverFlags gives c the flags of servers, which keep state.
func (l *loader) serverFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.Data, "data", l.Data, "folder that keeps all state")
	f.StringVar(&l.Server.Host, "host", l.Server.Host, "address to listen on; off loopback it needs --key-file")
	f.IntVar(&l.Server.Port, "port", l.Server.Port, "port to listen on; 0 takes any")
	f.StringVar(&l.Server.KeyFile, "key-file", "", "file with the keys of which requests must bring one: KEY, or producer KEY, trainer KEY, admin KEY, a line each")
	f.StringVar(&l.Server.NATSURL, "nats-url", "", "NATS server or cluster that keeps the groups, in place of the data folder")
	f.IntVar(&l.Server.NATSReplicas, "nats-replicas", l.Server.NATSReplicas, "copies that the cluster keeps; 3 survives the loss of a node")
}

// runFlags gives c the flags of a run.
func (l *loader) runFlags(c *cobra.Command) {
	f, r, p := c.Flags(), &l.Run, &l.Policy
	f.StringVar(&r.Scenario, "scenario", r.Scenario, "reasoning_gym or math_multi_turn")
	f.Var(&r.Tasks, "tasks", "tasks with their levels; where it is empty, those that the policy is made for, or all at level 0")
	f.BoolVar(&r.ShortPrompts, "short-prompts", r.ShortPrompts, "ask in a few characters, without a system message, where the task can")
	f.BoolVar(&r.FromScratch, "from-scratch", false, "warm a new model up, where the data folder has none yet, in place of the embedded one")
	f.IntVar(&r.EvalProblems, "eval-problems", r.EvalProblems, "held-out problems of each task, for the examinations before and after; 0: none")
	f.StringVar(&r.Problems, "problems", "", "file of problems for math_multi_turn, a JSON object a line")
	f.Uint64Var(&r.Seed, "seed", r.Seed, "seed of the streams of problems")
	f.IntVar(&r.GroupSize, "group-size", r.GroupSize, "episodes of one problem")
	f.IntVar(&r.BatchSize, "batch-size", r.BatchSize, "episodes of one training step")
	f.IntVar(&r.MaxLag, "max-lag", r.MaxLag, "policy versions that an episode may be older than its training")
	f.IntVar(&r.Parallel, "parallel", r.Parallel, "episodes under way at once")
	f.DurationVar(&r.Grace, "grace", r.Grace, "time for episodes under way when the run is stopped")
	f.DurationVar(&r.StepTime, "step-time", r.StepTime, "how long the built-in consumer takes for a batch")
	f.StringVar(&r.Consumer, "consumer", r.Consumer, "builtin, or hub: a trainer takes the batches from the hub")
	f.BoolVar(&r.Dump.Rollouts, "dump-rollouts", false, "write groups with a good score to DATA/dumps")
	f.BoolVar(&r.Dump.Failed, "dump-failed", false, "write groups in which every score is 0 to DATA/dumps")
	f.IntVar(&r.MultiTurn.Turns, "turns", r.MultiTurn.Turns, "attempts of math_multi_turn")
	f.StringVar(&p.Kind, "policy", p.Kind, "tiny, the model in this program; script, which knows the solutions; or openai, a server that speaks the chat completions API")
	f.StringVar(&p.Weights, "weights", "", "file with weights of the tiny policy")
	f.Float64Var(&p.Accuracy, "accuracy", p.Accuracy, "how often the script policy is right, 0 to 1")
	f.DurationVar(&p.Delay, "delay", p.Delay, "how long a reply of the script policy takes")
	f.StringVar(&p.URL, "url", "", "base of the openai server's API, http://127.0.0.1:8001/v1")
	f.StringVar(&p.Model, "model", "", "name by which the openai server knows the model")
	f.StringVar(&p.KeyFile, "policy-key-file", "", "file with the API key of the openai server")
	f.BoolVar(&p.TokenIDs, "token-ids", false, "ask the openai server for exact tokens (vLLM 0.10.2 and newer)")
	f.DurationVar(&p.Timeout, "timeout", p.Timeout, "of one exchange with the openai server")
	f.IntVar(&p.Retries, "retries", p.Retries, "of one exchange with the openai server")
	f.IntVar(&p.Sampling.MaxTokens, "max-tokens", p.Sampling.MaxTokens, "sampled tokens of one reply at most")
	f.Float64Var(&p.Sampling.Temperature, "temperature", p.Sampling.Temperature, "of sampling")
}

// load reads file and environment below the flags of c, which are parsed, and
// checks the result. An error is a wrong use.
func (l *loader) load(c *cobra.Command) error {
	if l.file == "" {
		l.file = l.w.getenv(envPrefix + "CONFIG")
	}
	given := map[string]string{}
	c.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = f.Value.String() })
	l.settings = defaultSettings(kindTiny)
	err := l.read(c, given)
	if kind := l.Policy.Kind; err == nil && kind != kindTiny {
		l.settings = defaultSettings(kind)
		err = l.read(c, given)
	}
	if err != nil {
		return err
	}
	return l.check()
}

// read reads file, environment and given flags over what is set.
func (l *loader) read(c *cobra.Command, given map[string]string) error {
	if err := l.readFile(); err != nil {
		return err
	}
	var faults []error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, source := l.w.getenv(name), name
		if flag, has := given[f.Name]; has {
			value, source = flag, "--"+f.Name
		}
		if value == "" && given[f.Name] == "" && source == name {
			return
		}
		if err := f.Value.Set(value); err != nil {
			faults = append(faults, usagef("%s: %w", source, err))
		}
	})
	return errors.Join(faults...)
}

// readFile reads the settings file, strictly.
func (l *loader) readFile() error {
	if l.file == "" {
		return nil
	}
	data, err := os.ReadFile(l.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("--config: there is no file %s", l.file)
	case err != nil:
		return usagef("--config: %w", err)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)), yaml.Strict())
	if err := dec.Decode(&l.settings); err != nil && !errors.Is(err, io.EOF) {
		return usagef("%s: %s", l.file, yaml.FormatError(err, false, true))
	}
	return nil
}

// check reports all settings that make no sense.
func (l *loader) check() error {
	r, p := l.Run, l.Policy
	var faults []error
	want := func(ok bool, name string, value any, wanted string) {
		if !ok {
			faults = append(faults, usagef("%s is %v, want %s", name, value, wanted))
		}
	}
	want(l.Data != "", "data", `""`, "a folder")
	want(slices.Contains([]string{"debug", "info", "warn", "error"}, l.Log.Level), "log.level", l.Log.Level, "debug, info, warn or error")
	want(l.Log.Format == "text" || l.Log.Format == "json", "log.format", l.Log.Format, "text or json")
	want(l.Server.Port >= 0 && l.Server.Port < 1<<16, "server.port", l.Server.Port, "0 to 65535")
	want(l.Server.NATSReplicas >= 1 && l.Server.NATSReplicas <= 5, "server.nats_replicas", l.Server.NATSReplicas, "1 to 5")
	l.Hub.check(want)
	want(r.Scenario == "reasoning_gym" || r.Scenario == "math_multi_turn", "run.scenario", r.Scenario, "reasoning_gym or math_multi_turn")
	want(r.Problems == "" || r.Scenario == "math_multi_turn", "run.problems", r.Problems, "nothing unless run.scenario is math_multi_turn")
	want(r.GroupSize >= 1, "run.group_size", r.GroupSize, "1 or more")
	want(r.GroupSize >= 1 && r.BatchSize >= r.GroupSize && r.BatchSize%r.GroupSize == 0, "run.batch_size", r.BatchSize,
		fmt.Sprintf("a multiple of run.group_size, %d", r.GroupSize))
	want(r.MaxLag >= 0, "run.max_lag", r.MaxLag, "0 or more")
	want(r.Parallel >= 1, "run.parallel", r.Parallel, "1 or more")
	want(r.Grace >= 0, "run.grace", r.Grace, "0 or more")
	want(r.StepTime >= 0, "run.step_time", r.StepTime, "0 or more")
	want(r.Consumer == "builtin" || r.Consumer == "hub", "run.consumer", r.Consumer, "builtin or hub")
	want(slices.Contains(rollout.Estimators, r.Estimator), "run.estimator", r.Estimator, fmt.Sprint("one of ", rollout.Estimators))
	want(r.MinTrainable >= 0, "run.min_trainable", r.MinTrainable, "0 or more")
	want(r.MaxSequence >= 0, "run.max_sequence", r.MaxSequence, "0 or more")
	want(r.LengthBudget >= 0, "run.length_budget", r.LengthBudget, "0 or more")
	want(r.Dump.Threshold >= 0 && r.Dump.Threshold <= 1, "run.dump.threshold", r.Dump.Threshold, "0 to 1")
	want(r.MultiTurn.Turns >= 1, "run.multi_turn.turns", r.MultiTurn.Turns, "1 or more")
	want(r.MultiTurn.Discount >= 0 && r.MultiTurn.Discount <= 1, "run.multi_turn.discount", r.MultiTurn.Discount, "0 to 1")
	want(slices.Contains([]string{kindTiny, kindScript, kindOpenAI}, p.Kind), "policy.kind", p.Kind, "tiny, script or openai")
	want(p.Kind != kindTiny || r.Consumer != "hub", "run.consumer", r.Consumer, "builtin: the tiny policy cannot take the weights of another trainer")
	want(p.Weights == "" || p.Kind == kindTiny && !r.FromScratch, "policy.weights", p.Weights, "nothing unless the policy is tiny, and not from scratch")
	want(!r.FromScratch || p.Kind == kindTiny, "run.from_scratch", r.FromScratch, "false unless the policy is tiny")
	want(r.EvalEvery >= 0, "run.eval_every", r.EvalEvery, "0 or more")
	want(r.EvalProblems >= 0, "run.eval_problems", r.EvalProblems, "0 or more")
	want(p.Accuracy >= 0 && p.Accuracy <= 1, "policy.accuracy", p.Accuracy, "0 to 1")
	want(p.Kind != kindOpenAI || p.URL != "", "policy.url", `""`, "the base of the server's API (--url)")
	want(p.Kind != kindOpenAI || p.Model != "", "policy.model", `""`, "a model's name (--model)")
	want(p.Sampling.Temperature >= 0, "policy.sampling.temperature", p.Sampling.Temperature, "0 or more")
	want(p.Sampling.TopP >= 0 && p.Sampling.TopP <= 1, "policy.sampling.top_p", p.Sampling.TopP, "0 to 1")
	want(p.Sampling.TopK >= 0, "policy.sampling.top_k", p.Sampling.TopK, "0 or more")
	want(p.Sampling.MaxTokens >= 0, "policy.sampling.max_tokens", p.Sampling.MaxTokens, "0 or more")
	if err := l.Learn.Check(); err != nil {
		faults = append(faults, usagef("learn: %w", err))
	}
	if err := l.Model.config().Check(); err != nil {
		faults = append(faults, usagef("model: %w", err))
	}
	return errors.Join(faults...)
}

// params returns the choice's own parameters as JSON, or nil for none.
func (c taskChoice) params() (json.RawMessage, error) {
	if c.Params == nil {
		return c.raw, nil
	}
	return json.Marshal(c.Params)
}
