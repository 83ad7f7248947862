package player_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenarios/games/duels"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
)

func TestSeatsAreRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, seats, want string }{
		{"none", `{}`, ""},
		{"a server, a script and a model", `{"a": {"url": "http://127.0.0.1:1", "tokenizer": "bytes", "sampling": {"max_tokens": 9}}, "b": {"kind": "script", "accuracy": 0.3}, "c": {"kind": "tiny"}}`, ""},
		{"several addresses", `{"a": {"url": ["http://127.0.0.1:1", "http://127.0.0.1:2"]}}`, ""},
		{"no JSON", `{`, "is \"{\", want a JSON object"},
		{"no object", `[]`, "is [], want an object"},
		{"a policy that is no object", `{"a": 3}`, "a: is 3, want an object"},
		{"no address", `{"a": {}}`, "a: url: is missing"},
		{"an unknown setting", `{"a": {"url": "http://127.0.0.1:1", "steps": 3}}`, "a.steps: "},
		{"seats of a seat", `{"a": {"kind": "script", "seats": {}}}`, "a.seats: "},
		{"another form", `{"a": {"kind": "script", "accuracy": "well"}}`, "a.accuracy: "},
		{"a name for nobody", `{"a,b": {"kind": "script"}}`, `has the name "a,b"`},
	} {
		s := player.Default(player.Script)
		err := settings.New(&s).Load(settings.Sources{Flags: map[string]settings.Given{"seats": {Text: test.seats}}})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
		again := player.Default(player.Script)
		if text := s.Seats.String(); again.Seats.Set(text) != nil || again.Seats.String() != text {
			t.Errorf("%s: %q is read as %q", test.why, text, again.Seats.String())
		}
	}
}

// facing returns streams of a game whose second seat is another policy's.
func facing(t *testing.T, players string) []rollout.Stream {
	t.Helper()
	for _, g := range duels.Games() {
		if g.Scenario.Name != "k_in_a_row" {
			continue
		}
		s, err := g.Scenario.Over(g.Task, fmt.Appendf(nil, `{"players":%q}`, players))
		if err != nil {
			t.Fatal(err)
		}
		return []rollout.Stream{{Scenario: s, Seed: 1, Weight: 1}}
	}
	t.Fatal("there is no k_in_a_row")
	return nil
}

// played plays matches of one problem against the policy x of seats, until heard returns true for a
// message or they end.
func played(t *testing.T, seats string, heard func(text string) bool) rollout.Result {
	t.Helper()
	streams := facing(t, "policy,server:x")
	s, cut := player.Default(player.Script), make(chan struct{})
	s.Script.Accuracy, s.Script.Delay = 1, 0
	if err := s.Seats.Set(seats); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	others, err := s.Opponents(t.Context(), player.Start{Streams: streams, Seed: 1, Parallel: 8}, server.Use{Waits: true, Stop: cut, Parallel: 8, Log: log, Say: func(text string) {
		if !strings.HasPrefix(text, "server:x: ") {
			t.Errorf("it says %q", text)
		}
		if heard(text) {
			close(cut)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	problem, err := streams[0].Scenario.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	solver, err := s.Solver(streams, 1, func() int32 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	jobs, result := 0, rollout.Result{}
	e := rollout.Engine{
		Policy: solver, Size: 8, Parallel: 1, Replays: 1, Opponents: others.By, Cut: cut,
		Next: func(context.Context) (rollout.Job, error) {
			if jobs++; jobs > 1 {
				return rollout.Job{}, io.EOF
			}
			return rollout.Job{Scenario: streams[0].Scenario, Problem: problem}, nil
		},
		Done: func(_ context.Context, r rollout.Result) error { result = r; return nil },
	}
	if err := run.Together(t.Context(), append(others.Beside, e.Run)...); err != nil {
		t.Fatal(err)
	}
	return result
}

// squares is a file with all moves of a board of 3 by 3, as replies of a fake server.
func squares(t *testing.T) (file string) {
	t.Helper()
	var lines strings.Builder
	for _, column := range "abc" {
		for row := 1; row <= 3; row++ {
			fmt.Fprintf(&lines, "{\"text\": \"<move>%c%d</move>\"}\n", column, row)
		}
	}
	file = filepath.Join(t.TempDir(), "squares.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// serve starts a server, and returns its seat.
func serve(t *testing.T, h http.Handler, more string) (seats string) {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return fmt.Sprintf(`{"x": {"url": %q%s}}`, web.URL, more)
}

// faker is a fake server that makes any of the moves.
func faker(t *testing.T, faults string) http.Handler {
	t.Helper()
	s := fake.Defaults()
	s.Replies, s.FirstToken, s.Rate, s.Faults = squares(t), 0, 0, faults
	f, err := fake.New(fake.Config{Server: s})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// never hears nothing.
func never(string) bool { return false }

// A server plays whole matches, even one that fails now and then, and is paid for nothing else.
func TestAServerPlays(t *testing.T) {
	t.Parallel()
	for why, seats := range map[string]string{
		"well":        serve(t, faker(t, ""), `, "tokenizer": "bytes"`),
		"with faults": serve(t, faker(t, "cut=0.06,many_token=0.06"), `, "tokenizer": "bytes"`),
		"by its chat": serve(t, faker(t, ""), ``),
		"as a script": `{"x": {"kind": "script", "accuracy": 0.2, "delay": "0s"}}`,
	} {
		r := played(t, seats, never)
		scored := 0
		for i := range r.Trajectories {
			of := &r.Trajectories[i]
			switch of.Outcome {
			case quintain.Scored:
				scored++
				others := of.Match.Others
				if len(of.Turns) > 1 && (len(others) != 1 || others[0].Seat != 1 || len(others[0].Messages) < 3) {
					t.Errorf("%s: %d replies, and the other said %+v", why, len(of.Turns), others)
				}
			case quintain.Forfeited: // the other gave the match up
			case quintain.InfraFailed:
				if why != "with faults" {
					t.Errorf("%s: %s", why, of.Error)
				}
			default:
				t.Errorf("%s: an episode is %s: %s", why, of.Outcome, of.Error)
			}
			if of.Outcome != quintain.Scored && of.Solved() {
				t.Errorf("%s: an episode that is %s has won", why, of.Outcome)
			}
		}
		if len(r.Trajectories) != 8 || scored == 0 {
			t.Errorf("%s: %d of %d episodes are scored", why, scored, len(r.Trajectories))
		}
	}
}

// A failure of the other policy's server is never a reward.
func TestAServerThatFailsPaysNobody(t *testing.T) {
	t.Parallel()
	answers := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	for _, test := range []struct {
		why    string
		sample http.HandlerFunc
		want   quintain.Outcome
	}{
		{"it refuses", answers(http.StatusBadRequest, `{"error": {"message": "no such thing"}}`), quintain.EnvFailed},
		{"its reply is no JSON", answers(http.StatusOK, "<html>"), quintain.InfraFailed},
		{"its reply is another JSON", answers(http.StatusOK, `{"choices": []}`), quintain.InfraFailed},
		{"it is too slow", func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }, quintain.EnvFailed},
	} {
		seats := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				io.WriteString(w, `{"object": "list", "data": [{"id": "m", "object": "model"}]}`)
				return
			}
			test.sample(w, r)
		}), `, "kind": "openai", "model": "m", "retries": 0, "timeout": "100ms"`)
		for _, of := range played(t, seats, never).Trajectories {
			if of.Outcome != test.want || of.Solved() || !strings.HasPrefix(of.Error, "seat 1, server:x: ") {
				t.Errorf("%s: the episode is %s: %s", test.why, of.Outcome, of.Error)
			}
		}
	}
}

// A server that is down is waited for, and the end of the run ends that.
func TestAServerThatIsDownIsWaitedFor(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	r := played(t, fmt.Sprintf(`{"x": {"url": %q, "tokenizer": "bytes"}}`, web.URL), func(text string) bool { return strings.Contains(text, "waiting for the server") })
	for _, of := range r.Trajectories {
		if of.Outcome != quintain.Cancelled || of.Solved() {
			t.Errorf("an episode is %s: %s", of.Outcome, of.Error)
		}
	}
}

func TestPlayersThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, kind, players, data, want, weights string }{
		{"another name", player.Script, "policy,server:y", "", `players: server:y: policy.seats: has no y, but ["x"]`, ""},
		{"weights of a script", player.Script, "frozen:0,policy", t.TempDir(), "players: frozen:0: the weights of the policy script are not kept here", ""},
		{"weights of a server", player.Server, "frozen:0,policy", t.TempDir(), "the weights of the policy server are not kept here: serve these on a server of their own", ""},
		{"a worker has no data folder", player.Tiny, "frozen:0,policy", "", "without workers", ""},
		{"a version that is not kept", player.Tiny, "policy,frozen:7", t.TempDir(), "has no weights of version 7, but of []; run.keep_weights", ""},
		{"adapters of a language model", player.Tiny, "frozen:0,policy", t.TempDir(), "earlier adapters of a language model do not play here", t.TempDir()},
	} {
		s := player.Default(test.kind)
		s.Weights = test.weights
		if err := s.Seats.Set(`{"x": {"kind": "script"}}`); err != nil {
			t.Fatal(err)
		}
		_, err := s.Opponents(t.Context(), player.Start{Data: test.data, Streams: facing(t, test.players)}, server.Use{Log: slog.New(slog.DiscardHandler)})
		var invalid player.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

// Kept weights reply as those of their version do, whatever the policy has learnt since.
func TestFrozenWeightsPlay(t *testing.T) {
	t.Parallel()
	first, err := starter.Load("nim_family")
	if err != nil {
		t.Fatal(err)
	}
	data, err := tiny.WriteVersion(first.Model, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := (&kept.Versions{Folder: filepath.Join(folder, datadir.Weights)}).Write(3, data); err != nil {
		t.Fatal(err)
	}
	s := player.Default(player.Tiny)
	others, err := s.Opponents(t.Context(), player.Start{Data: folder, Streams: facing(t, "policy,frozen:3"), Seed: 1, Parallel: 4}, server.Use{})
	if err != nil {
		t.Fatal(err)
	}
	was, err := tiny.New(first.Model, 3, tiny.Options{MaxSequences: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(p quintain.Policy) (said string) {
		err := player.Beside(t.Context(), p, func(ctx context.Context) error {
			samples, err := p.Sample(ctx, quintain.Request{Key: "k", N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "nim\na3 b1"}}, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 48}})
			if err == nil {
				said = fmt.Sprint(samples[0].Text, samples[0].Versions[0])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if got, want := ask(others.By["frozen:3"].Policy), ask(was); got != want || len(others.Beside) != 1 {
		t.Errorf("it says %q, want %q", got, want)
	}
}
