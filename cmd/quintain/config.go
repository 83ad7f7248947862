package main

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/rollout/curriculum"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/serve"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/tiny/learn"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/trace"
)

// A config is everything that can be set: the form of the settings file. Each part
// belongs to the package that it is of.
type config struct {
	Data       string
	Log        logging
	Server     web.Settings
	Hub        hub.Settings
	Store      host.Store
	Tasks      catalog.Choices
	Mixture    string // file
	Problems   string
	Columns    dataset.Columns
	Scenario   catalog.ScenarioChoice
	Policy     policySettings
	Teacher    server.TeacherSettings
	Run        runSettings
	Curriculum curriculum.Settings
	Rules      rollout.Rules
	Exam       exam.Settings
	Trace      trace.Settings
	Dumps      export.DumpSettings
	Metrics    scalars.Settings
	Model      starter.Sizes
	Learn      learn.Settings
	Fake       fake.Settings
	Serve      serve.Settings

	notes io.Writer // gets what people should know of the settings
}

// Declare implements [settings.Declarer].
func (c *config) Declare(d *settings.Section) {
	d.Text(&c.Data, "data", "folder that keeps all state").Given("a folder")
	d.Value(&c.Tasks, "tasks", "tasks with their levels, such as chain_sum:0-3=2 for four levels of weight 2 together; composite: all tasks; none: those that the policy is made for, or all at level 0")
	d.Text(&c.Mixture, "mixture", "file of tasks with their weights, in YAML, in the form of reasoning-gym's composite, in place of the tasks")
	d.Text(&c.Problems, "problems", "file of problems with gold answers, JSON lines or Parquet, in place of the tasks")
	d.Prefixed(&c.Columns, "columns", "the columns of the file of problems")
	d.Section(&c.Scenario, "scenario", "how problems are played")
	d.Section(&c.Policy, "policy", "what plays")
	d.Prefixed(&c.Teacher, "teacher", "what scores the tokens of groups, for distillation")
	d.Section(&c.Run, "run", "the run")
	d.Prefixed(&c.Curriculum, "curriculum", "how the levels of the tasks change")
	d.Section(&c.Rules, "rules", "how groups are made of episodes")
	d.Section(&c.Exam, "exam", "an examination by quintain eval")
	d.Section(&c.Trace, "trace", "the trace of every episode, below the data folder")
	d.Section(&c.Dumps, "dumps", "rollouts in the form of Atropos, below the data folder")
	d.Section(&c.Metrics, "metrics", "where the numbers of the run go, step by step")
	d.Section(&c.Log, "log", "what is written to standard error")
	d.Section(&c.Server, "server", "the HTTP server of the hub")
	d.Section(&c.Hub, "hub", "the hub between environments and trainers")
	d.Section(&c.Store, "store", "where the groups of the hub are kept")
	d.Prefixed(&c.Model, "model", "sizes of a model that is made from scratch")
	d.Prefixed(&c.Learn, "learn", "training of the tiny policy")
	d.Section(&c.Serve, "serve", "the problems and grades of all tasks over HTTP")
	d.Section(&c.Fake, "fake", "the inference server without a model")
}

// uses are the settings of each verb. A verb knows no others.
func uses() map[string][]string {
	problems := []string{"tasks", "mixture", "problems", "columns", "scenario"}
	hubs := []string{"data", "log", "server", "hub", "store"}
	tokens := []string{"policy.tokenizer", "policy.tokenizer_config", "policy.chat_template", "policy.template_vars", "policy.vocabulary"}
	levels := []string{"curriculum", "-curriculum.mode", "-curriculum.target_accuracy"}
	return map[string][]string{
		"run":      slices.Concat(hubs, problems, []string{"policy", "teacher", "run", "curriculum", "rules", "trace", "dumps", "metrics", "model", "learn"}),
		"eval":     slices.Concat([]string{"data", "log"}, problems, []string{"policy", "-policy.from_scratch", "exam", "run.seed", "run.parallel", "run.replays", "run.episode_time"}),
		"ask":      {"data", "scenario", "policy", "-policy.from_scratch", "run.seed", "log"},
		"view":     {"data", "log", "server", "policy.tokenizer"},
		"pretrain": {"tasks", "scenario", "model", "log"},
		"hub":      append(slices.Clone(hubs), "serve"),
		"serve":    {"log", "server", "serve", "-serve.hub"},
		"config":   {""},

		"scenarios check": {"scenario.program", "run.seed", "log"},

		"env serve":    slices.Concat([]string{"data", "log", "tasks", "mixture"}, tokens, levels, []string{"run.replays", "run.grace", "run.report", "trace", "metrics", "store.min_free"}),
		"env evaluate": slices.Concat([]string{"log", "tasks", "mixture"}, tokens, []string{"exam.samples", "exam.max_failed", "run.replays"}),
		"env process":  slices.Concat([]string{"data", "log", "tasks", "mixture"}, tokens, levels, []string{"run.replays", "run.grace"}),
		"fake-server": {
			"server.host", "server.port", "server.key_file", "policy.tokenizer", "policy.tokenizer_config", "policy.chat_template", "fake",
		},
	}
}

// verbsOf lists the verbs that use a setting.
func verbsOf(path string) (verbs []string) {
	form := settings.New(defaults(kindTiny))
	for _, verb := range slices.Sorted(maps.Keys(uses())) {
		for _, s := range form.Use(uses()[verb]...).Settings() {
			if s.Path() == path && verb != "config" {
				verbs = append(verbs, verb)
			}
		}
	}
	return verbs
}

// defaults returns the settings if only the kind of the policy is given.
func defaults(kind string) *config {
	c := &config{
		Data: "quintain-data", Log: logging{"info", "text"}, Server: web.Default(), Hub: hub.Default(), Store: host.DefaultStore(),
		Scenario: catalog.DefaultScenario(), Policy: defaultPolicy(kind), Run: runSettings{Of: run.Defaults(), Consumer: consumerBuiltin},
		Curriculum: curriculum.Default(), Rules: rollout.DefaultRules(), Exam: exam.Defaults(), Trace: trace.Default(), Dumps: export.DefaultDumps(),
		Metrics: scalars.Default(), Model: starter.DefaultSizes(), Learn: learn.Default(), Fake: fake.Defaults(), Serve: serve.Default(), notes: io.Discard,
	}
	switch kind {
	case kindScript:
		c.Run.Of.StepTime = 50 * time.Millisecond
	case kindTiny:
		c.Scenario.Set("reasoning_gym", "short_prompts", "true")
		for name, value := range map[string]string{"short_prompts": "true", "feedback_right": `"yes"`, "feedback_wrong": `"no"`, "feedback_none": `"what"`} {
			c.Scenario.Set("math_multi_turn", name, value)
		}
		c.Run.Of.ExamProblems, c.Run.Of.ExamEvery = exam.DefaultProblems, 15*time.Second
		c.Run.Of.MaxLag, c.Run.Of.Parallel = 4, 256
		c.Run.Of.GroupSize = 16 // so that fewer groups are equal than of 8
		c.Curriculum.Mode, c.Curriculum.Memory, c.Curriculum.Floor = curriculum.Adaptive, 6, 0.08
		c.Rules.MinTrainable = 1
		c.Learn.WeightCap = 1       // so small a model changes quickly: what is stale must not count for more than what is not
		c.Learn.LearningRate = 2e-4 // a step has few groups: at 5e-4, levels that were solved are forgotten
		c.Policy.Sampling.MaxTokens = 36
	}
	return c
}

// examineAsAtropos sets the defaults of an examination to those of Atropos' ReasoningGym
// environment.
func (c *config) examineAsAtropos() {
	c.Run.Of.Seed = atropos.Seed
	c.Exam.Problems, c.Exam.Seed, c.Exam.Split = atropos.EvalProblems, atropos.EvalSeed, exam.BothSides
	c.Policy.Sampling.Temperature, c.Policy.Sampling.MaxTokens = atropos.EvalTemperature, atropos.EvalMaxTokens
}

// logging is how the program logs.
type logging struct{ Level, Format string }

// Declare implements [settings.Declarer].
func (l *logging) Declare(d *settings.Section) {
	d.Text(&l.Level, "level", "least level of what is logged").OneOf("debug", "info", "warn", "error").Flag("log-level")
	d.Text(&l.Format, "format", "form of the log").OneOf("text", "json").Flag("log-format")
}

// logger returns the log that w's standard error gets.
func (l logging) logger(w *world) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(w.stderr, options))
	}
	return slog.New(slog.NewTextHandler(w.stderr, options))
}

// runSettings are those of a run, with what the program adds.
type runSettings struct {
	Of       run.Settings
	Consumer string // consumerBuiltin or consumerHub
	Report   string // file for the report; empty: none
	Records  string // arealPrefix and an [export.Mode]; empty: none
}

// arealPrefix comes before a mode of AReaL's records.
const arealPrefix = "areal-"

// Who takes the batches of a run.
const (
	consumerBuiltin = "builtin"
	consumerHub     = "hub"
)

// Declare implements [settings.Declarer].
func (r *runSettings) Declare(d *settings.Section) {
	r.Of.Declare(d)
	d.Text(&r.Consumer, "consumer", "who takes the batches: this program, or a trainer from the hub").OneOf(consumerBuiltin, consumerHub)
	d.Text(&r.Report, "report", "file that gets a report of the run as JSON")
	records := []string{""}
	for _, mode := range export.Modes {
		records = append(records, arealPrefix+string(mode))
	}
	d.Text(&r.Records, "records", "form of AReaL in which episodes are kept as well, below the data folder; empty: none").OneOf(records...)
}

// Check implements [settings.Checker].
func (r *runSettings) Check() error { return r.Of.Check() }

// configVariable names the settings file if no flag does.
const configVariable = settings.Prefix + "CONFIG"

// sources gathers where settings come from: the file, the environment, and flags by
// path. The file is read once.
func (w *world) sources(file string, flags map[string]string) (settings.Sources, error) {
	if file == "" {
		file = w.getenv(configVariable)
	}
	from := settings.Sources{File: file, Environ: w.environ(), Others: []string{configVariable}, Flags: flags}
	if file == "" {
		return from, nil
	}
	var err error
	from.Data, err = os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return from, usagef("--config: there is no file %s", file)
	case err != nil:
		return from, usagef("--config: %w", err)
	}
	return from, nil
}

// loadConfig reads the settings of a verb. What is wrong with them is a wrong use.
func (w *world) loadConfig(verb, file string, flags map[string]string) (*config, error) {
	from, err := w.sources(file, flags)
	if err != nil {
		return nil, err
	}
	// The defaults of many settings follow the kind of policy, which is a setting too.
	c := defaults(kindTiny)
	if err := settings.New(c).Use(uses()[verb]...).Load(from); err != nil && settings.Check(&c.Policy) != nil {
		return nil, usageError{err}
	}
	first, kind := c, c.Policy.Kind
	if strings.HasPrefix(verb, "env ") {
		kind = kindServer
	}
	c = defaults(kind)
	if first.Exam.Rule == exam.AtroposRule {
		c.examineAsAtropos()
	}
	if len(first.Tasks) > 0 || first.Problems != "" || first.Mixture != "" {
		c.Curriculum.Mode = curriculum.None // the levels that were asked for
	}
	if kind == kindTiny && first.Scenario.Name == "math_multi_turn" {
		c.Run.Of.MaxLag = 1 // from older replies of several turns it learns little
	}
	if err := settings.New(c).Use(uses()[verb]...).Load(from); err != nil {
		return nil, usageError{err}
	}
	c.notes = w.stderr
	return c, nil
}
