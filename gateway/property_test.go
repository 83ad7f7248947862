package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A played is a session for the checker: what the agent saw, what the engine wrote, and what
// training gets.
type played struct {
	Session string                     `json:"session"`
	Forks   bool                       `json:"forks"` // the chat template may rewrite the conversation
	Wire    []wire                     `json:"wire"`
	Engine  []note                     `json:"engine"`
	Outcome quintain.Outcome           `json:"outcome"`
	Groups  map[string]*quintain.Group `json:"groups"` // by the unit of training; null: dropped
}

// Each sampled token that an agent used is trained on exactly once, after what the engine read,
// and no other token is: a checker in Python works that out from the wire and the engine's own
// notes.
func TestEachUsedTokenIsTrainedOnOnce(t *testing.T) {
	out, wait := checker(t)
	hermes, err := toolcall.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	chat := byteChat(t)
	c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}
	c.Settings.MaxSessions, c.Settings.MaxSequences = 2*sessionsPlayed, 1000
	var next atomic.Int64
	var all sync.WaitGroup
	var writing sync.Mutex
	for i, r := range []exact.Renderer{exact.Bytes{}, chat} {
		d := newDice(uint64(7+i), []quintain.Token{policy.End, 257}[i])
		host := &lobby{got: map[string]chan rollout.Result{}}
		b := start(t, c, Player{Policy: exact.New(d, r), Format: hermes, Encode: []func(string, bool) ([]quintain.Token, error){exact.Bytes{}.Encode, chat.Encode}[i]}, host)
		for range 2 {
			all.Go(func() {
				for !t.Failed() {
					n := next.Add(1)
					if n > sessionsPlayed {
						return
					}
					one := b.playOut(uint64(n), d, host)
					one.Forks = i == 1
					text, err := json.Marshal(one)
					if err != nil {
						t.Error(err)
					}
					writing.Lock()
					_, _ = out.Write(append(text, '\n')) // the checker says why it went
					writing.Unlock()
				}
			})
		}
	}
	all.Wait()
	wait()
}

// The same holds if the gateway ends in the middle of a session, and begins again.
func TestEachUsedTokenIsTrainedOnOnceThroughRestarts(t *testing.T) {
	out, wait := checker(t)
	hermes, err := toolcall.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	d := newDice(9, policy.End)
	host := &lobby{got: map[string]chan rollout.Result{}}
	for seed := range uint64(sessionsPlayed / 20) {
		t.Run("", func(t *testing.T) {
			c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret"), Folder: filepath.Join(t.TempDir(), "s")}
			c.Settings.MaxSequences = 1000
			player := Player{Policy: exact.New(d, exact.Bytes{}), Format: hermes, Encode: exact.Bytes{}.Encode}
			w := start(t, c, player, host).enter(seed + 1<<32)
			for range 2 {
				w.walk()
				w.b.stop()
				w.b = start(t, c, player, host)
				w.s = w.b.at(w.s)
			}
			text, err := json.Marshal(w.leave(d, host))
			if err != nil {
				t.Error(err)
			}
			_, _ = out.Write(append(text, '\n'))
		})
	}
	wait()
}

// The tokens that count_tokens tells are those that the next call with these messages reads,
// whatever the tokens of the replies before.
func TestCountedTokensAreThoseThatTheNextCallReads(t *testing.T) {
	counted, sessions := 0, min(uint64(1000), sessionsPlayed)
	for i, r := range []exact.Renderer{exact.Bytes{}, byteChat(t)} {
		c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}
		c.Settings.ToolFormat = "hermes"
		d, host := newDice(uint64(17+i), []quintain.Token{policy.End, 257}[i]), &lobby{got: map[string]chan rollout.Result{}}
		player, err := c.Settings.Player(exact.New(d, r), r)
		if err != nil {
			t.Fatal(err)
		}
		b := start(t, c, player, host)
		for seed := range sessions / 2 {
			w := b.enter(seed)
			w.speaks, w.counts = byMessages, &counted
			w.begin()
			for range 1 + w.rnd.IntN(6) {
				w.goOn(w.number())
			}
			w.leave(d, host)
		}
	}
	if counted < int(sessions) {
		t.Errorf("%d calls of %d sessions were compared", counted, sessions)
	}
}

// playOut plays a session at random, from its beginning to its group.
func (b *bench) playOut(seed uint64, d *dice, host *lobby) played {
	w := b.enter(seed)
	w.walk()
	return w.leave(d, host)
}

// enter begins a session.
func (b *bench) enter(seed uint64) *walker {
	w := &walker{b: b, rnd: rand.New(rand.NewPCG(seed, 5)), speaks: []string{byChat, byResponses, byMessages, byTexts, "", ""}[seed%6]}
	made, err := b.gateway.Make(b.t.Context(), Spec{Name: "p", Group: fmt.Sprint("g", seed)}, 0, b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	w.s = made.Sessions[0]
	return w
}

// leave ends the session, and waits for its group.
func (w *walker) leave(d *dice, host *lobby) played {
	b := w.b
	if err := b.gateway.Reward(b.t.Context(), w.s.ID, Reward{Reward: 1}); err != nil {
		b.t.Error(err)
	}
	if err := b.gateway.End(b.t.Context(), w.s.ID, End{}); err != nil {
		b.t.Error(err)
	}
	r := <-host.of(w.s.Problem)
	b.gateway.mu.Lock()
	of := b.gateway.sessions[w.s.ID].group
	b.gateway.mu.Unlock()
	b.gateway.forget(of)
	one := played{Session: w.s.ID, Wire: w.log, Engine: d.take(w.s.Problem), Outcome: r.Trajectories[0].Outcome, Groups: map[string]*quintain.Group{}}
	for _, how := range []rollout.Sequences{rollout.WholeEpisodes, rollout.EachTurn} {
		j, err := rollout.Rules{Estimator: rollout.None, Sequences: how, KeepEqual: true}.Judge(r)
		g := j.Group
		if err == nil && g != nil {
			err = g.Check()
		}
		if err != nil {
			b.t.Error(err)
		}
		one.Groups[string(how)] = g
	}
	return one
}

// checker starts the checker, and returns where it reads sessions and a function that waits for
// its judgement. Without Python nobody checks more than that all can be played.
func checker(t *testing.T) (io.Writer, func()) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		return io.Discard, func() {}
	}
	c := exec.CommandContext(t.Context(), python, "../conformance/trained_tokens.py")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var says bytes.Buffer
	c.Stdout, c.Stderr = &says, &says
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return in, func() {
		_ = in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("the checker: %v", err)
		}
		t.Logf("%s", says.Bytes())
	}
}
