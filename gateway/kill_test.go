package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// childDir is the variable of the environment with the folder of a child process.
const childDir = "QUINTAIN_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Println("error", child(dir))
		return
	}
	os.Exit(m.Run())
}

// A keeper is a host that keeps groups in a queue.
type keeper struct {
	desk
	queue *queue.Queue
}

func (k *keeper) Judge(ctx context.Context, r rollout.Result) (rollout.Drop, error) {
	j, err := rollout.Rules{Estimator: rollout.None, TurnDiscount: 1, KeepEqual: true}.Judge(r)
	g, drop := j.Group, j.Drop
	if err != nil || g == nil {
		return drop, err
	}
	_, err = k.queue.Put(ctx, g)
	if _, before := errors.AsType[*queue.ConflictError](err); before {
		return rollout.DropDuplicate, nil
	}
	return "", err
}

// child is a gateway with a queue, in a process that will be killed. It says where it listens.
func child(dir string) error {
	ctx := context.Background()
	q, err := openQueue(ctx, dir)
	if err != nil {
		return err
	}
	hermes, err := toolcall.Named("hermes")
	if err != nil {
		return err
	}
	c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret"), Keys: true, Folder: filepath.Join(dir, "sessions")}
	c.Settings.Hold = 1 << 10 // most of the sessions that a new process finds stay on disk
	g, err := New(c)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server, err := web.New(web.Config{Name: "child", Routes: g.Routes()})
	if err != nil {
		return err
	}
	go func() {
		<-g.opened
		fmt.Printf("at http://%s\n", l.Addr())
		_ = http.Serve(l, server) //nolint:gosec // killed soon
	}()
	return g.Run(ctx, Player{Policy: exact.New(newDice(rand.Uint64(), policy.End), exact.Bytes{}), Format: hermes}, &keeper{queue: q})
}

func openQueue(ctx context.Context, dir string) (*queue.Queue, error) {
	store, err := files.Open(filepath.Join(dir, "queue"), files.Options{})
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, store, queue.Options{})
}

// A drill is clients of a gateway that is killed again and again.
type drill struct {
	t     *testing.T
	dir   string
	url   string
	left  atomic.Int64 // answers until the next kill
	kill  func()
	names atomic.Int64
}

// A client drives one session at a time.
type client struct {
	*drill
	rnd  *rand.Rand
	open *known
	done []*known

	making string // the group of a session that it asked for, without an answer
}

// A known session is what a client knows of it, from the answers that it got.
type known struct {
	MadeSession
	group   string
	talk    []map[string]any
	pending string   // a call without an answer
	bodies  []string // of calls
	replies []string // to them, byte by byte
	stamps  []string // of the replies
	tokens  int      // of the replies
	reward  float64  // 0: not given
	ended   bool
	void    string // a key before its own
	rekeyed bool   // it asked for a new key, and got none yet
}

// Whatever a client of a killed gateway was told holds after the restart, and training gets it
// once.
func TestKilledGateways(t *testing.T) {
	d := &drill{t: t, dir: t.TempDir()}
	var clients []*client
	for i := range 3 {
		clients = append(clients, &client{drill: d, rnd: rand.New(rand.NewPCG(uint64(i), 11))})
	}
	rnd := rand.New(rand.NewPCG(1, 12))
	for round := range kills + 1 {
		wait := d.start()
		d.left.Store(int64(1 + rnd.IntN(40)))
		if round == kills {
			d.left.Store(1 << 40)
		}
		var all sync.WaitGroup
		for _, c := range clients {
			all.Go(func() {
				c.verify()
				for round < kills && c.step() {
				}
				if round == kills {
					c.finish()
				}
			})
		}
		all.Wait()
		d.kill()
		wait()
		if t.Failed() {
			t.Fatalf("after %d kills", round)
		}
	}
	d.checkQueue(clients)
}

// start starts a gateway, and returns a function that waits for its end.
func (d *drill) start() (wait func()) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	c := exec.CommandContext(d.t.Context(), self)
	c.Env = append(os.Environ(), childDir+"="+d.dir)
	out, err := c.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "at ") {
		d.t.Fatalf("the gateway does not begin: %s", lines.Text())
	}
	d.url = strings.TrimPrefix(lines.Text(), "at ")
	d.kill = sync.OnceFunc(func() { _ = c.Process.Kill() })
	return func() { _ = c.Wait() }
}

// ask makes a request; ok is false if the gateway was killed. Another status than want is a fault.
func (c *client) ask(want int, method, path, key, body string, again bool) (text string, ok bool) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return "", false
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if again {
		r.Header.Set("X-Stainless-Retry-Count", "1")
	}
	if path == "/v1/sessions" {
		r.Header.Set("Idempotency-Key", c.making)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", false
	}
	if resp.StatusCode != want {
		c.t.Errorf("%s %s: status %d, want %d: %s", method, path, resp.StatusCode, want, data)
		return "", false
	}
	if c.left.Add(-1) == 0 {
		c.kill()
	}
	return string(data), true
}

// step does something with the session; it reports whether the gateway lives.
func (c *client) step() bool {
	s := c.open
	switch n := c.rnd.IntN(10); {
	case s == nil:
		return c.make()
	case len(s.replies) == 0 || n < 6:
		return c.call()
	case n < 7:
		return c.rekey()
	case n < 8:
		return c.give()
	default:
		return c.give() && c.end()
	}
}

func (c *client) make() bool {
	if c.making == "" {
		c.making = fmt.Sprint("g", c.names.Add(1))
	}
	text, ok := c.ask(201, "POST", "/v1/sessions", "", `{"name": "drill", "group": "`+c.making+`"}`, false)
	var m Made
	if !ok || json.Unmarshal([]byte(text), &m) != nil {
		return false
	}
	c.open, c.making = &known{MadeSession: m.Sessions[0], group: c.making}, ""
	return true
}

// call makes the next call of the session, or that which has no answer yet.
func (c *client) call() bool {
	s := c.open
	again := s.pending != "" && c.rnd.IntN(3) > 0
	if s.pending == "" {
		s.talk = append(s.talk, message("user", fmt.Sprint("go on ", len(s.talk))))
		body, err := json.Marshal(map[string]any{"messages": s.talk})
		if err != nil {
			c.t.Error(err)
		}
		s.pending = string(body)
	}
	text, ok := c.ask(200, "POST", "/v1/chat/completions", s.Key, s.pending, again)
	if !ok {
		return false
	}
	var in struct {
		Choices []struct{ Message map[string]any }
		Usage   struct {
			Completed int `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		c.t.Error(err)
		return false
	}
	m := in.Choices[0].Message
	all, _ := json.Marshal(m)
	s.stamps = append(s.stamps, stampIn(string(all)))
	s.bodies, s.replies, s.pending = append(s.bodies, s.pending), append(s.replies, text), ""
	s.talk, s.tokens = append(s.talk, m), s.tokens+in.Usage.Completed
	return true
}

// stampIn returns the first stamp of a dice in a text.
func stampIn(text string) string {
	word := ""
	for _, c := range text {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if word += string(c); len(word) == 10 && !strings.HasPrefix("completions", word) {
				return word
			}
			continue
		}
		word = ""
	}
	return ""
}

func (c *client) give() bool {
	s, reward := c.open, 1+float64(c.rnd.IntN(100))/8
	if _, ok := c.ask(200, "POST", "/v1/sessions/"+s.ID+"/reward", "", fmt.Sprintf(`{"reward": %g}`, reward), false); !ok {
		s.reward = -1 // this one or the one before
		return false
	}
	s.reward = reward
	return true
}

// rekey gets a new key of the session.
func (c *client) rekey() bool {
	s := c.open
	s.rekeyed = true // from here on its key may be void
	text, ok := c.ask(200, "POST", "/v1/sessions/"+s.ID+"/key", "", "", false)
	var made struct{ Key string }
	if !ok || json.Unmarshal([]byte(text), &made) != nil {
		return false
	}
	s.void, s.Key, s.rekeyed = s.Key, made.Key, false
	return true
}

func (c *client) end() bool {
	s := c.open
	if s.pending != "" {
		return c.call()
	}
	if s.ended = true; s.reward <= 0 {
		s.ended = false
		return c.give()
	}
	if _, ok := c.ask(200, "POST", "/v1/sessions/"+s.ID+"/end", "", "", false); !ok {
		c.done, c.open = append(c.done, s), nil
		return false
	}
	c.done, c.open = append(c.done, s), nil
	return true
}

// verify looks at the session after a restart: its key opens it and the one before does not, its calls are there, a retry
// gets the same reply, and its reward is what was given.
func (c *client) verify() {
	s := c.open
	if s == nil {
		return
	}
	if s.rekeyed && !c.rekey() {
		return
	}
	if s.void != "" {
		c.ask(401, "GET", "/v1/models", s.void, "", false)
	}
	text, ok := c.ask(200, "GET", "/v1/sessions/"+s.ID+"/calls", "", "", false)
	for i := range s.replies {
		if ok && !strings.Contains(text, s.stamps[i]) {
			c.t.Errorf("call %d of %s is lost: %s", i, s.ID, text)
		}
	}
	text, ok = c.ask(200, "GET", "/v1/sessions/"+s.ID, "", "", false)
	var v View
	if ok && json.Unmarshal([]byte(text), &v) == nil && s.reward > 0 && (v.Reward == nil || *v.Reward != s.reward) {
		c.t.Errorf("the reward of %s is lost: %s", s.ID, text)
	}
	if n := len(s.replies); ok && n > 0 {
		if text, ok := c.ask(200, "POST", "/v1/chat/completions", s.Key, s.bodies[n-1], true); ok && text != s.replies[n-1] {
			c.t.Errorf("the retry got\n%s\nwant\n%s", text, s.replies[n-1])
		}
	}
}

// finish ends the session, and asks for the end of all others again, until their groups are done.
func (c *client) finish() {
	if s := c.open; s != nil {
		ok := len(s.replies) > 0 && s.pending == "" || c.call()
		if !ok || !c.give() || !c.end() {
			c.t.Error("the last gateway does not answer")
		}
	}
	for _, s := range c.done {
		for waits := true; waits && !c.t.Failed(); {
			r, err := http.Post(c.url+"/v1/sessions/"+s.ID+"/end", "application/json", nil)
			if err != nil {
				c.t.Error(err)
				return
			}
			r.Body.Close()
			if r.StatusCode == http.StatusNotFound { // its group was done in an earlier process
				break
			}
			text, _ := c.ask(200, "GET", "/v1/groups/"+s.group, "", "", false)
			waits = !strings.Contains(text, `"done":true`)
		}
	}
}

// checkQueue compares what the queue has with what the clients know.
func (d *drill) checkQueue(clients []*client) {
	q, err := openQueue(d.t.Context(), d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	defer q.Close()
	all, err := q.Lease(d.t.Context(), queue.Want{Consumer: "t", Max: 1 << 20})
	if err != nil {
		d.t.Fatal(err)
	}
	groups := map[string]*quintain.Group{}
	for _, one := range all {
		if groups[one.ID] != nil {
			d.t.Errorf("group %s is in the queue twice", one.ID)
		}
		groups[one.ID] = one.Group
	}
	sessions, replies := 0, 0
	for _, c := range clients {
		for _, s := range c.done {
			sessions, replies = sessions+1, replies+len(s.replies)
			d.checkGroup(s, groups[s.Problem])
		}
	}
	d.t.Logf("%d kills: %d sessions, %d calls", kills, sessions, replies)
	if sessions == 0 {
		d.t.Error("no session came to its end")
	}
}

// checkGroup compares the group of a session with what its client knows.
func (d *drill) checkGroup(s *known, g *quintain.Group) {
	if g == nil {
		d.t.Errorf("the session %s with %d calls is lost", s.ID, len(s.replies))
		return
	}
	if g.Scores[0] != s.reward {
		d.t.Errorf("the score of %s is %v, want %v", s.ID, g.Scores[0], s.reward)
	}
	trained, n := "", 0
	for _, masks := range g.Masks {
		for _, m := range masks {
			if m != quintain.Untrained {
				trained, n = trained+string(m), n+1
			}
		}
	}
	for _, stamp := range s.stamps {
		if strings.Count(trained, stamp) != 1 {
			d.t.Errorf("session %s: the reply %q is trained on %d times", s.ID, stamp, strings.Count(trained, stamp))
		}
	}
	if n != s.tokens {
		d.t.Errorf("session %s: %d tokens are trained on, its client got %d", s.ID, n, s.tokens)
	}
}
