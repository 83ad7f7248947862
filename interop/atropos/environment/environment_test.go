package environment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
)

// load reads a file and flags over the defaults.
func load(file string, flags map[string]string) (*Settings, error) {
	s, given := Default(), map[string]settings.Given{}
	for path, text := range flags {
		given[path] = settings.Given{Text: text, By: "--" + path}
	}
	return s, s.Load(settings.Sources{File: "f.yaml", Data: []byte(file), Flags: given})
}

// ownFile is a typical user's file.
const ownFile = `# as their README shows it
env:
  group_size: 16
  max_num_workers: 64
  max_token_length: 4096
  total_steps: 1000
  wandb_name: my_run
  use_wandb: yes
  complexity_mode: null
  min_batch_allocation:
  mask_too_long_completions: off
  worker_timeout: 1e2
  tokenizer_name: "org/model"
openai:
  - model_name: m
    base_url: http://a:9004/v1
    num_max_requests_at_once: 32
    num_requests_for_eval: 256
  - {model_name: m, base_url: "http://b:9004/v1", timeout: 60}
slurm: false
testing: False
`

func TestAFileOfAtropos(t *testing.T) {
	s, err := load(ownFile, map[string]string{"env.group_size": "32", "env.dump_rollouts": "True", "env.wandb_name": "None"})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	e := &want.Env
	e.GroupSize, e.MaxNumWorkers, e.MaxTokenLength, e.TotalSteps, e.WandbName = 32, 64, 4096, 1000, ""
	e.ComplexityMode, e.MinBatchAllocation, e.MaskTooLong, e.WorkerTimeout, e.TokenizerName, e.DumpRollouts = "", nil, false, 100, "org/model", true
	e.unneeded = unneeded{"use_wandb": true}
	a, b := classServer(), classServer()
	a.ModelName, a.BaseURL, a.MaxRequests, a.unneeded = "m", "http://a:9004/v1", 32, unneeded{"num_requests_for_eval": true}
	b.ModelName, b.BaseURL, b.Timeout = "m", "http://b:9004/v1", 60
	want.Servers = Servers{a, b}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("read\n%+v, want\n%+v", s, want)
	}
	if got := s.Unneeded(); !slices.Equal(got, []string{"env.use_wandb", "openai.num_requests_for_eval"}) {
		t.Errorf("without effect are %q", got)
	}
	if s.Servers.Requests() != 544 || e.Workers(2) != 64 {
		t.Errorf("%d requests, %d workers", s.Servers.Requests(), e.Workers(2))
	}
}

func TestOneServer(t *testing.T) {
	for _, test := range []struct {
		why, file string
		flags     map[string]string
		want      func(*Server)
	}{
		{"the default", "", nil, func(*Server) {}},
		{"an object overrides the defaults", "openai: {model_name: m}", nil, func(s *Server) { s.ModelName = "m" }},
		{"flags over the file", "openai: {model_name: m, api_key: null}", map[string]string{"openai.model_name": "n", "openai.server_type": "vllm"},
			func(s *Server) { s.ModelName, s.APIKey, s.ServerType = "n", "", VLLM }},
		{"flags alone", "", map[string]string{"openai.base_url": "http://c/v1"}, func(s *Server) { s.BaseURL = "http://c/v1" }},
		{"null", "openai:", nil, func(*Server) {}},
	} {
		s, err := load(test.file, test.flags)
		want := defaultServer()
		if test.want(&want); err != nil || !reflect.DeepEqual(s.Servers, Servers{want}) {
			t.Errorf("%s: %+v, error %v", test.why, s.Servers, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		why, file string
		flags     map[string]string
		want      string
	}{
		{"an unknown name", "env:\n  group_sise: 8\n", nil, `f.yaml:2:3: env.group_sise: there is no such setting; did you mean "env.group_size"?`},
		{"an unknown group", "enf: {}\n", nil, "f.yaml:1:1: enf: there is no such setting"},
		{"a number that is none", "env:\n  group_size: many\n", nil, `f.yaml:2:15: env.group_size: is "many", want a whole number`},
		{"a share above 1", "env: {min_batch_allocation: 1.5}\n", nil, "f.yaml:1:29: env.min_batch_allocation: is 1.5, want a number from 0 to 1"},
		{"a share that is a list", "env: {min_batch_allocation: []}\n", nil, "want a number from 0 to 1"},
		{"a truth that is none", "env: {dump_rollouts: perhaps}\n", nil, `f.yaml:1:22: env.dump_rollouts: is "perhaps", want true or false`},
		{"a truth that is a number", "env: {dump_rollouts: 0.5}\n", nil, "is 0.5, want true or false"},
		{"a text that is a number", "env: {wandb_name: 5}\n", nil, "f.yaml:1:19: env.wandb_name: is 5, want a text"},
		{"no batch may wait", "env: {max_batches_offpolicy: 0}\n", nil, "f.yaml:1:30: env.max_batches_offpolicy: is 0, want 1 or more"},
		{"a mode that there is not", "env: {complexity_mode: hard}\n", nil, `is hard, want "", random or curriculum`},
		{"a group larger than a batch", "env: {group_size: 16, batch_size: 8}\n", nil, "env.group_size: is 16, want batch_size, 8, or less"},
		{"an unknown name of a server", "openai:\n  - base_url: http://a/v1\n    modelname: m\n", nil, `f.yaml:3:5: openai[0].modelname: there is no such setting; did you mean "model_name"?`},
		{"a server without an address", "openai: [{model_name: m}]\n", nil, "f.yaml:1:11: openai[0]: base_url: is \"\", want the address of the server"},
		{"a server that is none", "openai: [5]\n", nil, "f.yaml:1:10: openai[0]: is 5, want a group of settings"},
		{"no server at all", "openai: []\n", nil, "openai: has no server"},
		{"a kind that is not here", "openai: {server_type: trl}\n", nil, "openai.server_type: is trl, want openai, vllm or sglang"},
		{"servers of two models", "openai: [{base_url: http://a/v1, model_name: m}, {base_url: http://b/v1}]\n", nil, "openai[1].model_name: differs"},
		{"a flag for one of two servers", "openai: [{base_url: http://a/v1}, {base_url: http://b/v1}]\n", map[string]string{"openai.timeout": "5"}, "--openai.…: the file names 2 servers"},
		{"a flag of a server", "", map[string]string{"openai.timeout": "soon"}, `--openai.timeout: is "soon", want a number`},
		{"a flag", "", map[string]string{"env.total_steps": "None"}, `--env.total_steps: is "None", want a whole number`},
		{"Slurm", "slurm: true\n", nil, "slurm: is true, but nothing here asks Slurm"},
		{"no server", "testing: true\n", nil, "quintain policy fake"},
	} {
		if _, err := load(test.file, test.flags); !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, test := range []struct{ why, args, want string }{
		{"a value follows its flag", "env serve --env.group_size 16 --openai.base_url http://a/v1", "env serve --env.group_size=16 --openai.base_url=http://a/v1"},
		{"a negative number is a value", "--env.total_steps -1 --env.max_num_workers -1e0", "--env.total_steps=-1 --env.max_num_workers=-1e0"},
		{"a flag without a value is true", "--env.dump_rollouts --slurm", "--env.dump_rollouts=True --slurm=True"},
		{"a short flag is no value", "--slurm -h", "--slurm=True -h"},
		{"a value of its own stays", "--env.group_size=16 x", "--env.group_size=16 x"},
		{"other flags stay", "--data folder --env.typo 1", "--data folder --env.typo 1"},
		{"a flag without effect takes its value too", "--env.use_wandb false --max_n_completions 8", "--env.use_wandb=false --max_n_completions=8"},
		{"arguments after the end of the flags", "-- --slurm x", "-- --slurm x"},
	} {
		if got := strings.Join(Join(strings.Fields(test.args)), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// Whatever a file or a flag holds, it gives valid settings or an error of a few lines.
func FuzzLoad(f *testing.F) {
	f.Add(ownFile, "--env.group_size 4 --openai.timeout 5")
	f.Add("env: {min_batch_allocation: -0.5}\nopenai: {base_url: ''}\n", "--slurm")
	f.Add("openai:\n- base_url: &a x\n- base_url: *a\n", "--env.seed -1")
	f.Add("env:\n  <<: {}\n", "--env.wandb_name None --env.use_wandb")
	f.Fuzz(func(t *testing.T, file, line string) {
		flags := map[string]string{}
		for _, arg := range Join(strings.Fields(line)) {
			if name, value, has := strings.Cut(strings.TrimPrefix(arg, "--"), "="); has {
				flags[name] = value
			}
		}
		s, err := load(file, flags)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		if s.Env.GroupSize < 1 || s.Env.Workers(len(s.Servers)) < 0 || s.Servers.Requests() < 1 || s.Servers.URLs()[0] == "" {
			t.Errorf("%+v is taken", s)
		}
		again, err := load(file, flags)
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("read twice, it is %+v and %+v, error %v", s, again, err)
		}
	})
}
