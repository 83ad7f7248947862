package environment

import (
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// Every task is played at its default parameters, or at all its levels.
func TestComplexity(t *testing.T) {
	for _, test := range []struct {
		mode  string
		want  curriculum.Mode
		tasks int
	}{{"", curriculum.None, len(catalog.Tasks())}, {RandomComplexity, curriculum.Random, 0}, {Curriculum, curriculum.Adaptive, 0}} {
		e := &Default().Env
		e.ComplexityMode, e.CurriculumTargetScore = test.mode, 0.6
		s := CurriculumOf(e, curriculum.Default())
		all := Tasks(e)
		if s.Mode != test.want || s.Target != 0.6 || s.Controller != curriculum.Teaching || len(all) != test.tasks {
			t.Errorf("mode %q: %+v, %d tasks", test.mode, s, len(all))
		}
		if len(all) > 0 && string(all[0].Params) != "{}" {
			t.Errorf("mode %q: parameters %s", test.mode, all[0].Params)
		}
	}
}

func TestServer(t *testing.T) {
	folder := t.TempDir()
	for _, test := range []struct {
		why   string
		set   func(*Settings)
		files exact.Files
		want  func(server.Settings) bool
		fault string
	}{
		{"the tokenizer of the flags", func(*Settings) {}, exact.Files{Tokenizer: "bytes"}, func(s server.Settings) bool {
			return s.Kind == server.Any && s.Files.Tokenizer == "bytes" && s.Chat.APIKey == "x" && s.Chat.Timeout == 20*time.Minute && s.Pool.MaxInFlight == 128*8
		}, ""},
		{"a folder", func(s *Settings) { s.Env.TokenizerName, s.Servers[0].ServerType = folder, "sglang" }, exact.Files{}, func(s server.Settings) bool {
			return s.Kind == engines.KindSGLang && s.Files.Tokenizer == folder
		}, ""},
		{"the server's before the environment's", func(s *Settings) { s.Servers[0].Tokenizer = folder }, exact.Files{}, func(s server.Settings) bool { return s.Files.Tokenizer == folder }, ""},
		{"none", func(s *Settings) { s.Env.TokenizerName, s.Servers[0].ModelName = "", AnyModel }, exact.Files{}, func(s server.Settings) bool {
			return s.Kind == engines.KindOpenAI && s.Chat.Model == AnyModel && s.Files.Tokenizer == ""
		}, ""},
		{"any model", func(s *Settings) { s.Servers[0].ModelName = AnyModel }, exact.Files{Tokenizer: "bytes"}, func(s server.Settings) bool { return s.Chat.Model == "" }, ""},
		{"one that is nowhere", func(*Settings) {}, exact.Files{}, nil, "env.tokenizer_name: the tokenizer of NousResearch"},
	} {
		of := Default()
		test.set(of)
		s, err := ServerOf(of, test.files, func(string) string { return folder })
		if test.fault == "" && (err != nil || !test.want(s)) || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s: %+v, error %v", test.why, s, err)
		}
	}
}

// The environment's scores are those of the scenario. Ours leave it as it is.
func TestScore(t *testing.T) {
	for _, test := range []struct {
		env    string
		before string
		want   string
	}{
		{OurScores, "quintain", "reasoning_gym"},
		{OurScores, "reasoning-gym", "reasoning_gym:scores=reasoning-gym"},
		{TheirScores, "quintain", "reasoning_gym:scores=reasoning-gym"},
	} {
		e, scenario := &Default().Env, catalog.DefaultScenario()
		e.Scores = test.env
		if err := scenario.Set("reasoning_gym:scores=" + test.before); err != nil {
			t.Fatal(err)
		}
		if Score(e, &scenario); scenario.String() != test.want {
			t.Errorf("%s over %s: %s, want %s", test.env, test.before, scenario.String(), test.want)
		}
	}
}

// The run has the environment's settings.
func TestTranslation(t *testing.T) {
	of := Default()
	e := &of.Env
	e.WorkerTimeout, e.EnsureScoresDiffer, e.DumpRollouts, e.EvalHandling, e.WandbName = -1, false, true, LimitTrain, ""
	s, r, d, how, up := RunSettings(of), Rules(e), Dumps(e), Sampling(e), Uplink(of)
	if s.Seed != 1918 || s.GroupSize != 8 || s.Parallel != 64 || s.EpisodeTime != 0 || s.ExamProblems != 0 {
		t.Errorf("settings %+v", s)
	}
	if r.Estimator != rollout.None || !r.KeepEqual || !r.MaskTooLong || r.LengthBudget != 8192 || r.MinTrainable != 10 {
		t.Errorf("rules %+v", r)
	}
	if !d.Rollouts || d.Failed || d.Threshold != 0.51 || how != (quintain.Sampling{Temperature: 1, TopP: 0.95, MaxTokens: 8192, MaxTotal: 8192}) {
		t.Errorf("dumps %+v, sampling %+v", d, how)
	}
	if up.Registration.Name != "reasoning_gym" || *up.Registration.Minimum != 0.1 || up.Limits.Workers != 8 || up.Limits.Requests != 128 || up.Limits.ExamShare != 0.1 || up.Limits.NoExamHold || up.EvalEvery != 25 {
		t.Errorf("link %+v", up)
	}
}
