package artifacts

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

var update = flag.Bool("update", false, "write the golden file")

// gathered are spans as text.
type gathered struct {
	names map[traceparent.Context]string
	began time.Time
	lines []string
}

// Add writes spans as lines: name, parent, times since the beginning, and what else there is.
func (g *gathered) Add(all ...Span) {
	for _, s := range all {
		g.names[s.At] = s.Name
	}
	for _, s := range all {
		about, err := json.Marshal(s.Attributes)
		if err != nil {
			panic(err)
		}
		line := fmt.Sprintf("%s < %s [%v, %v]", s.Name, g.names[s.Parent], s.Start.Sub(g.began), s.End.Sub(g.began))
		if s.Link.Valid() {
			line += " linked to " + g.names[s.Link]
		}
		if s.Error != "" {
			line += " failed: " + s.Error
		}
		g.lines = append(g.lines, line+" "+string(about))
	}
}

// The spans of a group say when what happened, to whom, and below which span.
func TestTheSpansOfAGroup(t *testing.T) {
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	sampler := traceparent.Sampler(1)
	agent := sampler.Of("elsewhere", "agent")
	p := quintain.Problem{Scenario: "reasoning_gym.v2", Task: "countdown", Version: 2, Seed: 1, Level: 3, Index: 7}
	root := sampler.Of("run", p.ID())
	times := func(s ...time.Duration) quintain.Times {
		return quintain.Times{Asked: s[0] * time.Second, Replied: s[1] * time.Second, Judged: s[2] * time.Second}
	}
	turn := quintain.Turn{Read: make([]quintain.Token, 5), Wrote: make([]quintain.Token, 3), Versions: []int32{4, 4, 5}, Finish: quintain.Stop, Times: times(1, 11, 12), Reward: 0.5, Why: "half of it"}
	called := quintain.Turn{Wrote: make([]quintain.Token, 2), Finish: quintain.Length, Times: times(2, 3, 0), Call: &quintain.Call{ID: "c1", Parent: -1, Span: agent.String()}}
	own := quintain.Turn{Wrote: make([]quintain.Token, 2), Finish: quintain.Stop, Times: times(4, 5, 0), Call: &quintain.Call{ID: "c2", Parent: 0}}
	e := run.Played{
		Result: rollout.Result{
			Job:   rollout.Job{Problem: p, Span: root},
			Lease: &rollout.Lease{Number: 12, Attempt: 2, Worker: "node-3", Granted: noon.Add(-time.Second)},
			Trajectories: []quintain.Trajectory{
				{ID: p.ID() + "#0", Started: noon, Took: 12 * time.Second, Outcome: quintain.Scored, Turns: []quintain.Turn{turn, {Reply: "of unknown time"}}},
				{ID: p.ID() + "#1", Started: noon, Took: 20 * time.Second, Outcome: quintain.InfraFailed, Error: "no answer", Replays: 2, Turns: []quintain.Turn{called, own}},
				{ID: p.ID() + "#2", Outcome: quintain.Cancelled},
			},
		},
		Group: &quintain.Group{}, Scores: []float64{1, 0.5}, Version: 6, Putting: noon.Add(22 * time.Second), Put: 3 * time.Millisecond,
	}
	to := &gathered{names: map[traceparent.Context]string{{}: "nothing", agent: "the agent's"}, began: noon}
	s := &spans{to: to, model: "my-model"}
	s.played(&e, noon.Add(23*time.Second))
	e.Group, e.Drop, e.Putting, e.Lease = nil, rollout.DropInfra, time.Time{}, nil
	e.Trajectories = e.Trajectories[:1]
	s.played(&e, noon.Add(23*time.Second))

	got := strings.Join(to.lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("testdata/spans.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/spans.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the spans are\n%s\nwant\n%s", got, want)
	}
	if to.names[root.Child("c2")] != "turn" || to.names[agent.Child("c1")] != "turn" || to.names[e.Job.Span] != "group" {
		t.Error("the spans do not have the names that were passed on while the episodes were played")
	}
}

// millis is how many digits of a time are milliseconds: the queue counts these.
const millis = 13

// A collector takes spans over the network.
type collector struct {
	mu  sync.Mutex
	all []sent
}

type sent struct {
	Trace  string `json:"traceId"`
	ID     string `json:"spanId"`
	Parent string `json:"parentSpanId"`
	Name   string `json:"name"`
	Start  string `json:"startTimeUnixNano"`
	End    string `json:"endTimeUnixNano"`
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		Resources []struct {
			Scopes []struct {
				Spans []sent `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	text, err := io.ReadAll(r.Body)
	if err := errors.Join(err, strictjson.Unmarshal(text, &body)); err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, body.Resources[0].Scopes[0].Spans...)
}

// play plays a run of two steps of 16 episodes, with spans of a share of the problems to a URL.
func play(t *testing.T, to OTLPSettings) run.Report {
	t.Helper()
	folder, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	streams, err := played()
	if err != nil {
		t.Fatal(err)
	}
	s := player.Default(player.Script)
	s.Script.Delay = 0
	solver, err := s.Solver(streams, 1, func() int32 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	settings := run.Defaults()
	settings.Steps, settings.BatchSize, settings.GroupSize = 2, 16, 4
	r, err := run.Open(t.Context(), run.Config{
		Settings: settings, Rules: rollout.DefaultRules(), Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 2048},
		Streams: streams, Policy: solver, Queue: q, Traces: to.Sampler(),
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := Open(r, Config{
		Folder: folder, Program: "quintain v1", Settings: &settings, Rules: rollout.DefaultRules(), OTLP: to, Queue: q, Getenv: func(string) string { return "" },
		Register: func(prometheus.Collector) {}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Run(t.Context()), files.Close()); err != nil {
		t.Fatal(err)
	}
	return r.Report()
}

// Every acknowledged group has a span of each kind, below one root, in the order of time.
func TestARunSendsItsSpans(t *testing.T) {
	c := &collector{}
	server := httptest.NewServer(c)
	defer server.Close()
	report := play(t, OTLPSettings{URL: server.URL, Ratio: 1})
	byID, count, traces := map[string]sent{}, map[string]int{}, map[string][]string{}
	for _, s := range c.all {
		if byID[s.ID].ID != "" {
			t.Fatalf("two spans are called %s: %+v %+v", s.ID, s, byID[s.ID])
		}
		byID[s.ID] = s
		count[s.Name]++
		traces[s.Trace] = append(traces[s.Trace], s.Name)
	}
	for _, s := range c.all {
		above := byID[s.Parent]
		want := map[string]string{"group": "", "episode": "group", "turn": "episode", "grade": "episode", "put": "group", "batch": "group", "ack": "group", "drop": "group"}[s.Name]
		if above.Name != want || want != "" && above.Trace != s.Trace {
			t.Errorf("a span %s is below %q, want %q", s.Name, above.Name, want)
		}
		if s.Start > s.End || above.Start != "" && s.Start[:millis] < above.Start[:millis] || want == "episode" && s.End > above.End {
			t.Errorf("the span %s, %s to %s, is not within %s, %s to %s", s.Name, s.Start, s.End, above.Name, above.Start, above.End)
		}
	}
	if count["ack"] != 8 || count["batch"] != 8 || count["put"] < 8 || count["episode"] != 4*count["group"] || count["turn"] != count["episode"] || count["grade"] != count["turn"] {
		t.Errorf("there are %v, of a run of two steps of four groups", count)
	}
	played := 0
	for _, n := range report.Episodes {
		played += n
	}
	if len(traces) != count["group"] || count["episode"] != played {
		t.Errorf("%d traces of %d groups, %d episodes, and %d were played", len(traces), count["group"], count["episode"], played)
	}
	for _, names := range traces {
		if slices.Contains(names, "ack") && !slices.Contains(names, "put") {
			t.Errorf("a trace has %v", names)
		}
	}
}

// A collector that is not there costs the run nothing; without one nothing is listened to.
func TestARunWithoutItsCollectorEnds(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, to := range []OTLPSettings{{URL: gone.URL, Ratio: 1}, {URL: gone.URL}, {}} {
		synctest.Test(t, func(t *testing.T) {
			if report := play(t, to); report.Version != 2 {
				t.Errorf("%+v: the run ends at version %d", to, report.Version)
			}
		})
	}
}

// played returns streams of two tasks.
func played() (streams []rollout.Stream, err error) {
	gym, err := scenario.Find(scenarios.All, "reasoning_gym")
	for _, t := range arithmetic.Tasks()[:2] {
		s, fault := gym.Over(t, nil)
		streams, err = append(streams, rollout.Stream{Scenario: s, Seed: 1, Weight: 1}), errors.Join(err, fault)
	}
	return streams, err
}
