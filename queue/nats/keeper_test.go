package nats_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// childKeeper is the environment variable that makes a child process the owner of a queue, or a
// standby: a keeperConfig.
const childKeeper = "QUINTAIN_TEST_KEEPER"

// A keeperConfig is the task of a keeper.
type keeperConfig struct {
	URL   string
	First int // number of its first group
}

// The words of a keeper, one per line, all but the first with the ID of a group.
const (
	saysOwner  = "owner"  // it owns the queue
	saysPut    = "put"    // the group was put
	saysAcking = "acking" // the group is about to be acknowledged
	saysAcked  = "acked"  // the group was acknowledged
)

// keep waits for the queue, then puts and acknowledges groups until it is killed or another
// process takes the queue.
func keep(config string) int {
	var c keeperConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return fail(err)
	}
	ctx := context.Background()
	s, err := nats.Open(ctx, c.URL, nats.Options{Replicas: 3, Standby: true, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return fail(err)
	}
	q, err := queue.Open(ctx, s, queue.Options{})
	if err != nil {
		return fail(err)
	}
	say(saysOwner, "")
	ended := make(chan error, 4)
	for k := range 3 {
		go func() { ended <- produce(q, c.First+100_000*k) }()
	}
	go func() { ended <- consume(q) }()
	return fail(<-ended) // the others end with the process
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// say writes a line at once, so that it survives the process.
func say(what, id string) { fmt.Fprintln(os.Stdout, what, id) }

// produce puts groups numbered from first, each until its success is certain.
func produce(q *queue.Queue, first int) error {
	for i := first; ; i++ {
		g := queuetest.Group(i)
		err := insist(func() error {
			_, err := q.PutAll(context.Background(), []*quintain.Group{g})
			return err
		})
		if err != nil {
			return err
		}
		say(saysPut, g.ID)
	}
}

// consume leases and acknowledges groups, each batch until its success is certain.
func consume(q *queue.Queue) error {
	for {
		var list []queue.Delivery
		err := insist(func() (err error) {
			list, err = q.Lease(context.Background(), queue.Want{Consumer: "a", Max: 5})
			return err
		})
		if err != nil {
			return err
		}
		var seqs []uint64
		for _, d := range list {
			say(saysAcking, d.ID)
			seqs = append(seqs, d.Seq)
		}
		err = insist(func() error { return q.Ack(context.Background(), "a", seqs...) })
		if err != nil {
			return err
		}
		for _, d := range list {
			say(saysAcked, d.ID)
		}
	}
}

// insist repeats do until it succeeds or cannot.
func insist(do func() error) error {
	for {
		err := do()
		if !errors.Is(err, queue.ErrUnreachable) && !errors.Is(err, queue.ErrUncertain) {
			return err
		}
		fmt.Fprintln(os.Stderr, time.Now(), err)
	}
}

// A ledger is the words of the keepers.
type ledger struct {
	mu     sync.Mutex
	owner  int              // the last keeper to own the queue
	put    map[string]bool  // IDs
	acking map[string]bool  // IDs
	acked  map[string][]int // keepers, by ID
	puts   []time.Time      // when groups were put
	heard  chan struct{}    // closed at the next line
}

func newLedger() *ledger {
	return &ledger{owner: -1, put: map[string]bool{}, acking: map[string]bool{}, acked: map[string][]int{}, heard: make(chan struct{})}
}

// note records a line of keeper i.
func (l *ledger) note(i int, line string) {
	what, id, _ := strings.Cut(line, " ")
	l.mu.Lock()
	defer l.mu.Unlock()
	switch what {
	case saysOwner:
		l.owner = i
	case saysPut:
		l.put[id] = true
		l.puts = append(l.puts, time.Now())
	case saysAcking:
		l.acking[id] = true
	case saysAcked:
		l.acked[id] = append(l.acked[id], i)
	}
	close(l.heard)
	l.heard = make(chan struct{})
}

// await waits until ok holds.
func (l *ledger) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		l.mu.Lock()
		done, heard := ok(), l.heard
		l.mu.Unlock()
		if done {
			return
		}
		select {
		case <-heard:
		case <-late:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// work waits for n more puts, and returns the longest pause between two.
func (l *ledger) work(t *testing.T, n int) (pause time.Duration) {
	t.Helper()
	l.mu.Lock()
	from := len(l.puts)
	times := []time.Time{time.Now()}
	l.mu.Unlock()
	l.await(t, "groups to be put", func() bool { return len(l.puts) >= from+n })
	l.mu.Lock()
	defer l.mu.Unlock()
	times = append(times, l.puts[from:]...)
	for i := range times[1:] {
		pause = max(pause, times[i+1].Sub(times[i]))
	}
	return pause
}

// check compares the keepers' words with the waiting groups at the end.
func (l *ledger) check(t *testing.T, waiting []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	lost, twice := 0, 0
	for id := range l.put {
		if len(l.acked[id]) == 0 && !l.acking[id] && !slices.Contains(waiting, id) {
			lost++
			t.Errorf("group %s was put, is not acknowledged and does not wait", id)
		}
	}
	for id, by := range l.acked {
		if len(by) > 1 || slices.Contains(waiting, id) {
			twice++
			t.Errorf("group %s was acknowledged by keepers %v; it waits: %t", id, by, slices.Contains(waiting, id))
		}
	}
	t.Logf("%d groups put, %d acknowledged, %d wait; %d lost, %d acknowledged twice", len(l.put), len(l.acked), len(waiting), lost, twice)
}

// A keeper is a process with its own network to each node.
type keeper struct {
	proxies []*proxy
	proc    *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	said    string        // its last words
}

// startKeeper starts keeper i with groups numbered from first.
func startKeeper(t *testing.T, k *keeper, i, first int, l *ledger) {
	t.Helper()
	var list []string
	for _, p := range k.proxies {
		list = append(list, p.url())
	}
	config, err := json.Marshal(keeperConfig{URL: strings.Join(list, ","), First: first})
	if err != nil {
		t.Fatal(err)
	}
	k.proc = exec.Command(os.Args[0])
	k.proc.Env = append(os.Environ(), childKeeper+"="+string(config))
	out, err := k.proc.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	words, err := k.proc.StderrPipe()
	if err == nil {
		err = k.proc.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	k.ended = make(chan struct{})
	go func(proc *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l.note(i, lines.Text())
		}
		last, _ := io.ReadAll(words)
		k.said = string(last)
		_ = proc.Wait() // fails, because of the kill
	}(k.proc, k.ended)
}
