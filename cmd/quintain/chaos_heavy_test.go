//go:build heavy && linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
)

var (
	chaosRounds = flag.Int("chaos", 6, "rounds of TestChaos and of TestChaosOfAnEpoch")
	chaosFaults = flag.String("chaos-faults", "", "those of their faults whose names match")
	chaosSeed   = flag.Uint64("chaos-seed", 1, "seed of their faults")
)

// chaosKey opens all routes.
const chaosKey = "a-key-of-the-chaos-tests"

// A chaos is a fleet under faults: three NATS servers, two coordinators of which one stands by,
// six workers, two inference servers, and a trainer.
type chaos struct {
	*lab
	rng      *rand.Rand
	nats     []*labHost
	owners   []*labHost
	workers  []*labHost
	engines  []*labHost
	folders  []string
	streams  []rollout.Stream
	trainer  *chaosTrainer
	watch    *ownerWatch
	finished sync.WaitGroup
}

// newChaos starts a fleet that plays the problems that a setting names, and examines with so many
// of each task.
func newChaos(t *testing.T, setting, problems, exams string) *chaos {
	t.Helper()
	c := &chaos{lab: newLab(t), rng: rand.New(rand.NewPCG(*chaosSeed, 0))}
	keys := filepath.Join(c.dir, "keys")
	if err := os.WriteFile(keys, []byte(chaosKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var urls string
	c.nats, urls = c.nodes()
	program := []string{asProgram + "=1"}
	args := []string{"--policy", "server", "--tokenizer", "bytes", "--with", "policy.key_file=" + keys}
	for i := range 2 {
		e := c.host(fmt.Sprintf("engine%d", i), 41+i, program, "policy", "fake", "--host", "{addr}", "--tokenizer", "bytes", "--rate", "60", "--key-file", keys)
		c.engines = append(c.engines, e)
		args = append(args, "--url", "http://"+e.addr+":8000")
	}
	args = append(args, "--"+setting, problems)
	for i := range 2 {
		c.folders = append(c.folders, filepath.Join(c.dir, fmt.Sprintf("data%d", i)))
		run := []string{
			"run", "--workers", "--host", "{addr}", "--key-file", keys, "--data", c.folders[i], "--nats-url", urls, "--with", "store.nats_replicas=3", "--with", "store.nats_synced=true", "--with", "store.nats_standby=true",
			"--consumer", "hub", "--with", "rules.keep_equal=true", "--max-lag", "1000000", "--group-size", "4", "--parallel", "256", "--with", "run.exam_every=0s", "--exam-problems", exams, "--with", "fleet.lease=6s", "--log-level", "debug",
		}
		c.owners = append(c.owners, c.host(fmt.Sprintf("owner%d", i), 21+i, program, append(run, args...)...))
	}
	c.watch = &ownerWatch{c: c, file: filepath.Join(c.dir, "address")}
	c.trainer = &chaosTrainer{c: c, acked: map[string]string{}}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() { stop(); c.finished.Wait() })
	c.finished.Go(func() { c.watch.run(ctx) })
	c.finished.Go(func() { c.trainer.run(ctx) })
	for i := range 6 {
		c.workers = append(c.workers, c.host(fmt.Sprintf("worker%d", i), 31+i, program,
			"worker", "--coordinator", "@"+c.watch.file, "--coordinator-key-file", keys, "--with", "policy.key_file="+keys, "--slots", "32", "--with", "worker.name="+fmt.Sprint(i)))
	}
	from := settings.Sources{Flags: map[string]settings.Given{"policy.kind": {Text: "server"}, "policy.url": {Text: "http://" + c.engines[0].addr + ":8000"},
		"policy.tokenizer": {Text: "bytes"}, setting: {Text: problems}}}
	of, err := (&world{}).configOf("run", from)
	if err != nil {
		t.Fatal(err)
	}
	if c.streams, err = of.runStreams(); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends a request to a host, and returns the status, 0 without an answer, and the body.
func (c *chaos) ask(within time.Duration, method, addr, path, body string) (status int, header http.Header, text []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+addr+":8000"+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Close = true
	r.Header.Set("Authorization", "Bearer "+chaosKey)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil
	}
	defer reply.Body.Close()
	if text, err = io.ReadAll(reply.Body); err != nil {
		return 0, nil, nil
	}
	return reply.StatusCode, reply.Header, text
}

// An ownerWatch finds which coordinator owns the run, writes its address for the workers, as a
// Kubernetes Service would, and notes when it grants.
type ownerWatch struct {
	c    *chaos
	file string

	mu      sync.Mutex
	owner   *labHost
	granted float64     // of the owner
	grants  []time.Time // when that was seen to rise
}

var grantedTotal = regexp.MustCompile(`(?m)^quintain_fleet_granted_total (\S+)$`)

func (w *ownerWatch) run(ctx context.Context) {
	for ctx.Err() == nil {
		for _, h := range w.c.owners {
			if status, _, _ := w.c.ask(300*time.Millisecond, "GET", h.addr, "/readyz", ""); status == http.StatusOK {
				w.see(h)
			}
		}
		later(30 * time.Millisecond)
	}
}

// see notes what the owner says.
func (w *ownerWatch) see(h *labHost) {
	_, _, text := w.c.ask(time.Second, "GET", h.addr, "/metrics", "")
	found := grantedTotal.FindSubmatch(text)
	if found == nil {
		return
	}
	granted, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		w.c.t.Errorf("metrics: %v", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.owner != h {
		w.owner, w.granted = h, 0
		if err := os.WriteFile(w.file+".new", []byte("http://"+h.addr+":8000\n"), 0o600); err != nil {
			w.c.t.Error(err)
		}
		if err := os.Rename(w.file+".new", w.file); err != nil {
			w.c.t.Error(err)
		}
	}
	if granted < w.granted {
		w.granted = 0 // it was started again
	}
	if granted > w.granted {
		w.granted = granted
		w.grants = append(w.grants, time.Now())
	}
}

// now returns the owner, and the last grant.
func (w *ownerWatch) now() (*labHost, time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.grants) == 0 {
		return w.owner, time.Time{}
	}
	return w.owner, w.grants[len(w.grants)-1]
}

// gap is the longest time without a grant since from.
func (w *ownerWatch) gap(from time.Time) (longest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range append(slices.Clone(w.grants), time.Now()) {
		if at.After(from) {
			longest, from = max(longest, at.Sub(from)), at
		}
	}
	return longest
}

// A chaosTrainer takes batches and acknowledges them, each until it has an answer.
type chaosTrainer struct {
	c *chaos

	mu    sync.Mutex
	acked map[string]string // batch by ID of a group
	twice []string
	kill  bool // it is to be killed with its next batch
}

func (t *chaosTrainer) run(ctx context.Context) {
	known := false
	for ctx.Err() == nil {
		owner, _ := t.c.watch.now()
		if owner == nil {
			later(100 * time.Millisecond)
			continue
		}
		if !known {
			status, _, _ := t.c.ask(10*time.Second, "POST", owner.addr, "/v1/runs/default/register?trainer=chaos", `{"wandb_group":"","wandb_project":"","batch_size":4,"batch_unit":"groups",
				"max_token_len":100000,"checkpoint_dir":"","save_checkpoint_interval":0,"starting_step":0,"num_steps":1000000}`)
			known = status == http.StatusOK
		}
		status, header, body := t.c.ask(10*time.Second, "POST", owner.addr, "/v1/runs/default/batches?trainer=chaos&wait=2", "")
		switch {
		case status == http.StatusOK && t.killed():
			later(3 * time.Second)
			known = false
		case status == http.StatusOK:
			t.take(ctx, header.Get("Quintain-Batch"), body)
		case status == http.StatusConflict:
			known = false
		case status != http.StatusNoContent:
			later(100 * time.Millisecond)
		}
	}
}

// killed reports whether the trainer was killed with a batch. When it registers again, it gets
// the batch again.
func (t *chaosTrainer) killed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.kill
	t.kill = false
	return was
}

// take acknowledges a batch.
func (t *chaosTrainer) take(ctx context.Context, batch string, body []byte) {
	var groups struct {
		Batch []struct {
			ID string `json:"id"`
		} `json:"batch"`
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&groups); err != nil {
		t.c.t.Errorf("batch %s: %v", batch, err)
		return
	}
	for ctx.Err() == nil {
		owner, _ := t.c.watch.now()
		status, _, text := t.c.ask(10*time.Second, "POST", owner.addr, "/v1/runs/default/batches/"+batch+"/ack?trainer=chaos", "")
		if status == http.StatusOK {
			break
		}
		if status == http.StatusConflict || status == http.StatusGone {
			t.c.t.Errorf("ack of batch %s: %d %s", batch, status, text)
			return
		}
		later(100 * time.Millisecond)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range groups.Batch {
		if before, ok := t.acked[g.ID]; ok && before != batch {
			t.twice = append(t.twice, fmt.Sprintf("%s in batches %s and %s", g.ID, before, batch))
		}
		t.acked[g.ID] = batch
	}
}

// has reports whether a group was acknowledged.
func (t *chaosTrainer) has(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.acked[id]
	return ok
}

// A fault is done to hosts for a while; undo, if any, ends it before they are healed.
type fault struct {
	name string
	do   func(c *chaos) (undo func())
	last time.Duration // at most
}

// on makes a fault of one host of some.
func on(pick func(c *chaos) []*labHost, do func(h *labHost)) func(c *chaos) func() {
	return func(c *chaos) func() {
		all := pick(c)
		do(all[c.rng.IntN(len(all))])
		return nil
	}
}

func kill(h *labHost)   { h.signal(syscall.SIGKILL) }
func freeze(h *labHost) { h.signal(syscall.SIGSTOP) }
func end(h *labHost)    { h.signal(syscall.SIGTERM) }

func theOwner(c *chaos) []*labHost {
	owner, _ := c.watch.now()
	return []*labHost{owner}
}
func someNATS(c *chaos) []*labHost   { return c.nats }
func someWorker(c *chaos) []*labHost { return c.workers }
func someEngine(c *chaos) []*labHost { return c.engines }

// faults are what the rounds choose from; those named owner are timed.
var faults = []fault{
	{"owner killed", on(theOwner, kill), time.Second},
	{"owner frozen", on(theOwner, freeze), 10 * time.Second},
	{"owner cut off", on(theOwner, (*labHost).cut), 10 * time.Second},
	{"owner ended", on(theOwner, end), time.Second},
	{"NATS server killed", on(someNATS, kill), 5 * time.Second},
	{"NATS server frozen", on(someNATS, freeze), 10 * time.Second},
	{"NATS server cut off", on(someNATS, (*labHost).cut), 10 * time.Second},
	{"disk of a NATS server full", func(c *chaos) func() {
		h := c.nats[c.rng.IntN(3)]
		free := h.fill()
		return func() { free(); h.stop() } // a server whose disk was full must be started again
	}, 8 * time.Second},
	{"worker killed", on(someWorker, kill), time.Second},
	{"worker frozen", on(someWorker, freeze), 30 * time.Second},
	{"worker cut off", on(someWorker, (*labHost).cut), 20 * time.Second},
	{"worker ended", on(someWorker, end), time.Second},
	{"engine killed", on(someEngine, kill), 5 * time.Second},
	{"engine frozen", on(someEngine, freeze), 10 * time.Second},
	{"trainer killed", func(c *chaos) func() {
		c.trainer.mu.Lock()
		defer c.trainer.mu.Unlock()
		c.trainer.kill = true
		return nil
	}, time.Second},
}

// rounds does a fault after the other, and returns the longest times without a grant, by fault.
func (c *chaos) rounds(n int) map[string][]time.Duration {
	c.t.Helper()
	gaps := map[string][]time.Duration{}
	chosen := regexp.MustCompile(*chaosFaults)
	of := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !chosen.MatchString(f.name) })
	deck := []int{}
	for round := range n {
		if len(deck) == 0 {
			deck = c.rng.Perm(len(of))
		}
		f := of[deck[0]]
		deck = deck[1:]
		begin := time.Now()
		undo := f.do(c)
		later(time.Duration((0.3 + 0.7*c.rng.Float64()) * float64(f.last)))
		if undo != nil {
			undo()
		}
		for _, h := range c.hosts {
			h.heal()
		}
		healed := time.Now()
		c.until(fmt.Sprintf("round %d, %s: no grants again", round, f.name), func() bool { _, last := c.watch.now(); return last.After(healed) })
		later(3 * time.Second)
		gap := c.watch.gap(begin)
		gaps[f.name] = append(gaps[f.name], gap)
		c.t.Logf("round %d: %s for %.1f s; %.1f s without a grant; %d groups trained on", round, f.name, healed.Sub(begin).Seconds(), gap.Seconds(), c.trained())
	}
	return gaps
}

func (c *chaos) trained() int {
	c.trainer.mu.Lock()
	defer c.trainer.mu.Unlock()
	return len(c.trainer.acked)
}

// until waits for two minutes until ok holds. Without it, the test fails, and tells more.
func (c *chaos) until(what string, ok func() bool, more ...func() string) {
	c.t.Helper()
	for late := time.Now().Add(2 * time.Minute); !ok(); later(200 * time.Millisecond) {
		if time.Now().Before(late) {
			continue
		}
		for _, h := range c.hosts {
			c.t.Logf("%s:\n%s", h.name, h.last())
		}
		for _, m := range more {
			what += ": " + m()
		}
		c.t.Fatal(what)
	}
}

// playedLine is what an owner logs of a group that it judged.
var playedLine = regexp.MustCompile(`msg=played problem=(\S+) .*drop=(\S+)`)

// dropped lists the groups that the owners dropped, with the reason. It goes by their logs: the
// traces lack the last lines of a process that was killed.
func (c *chaos) dropped() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	for _, h := range c.owners {
		text, err := os.ReadFile(h.said.Name())
		if err != nil {
			c.t.Fatal(err)
		}
		for _, found := range playedLine.FindAllStringSubmatch(string(text), -1) {
			if drop := found[2]; drop != `""` && drop != string(rollout.DropDuplicate) && drop != string(rollout.DropCancelled) {
				all[found[1]] = drop
			}
		}
	}
	return all
}

// of lists what the owners logged of a problem.
func (c *chaos) of(id string) (lines []string) {
	for _, h := range c.owners {
		text, err := os.ReadFile(h.said.Name())
		if err != nil {
			c.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, id+" ") || strings.HasSuffix(line, id+"\n") {
				lines = append(lines, h.name+": "+line)
			}
		}
	}
	return lines
}

// audit waits until each problem that was handed out is trained on, or was dropped for a reason;
// and checks that none is trained on twice, and none that is held out. Of a file, the first size
// problems are the epoch.
func (c *chaos) audit(size int) {
	c.t.Helper()
	begun := c.trained()
	later(5 * time.Second) // so that what is under way counts
	known := map[string]bool{}
	var want []string
	for _, s := range c.streams {
		for index := range c.highest(s) + 1 {
			p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
			if err != nil {
				c.t.Fatal(err)
			}
			heldOut := false
			if s.Size() == 0 {
				if heldOut, err = exam.Skip(s.Scenario)(p); err != nil {
					c.t.Fatal(err)
				}
			}
			known[p.ID()] = heldOut
			if !heldOut && (size == 0 || index < size) {
				want = append(want, p.ID())
			}
		}
	}
	var missing []string
	c.until("problems are lost", func() bool {
		missing = slices.DeleteFunc(slices.Clone(want), c.trainer.has)
		drops := c.dropped()
		missing = slices.DeleteFunc(missing, func(id string) bool { return drops[id] != "" })
		return len(missing) == 0
	}, func() string {
		return fmt.Sprintf("%d of %d: %v\n%s", len(missing), len(want), missing[:min(20, len(missing))], strings.Join(c.of(missing[0]), ""))
	})
	c.trainer.mu.Lock()
	defer c.trainer.mu.Unlock()
	for id := range c.trainer.acked {
		if heldOut, ok := known[id]; ok && heldOut {
			c.t.Errorf("%s is held out, and was trained on", id)
		}
	}
	for _, t := range c.trainer.twice {
		c.t.Errorf("twice: %s", t)
	}
	drops := map[string]int{}
	for id, why := range c.dropped() {
		if _, ok := known[id]; ok {
			drops[why]++
		}
	}
	c.t.Logf("%d problems: all trained on once, but those dropped: %v; %d groups trained on, %d before the last round's end", len(want), drops, len(c.trainer.acked), begun)
}

// highest is the highest index of a stream that was trained on.
func (c *chaos) highest(s rollout.Stream) (index int) {
	c.t.Helper()
	p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
	if err != nil {
		c.t.Fatal(err)
	}
	prefix := strings.TrimSuffix(p.ID(), "0")
	index = -1
	c.trainer.mu.Lock()
	defer c.trainer.mu.Unlock()
	for id := range c.trainer.acked {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, prefix)); err == nil {
			index = max(index, n)
		}
	}
	return index
}

// TestChaos breaks a fleet in all ways at once known: no problem is lost, none is trained on twice,
// none that is held out is trained on. With -v it tells how long nothing was granted.
func TestChaos(t *testing.T) {
	c := newChaos(t, "tasks", "chain_sum:0-1,spell_backward:0", "4")
	c.until("the fleet does not begin", func() bool { return c.trained() > 20 })
	gaps := c.rounds(*chaosRounds)
	c.audit(0)
	for name, all := range gaps {
		slices.Sort(all)
		t.Logf("%s: %d times, %.1f s without a grant in the middle, %.1f s at most", name, len(all), all[len(all)/2].Seconds(), all[len(all)-1].Seconds())
	}
}

// TestChaosOfAnEpoch is TestChaos with a file of 700 problems: each is finished once before any
// comes again.
func TestChaosOfAnEpoch(t *testing.T) {
	const size = 700
	var rows strings.Builder
	for i := range size {
		fmt.Fprintf(&rows, "{\"question\": \"What is %d + %d?\", \"answer\": \"%d\"}\n", i, 3*i, 4*i)
	}
	file := filepath.Join(t.TempDir(), "sums.jsonl")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newChaos(t, "problems", file, "0") // an examined run would hold some out
	c.until("the fleet does not begin", func() bool { return c.trained() > 20 })
	c.rounds(*chaosRounds)
	c.until("the epoch does not end", func() bool { return c.highest(c.streams[0]) >= size })
	c.audit(size)
}
