package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A shared hub is one whose environments have one configuration.
type sharedHub struct {
	model, hub *process
	url        string
	data       string
	flags      []string // of each environment
	folders    []string // of the environments
	groups     []sharedGroup
}

// A sharedGroup says which problem a group answers, and which run played it.
type sharedGroup struct {
	ID     string
	Origin quintain.Origin
}

// newSharedHub starts a hub with a trainer that takes nothing.
func newSharedHub(t *testing.T) *sharedHub {
	t.Helper()
	model, modelURL := address(t, "policy", "fake", "--first-token", "150ms", "--rate", "0", "--length", "fixed:16")
	s := &sharedHub{model: model, data: t.TempDir(), folders: []string{t.TempDir(), t.TempDir(), t.TempDir()}}
	s.hub, s.url = address(t, "hub", "--data", s.data)
	s.flags = []string{
		"env", "serve", "--hub", s.url, "--openai.base_url", modelURL + "/v1", "--openai.model_name", "fake", "--openai.server_type", "vllm", "--tokenizer", "bytes",
		"--env.group_size", "4", "--env.steps_per_eval", "0", "--env.ensure_scores_are_not_same", "false", "--env.total_steps", "1000", "--env.max_batches_offpolicy", "50",
		"--env.max_num_workers", "2", "--tasks", "gcd,count_bits",
	}
	call(t, http.MethodPost, s.url+"/register", `{"wandb_group":"g","wandb_project":"p","batch_size":64,"max_token_len":9000,"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":1000}`)
	call(t, http.MethodGet, s.url+"/batch", "")
	return s
}

// env starts an environment.
func (s *sharedHub) env(i int) *process { return start(append(s.flags, "--data", s.folders[i])...) }

// restart ends the hub, and starts it at the same address.
func (s *sharedHub) restart(t *testing.T) {
	t.Helper()
	stopHub(t, s.hub)
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	s.hub = start("hub", "--data", s.data, "--port", at.Port())
	await(t, s.hub, "listening on ")
}

// read reads the groups.
func (s *sharedHub) read(t *testing.T) []sharedGroup {
	t.Helper()
	var reply struct{ Batch []sharedGroup }
	if err := json.Unmarshal([]byte(call(t, http.MethodGet, s.url+"/v1/runs/default/groups?limit=1000", "")), &reply); err != nil {
		t.Fatal(err)
	}
	s.groups = reply.Batch
	return reply.Batch
}

// playRounds has three environments play, each round until there are so many more groups of
// each: first they are new, then one of them is started again, then the hub, then all.
func (s *sharedHub) playRounds(t *testing.T, more int) {
	t.Helper()
	envs := []*process{s.env(0), s.env(1), s.env(2)}
	end := func(p *process) {
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Fatalf("status %d\n%s", status, p.stderr.String())
		}
	}
	before := map[string]int{}
	for round := range 4 {
		switch round {
		case 1:
			end(envs[1])
			envs[1] = s.env(1)
		case 2:
			s.restart(t)
		case 3:
			for i := range envs {
				end(envs[i])
				envs[i] = s.env(i)
			}
		}
		until(t, envs[0], fmt.Sprintf("all play in round %d", round), func() bool {
			now := map[string]int{}
			for _, g := range s.read(t) {
				run, _, _ := strings.Cut(g.ID, "/")
				now[run]++
			}
			all := len(now) == 3
			for run, n := range now {
				all = all && n >= before[run]+more
			}
			if all {
				before = now
			}
			return all
		})
	}
	for _, p := range envs {
		end(p)
	}
}

// close checks that no problem came twice, and ends the hub.
func (s *sharedHub) close(t *testing.T) {
	t.Helper()
	by := map[quintain.Origin]string{}
	for _, g := range s.read(t) {
		if by[g.Origin] != "" {
			t.Errorf("problem %+v came as %s and as %s", g.Origin, by[g.Origin], g.ID)
		}
		by[g.Origin] = g.ID
	}
	if stats := call(t, http.MethodGet, s.url+"/v1/runs/default/stats", ""); !strings.Contains(stats, `"same_problem":0`) {
		t.Errorf("stats %s", stats)
	}
	stopHub(t, s.hub)
	s.model.interrupts <- os.Interrupt
	s.model.wait(t)
}

// Environments with one configuration play different problems for one hub, also after one of
// them, the hub, or all were started again. They go on where they were.
func TestEnvironmentsShareTheProblems(t *testing.T) {
	s := newSharedHub(t)
	s.playRounds(t, sharedGroups)
	s.close(t)
	for _, g := range s.groups {
		if g.Origin.Seed != 1918 {
			t.Fatalf("seed %d, want that of the settings", g.Origin.Seed)
		}
	}
}
