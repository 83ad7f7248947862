package main

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/artifacts"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/serve"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/trace"
)

// A config has all settings, in the form of the settings file. Each part belongs to its
// package.
type config struct {
	Data       string
	Log        flags.LogSettings
	Server     web.Settings
	Hub        hub.Settings
	Store      host.Store
	Source     catalog.Source
	Policy     player.Settings
	Teacher    server.TeacherSettings
	Run        player.RunSettings
	Curriculum curriculum.Settings
	Rules      rollout.Rules
	Sessions   gateway.SessionRules
	Gateway    gateway.Settings
	Fleet      fleet.Settings
	Exam       exam.Settings
	Trace      trace.Settings
	Dumps      export.DumpSettings
	Metrics    scalars.Settings
	OTLP       artifacts.OTLPSettings
	Model      starter.Sizes
	Learn      tiny.Settings
	Fake       fake.Settings
	Serve      serve.Settings
	Worker     worker.Settings
	Images     image.Limits

	language bool      // the model in the program is a language model
	notes    io.Writer // gets messages about the settings
	getenv   func(string) string
}

// Declare implements [settings.Declarer].
func (c *config) Declare(d *settings.Section) {
	d.Text(&c.Data, "data", "folder that keeps all state").Given("a folder").Flag("data")
	c.Source.Declare(d)
	d.Section(&c.Policy, "policy", "who plays")
	d.Section(&c.Teacher, "teacher", "model that scores the tokens of groups, for distillation")
	d.Section(&c.Run, "run", "the run")
	d.Section(&c.Curriculum, "curriculum", "how the levels of the tasks change")
	d.Section(&c.Rules, "rules", "how episodes become groups")
	d.Section(&c.Exam, "exam", "evaluations by quintain eval")
	d.Section(&c.Model, "model", "sizes of the model in the program")
	d.Section(&c.Learn, "learn", "training of the tiny policy")
	d.Section(&c.Sessions, "sessions", "sessions of agents: of programs that are started here, and of those elsewhere")
	d.Section(&c.Store, "store", "where the groups of the hub are kept")
	d.Section(&c.Trace, "trace", "the trace of every episode, below the data folder")
	d.Section(&c.Dumps, "dumps", "rollouts in the form of Atropos, below the data folder")
	d.Section(&c.Metrics, "metrics", "where the metrics of the run go, step by step")
	d.Section(&c.OTLP, "otlp", "spans of the run, for a collector of OpenTelemetry")
	d.Section(&c.Log, "log", "log on standard error")
	d.Section(&c.Server, "server", "the HTTP server of the hub")
	d.Section(&c.Hub, "hub", "the hub between environments and trainers")
	d.Section(&c.Gateway, "gateway", "sessions of agents elsewhere")
	d.Section(&c.Fleet, "fleet", "workers elsewhere")
	d.Section(&c.Worker, "worker", "the worker of a run elsewhere")
	d.Section(&c.Serve, "serve", "problems and grades of all tasks over HTTP")
	d.Section(&c.Fake, "fake", "the inference server without a model")
	d.Section(&c.Images, "images", "images for the trials of Harbor tasks")
}

// uses lists the settings of each verb. A verb knows no others.
func uses() map[string][]string {
	problems := []string{"tasks", "mixture", "problems", "columns", "scenario", "examples", "judge", "environment", "harbor", "tools", "agent", "sessions", "sandbox"}
	hubs := []string{"data", "log", "server", "hub", "store"}
	tokens := []string{"policy.tokenizer", "policy.tokenizer_config", "policy.chat_template", "policy.template_vars", "policy.vocabulary"}
	levels := []string{"curriculum", "-curriculum.mode", "-curriculum.target_accuracy"}
	runs := slices.Concat(hubs, problems, []string{"policy", "teacher", "run", "curriculum", "rules", "gateway", "fleet", "trace", "dumps", "metrics", "otlp", "model", "learn"})
	return map[string][]string{
		"run":       runs,
		"gateway":   append(slices.Clone(runs), "-run.gateway", "-run.workers", "-fleet", "-agent"),
		"eval":      slices.Concat([]string{"data", "log"}, problems, []string{"policy", "-policy.from_scratch", "exam", "run.seed", "run.parallel", "run.replays", "run.episode_time"}),
		"ask":       {"data", "problems", "columns", "scenario", "examples", "judge", "environment", "harbor", "tools", "agent", "sessions", "sandbox", "policy", "-policy.from_scratch", "run.seed", "run.episode_time", "log"},
		"view":      {"data", "log", "server", "-server.announce", "policy.tokenizer"},
		"hub":       append(slices.Clone(hubs), "serve", "-serve.judge", "sandbox"),
		"serve":     {"log", "server", "-server.announce", "serve", "-serve.hub", "sandbox", "environment", "harbor"},
		"serve mcp": {"environment", "harbor", "log"},
		"settings":  {""},
		"worker":    {"worker", "problems", "sandbox", "environment", "harbor", "tools", "judge", "agent", "sessions", "policy", "-policy.kind", "-policy.accuracy", "-policy.delay", "-policy.weights", "-policy.from_scratch", "-policy.sampling", "run.replays", "run.grace", "log"},

		"scenarios check":      {"environment", "scenario", "policy.seats", "run.seed", "log"},
		"prove":                {"columns", "environment", "-environment.address", "harbor", "sandbox", "run.seed", "log"},
		"environments install": {"environment.packages"},
		"environments list":    {"environment.packages", "environment.python", "environment.keys"},
		"dataset check":        {"harbor", "log"},
		"environments show":    {"environment", "-environment.address", "harbor", "run.seed", "log"},
		"environments try":     {"environment", "-environment.address", "harbor", "policy", "-policy.from_scratch", "run.seed", "run.episode_time", "data", "log"},
		"images add":           {"images"},
		"images build":         {"images"},
		"judge resume":         {"data", "judge", "log"},
		"regrade":              {"data", "scenario", "environment", "-environment.address", "sandbox", "rules", "log"},

		"env serve":    slices.Concat([]string{"data", "log", "tasks", "mixture", "environment.address", "agent", "sessions"}, tokens, levels, []string{"run.replays", "run.grace", "run.report", "trace", "metrics", "store.min_free"}),
		"env evaluate": slices.Concat([]string{"log", "tasks", "mixture", "environment.address", "agent", "sessions"}, tokens, []string{"exam.samples", "exam.max_failed", "run.replays"}),
		"env process":  slices.Concat([]string{"data", "log", "tasks", "mixture", "environment.address", "agent", "sessions"}, tokens, levels, []string{"run.replays", "run.grace", "run.report", "metrics"}),
		"policy fake": {
			"server.host", "server.port", "server.key_file", "policy.tokenizer", "policy.tokenizer_config", "policy.chat_template", "fake",
		},
	}
}

// verbsOf lists the verbs that use a setting.
func verbsOf(path string) (verbs []string) {
	form := settings.New(defaults(player.Tiny))
	for _, verb := range slices.Sorted(maps.Keys(uses())) {
		for _, s := range form.Use(uses()[verb]...).Settings() {
			if s.Path() == path && verb != "settings" {
				verbs = append(verbs, verb)
			}
		}
	}
	return verbs
}

// defaults returns the default settings for a kind of policy.
func defaults(kind string) *config {
	c := basics(kind)
	if kind == player.Tiny {
		c.suit(c.Source.Scenario.Name)
	}
	return c
}

// basics returns the default settings for a kind of policy, whatever the model.
func basics(kind string) *config {
	c := &config{
		Data: "quintain-data", Log: flags.DefaultLog(), Server: web.Default(), Hub: hub.Default(), Store: host.DefaultStore(),
		Source: catalog.Source{Scenario: catalog.DefaultScenario()}, Policy: player.Default(kind), Run: player.RunSettings{Of: run.Defaults(), Consumer: player.Builtin},
		Curriculum: curriculum.Default(), Rules: rollout.DefaultRules(), Sessions: gateway.Defaults().SessionRules, Gateway: gateway.Defaults(), Fleet: fleet.Defaults(), Exam: exam.Defaults(), Trace: trace.Default(), Dumps: export.DefaultDumps(),
		Metrics: scalars.Default(), OTLP: artifacts.DefaultOTLP(), Model: starter.DefaultSizes(), Learn: tiny.Default(), Fake: fake.Defaults(), Serve: serve.Default(), Worker: worker.Defaults(), Images: image.DefaultLimits(), notes: io.Discard,
	}
	if kind == player.Script {
		c.Run.Of.StepTime = 50 * time.Millisecond
	}
	return c
}

// suit sets what suits the embedded model in a scenario.
func (c *config) suit(scenario string) {
	c.Source.Scenario.Suit(starter.Scenario)
	c.preset(starter.Preset(scenario))
}

// preset sets defaults by their keys.
func (c *config) preset(values map[string]string) {
	if err := settings.New(c).Preset(values); err != nil {
		panic(err)
	}
}

// starter reports whether the embedded model plays.
func (c *config) starter() bool { return c.Policy.Kind == player.Tiny && !c.language }

// examineAsAtropos sets the defaults of an evaluation to those of Atropos' ReasoningGym
// environment.
func (c *config) examineAsAtropos() {
	c.Run.Of.Seed = atropos.Seed
	c.Exam.Problems, c.Exam.Seed, c.Exam.Split = atropos.EvalProblems, atropos.EvalSeed, exam.BothSides
	c.Policy.Sampling.Temperature, c.Policy.Sampling.MaxTokens = atropos.EvalTemperature, atropos.EvalMaxTokens
}

// configVariable names the settings file if no flag does; helpVariable is set by completions of fish and PowerShell.
const configVariable, helpVariable = settings.Prefix + "CONFIG", settings.Prefix + "ACTIVE_HELP"

// loadConfig reads the settings of a verb. Its errors are errors of use.
func (w *world) loadConfig(verb, file string, given map[string]settings.Given) (*config, error) {
	from, err := w.sources(file, given)
	if err != nil {
		return nil, err
	}
	return w.configOf(verb, from)
}

// sources returns the sources of settings: a file, unless its name is empty, the environment and flags.
func (w *world) sources(file string, given map[string]settings.Given) (settings.Sources, error) {
	from := settings.Sources{Environ: w.environ(), Others: append(gateway.AgentVariables(), configVariable, helpVariable, image.Variable), Flags: given, Former: flags.Former()}
	if err := from.ReadFile(cmp.Or(file, w.getenv(configVariable))); err != nil {
		return from, usagef("--config: %w", err)
	}
	return from, nil
}

// configOf reads the settings of a verb from sources. Its errors are errors of use.
func (w *world) configOf(verb string, from settings.Sources) (*config, error) {
	// The defaults of many settings follow the kind of policy, which is a setting too.
	c := defaults(player.Tiny)
	empty := func(err error) bool { return verb == "settings" && err.Error() == "policy."+pool.ErrNoURL.Error() } // it prints what is missing
	if err := settings.New(c).Use(uses()[verb]...).Load(from); err != nil && settings.Check(&c.Policy) != nil && !empty(err) {
		return nil, usageError{err}
	}
	first, kind := c, c.Policy.Kind
	if strings.HasPrefix(verb, "env ") {
		kind = player.Server
	}
	c = defaults(kind)
	switch {
	case kind == player.Tiny && first.Policy.Language(first.Data):
		c = basics(kind)
		c.language = true
		c.Source.Scenario.Suit(starter.LanguageScenario)
		c.preset(starter.Language())
	case kind == player.Tiny:
		c.suit(first.Source.Scenario.Name)
		c.Policy.Scenario = first.Source.Scenario.Name
	}
	if first.Exam.Rule == exam.AtroposRule {
		c.examineAsAtropos()
	}
	if first.Source.Given() {
		c.Curriculum.Mode = curriculum.None // the given levels stay
	}
	form := settings.New(c).Use(uses()[verb]...)
	if err := form.Load(from); err != nil && !empty(err) {
		return nil, usageError{err}
	}
	if _, given := from.Flags["data"]; given && (verb == "eval" || verb == "ask") && !c.Policy.HasWeights(c.Data) {
		return nil, usagef("--data: there is no checkpoint.weights in %s: want the folder of a run of the embedded model, or its weights by --weights", c.Data)
	}
	if c.Source.Scenario.Environment.Set() && form.Named("scenario") && slices.Contains(uses()[verb], "scenario") {
		return nil, usagef("--environment: there is a scenario, too, and the environment plays in its place; choose one")
	}
	c.Policy.Adapters = player.Adapters{Context: c.Model.Context, Rank: c.Model.Rank, Alpha: c.Model.Alpha, Precision: c.Model.Precision}
	if !slices.Contains(uses()[verb], "model") {
		c.Policy.Adapters.Context = 0
	}
	alone := verb == "view" || verb == "run" && c.Run.Consumer == player.Builtin && !c.Run.Workers && !c.Run.Gateway
	c.Server.Next = alone && !form.Named("server.port") // nobody looks for it at a certain port
	if slices.Contains(uses()[verb], "rules") {
		if err := c.Rules.CheckSize(c.Run.Of.GroupSize); err != nil {
			return nil, usagef("run.%w", err)
		}
	}
	span := c.Gateway.Limits.Span
	c.Gateway.SessionRules, c.Source.Scenario.Agent.SessionRules = c.Sessions, c.Sessions
	c.Gateway.Limits.Span = span
	c.notes, c.getenv = w.stderr, w.getenv
	return c, nil
}
