package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/groupform/groupformtest"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// childNode is the environment of a child process that is a node of a cluster: a
// nodeConfig.
const childNode = "QUINTAIN_TEST_NODE"

// A nodeConfig is a NATS server of a cluster.
type nodeConfig struct {
	Name   string
	Dir    string
	Port   int
	Route  int
	Routes []int // of all nodes
}

// node is a NATS server until it is killed.
func node(config string) {
	var c nodeConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	o := &server.Options{
		ServerName: c.Name, Host: "127.0.0.1", Port: c.Port, JetStream: true, StoreDir: c.Dir, SyncAlways: true, NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: c.Route},
	}
	for _, port := range c.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
}

// A cluster is three NATS servers, each a process.
type cluster struct {
	t     *testing.T
	nodes []nodeConfig
	procs []*exec.Cmd
	store queue.Store // that was opened last
}

// newCluster starts three servers that are stopped when the test ends.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, procs: make([]*exec.Cmd, 3)}
	ports := freePorts(t, 6)
	for i := range c.procs {
		name := fmt.Sprintf("n%d", i)
		c.nodes = append(c.nodes, nodeConfig{name, filepath.Join(t.TempDir(), name), ports[i], ports[3+i], ports[3:]})
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.procs {
			c.kill(i)
		}
	})
	return c
}

// freePorts returns unused ports of the loopback.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func (c *cluster) start(i int) {
	c.t.Helper()
	config, err := json.Marshal(c.nodes[i])
	if err != nil {
		c.t.Fatal(err)
	}
	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), childNode+"="+string(config))
	p.Stderr = os.Stderr
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.procs[i] = p
}

// kill ends node i as a power cut of its machine does.
func (c *cluster) kill(i int) {
	_ = c.procs[i].Process.Kill()
	_ = c.procs[i].Wait() // says that it was killed
}

func (c *cluster) url() string {
	list := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		list[i] = fmt.Sprintf("nats://127.0.0.1:%d", n.Port)
	}
	return strings.Join(list, ",")
}

// open opens the queue as soon as the cluster is ready.
func (c *cluster) open() *queue.Queue {
	c.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		s, err := nats.Open(c.t.Context(), c.url(), nats.Options{Replicas: 3, Timeout: 3 * time.Second})
		var q *queue.Queue
		if err == nil {
			q, err = queue.Open(c.t.Context(), s, queue.Options{})
		}
		if err == nil {
			c.store = s
			return q
		}
		if time.Now().After(deadline) {
			c.t.Fatal(err)
		}
		<-time.After(200 * time.Millisecond)
	}
}

// passing reports whether a call must be repeated after err.
func passing(err error) bool {
	return errors.Is(err, queue.ErrUnreachable) || errors.Is(err, queue.ErrUncertain)
}

// A crew puts and takes groups while nodes are killed.
type crew struct {
	t   *testing.T
	q   *queue.Queue
	ctx context.Context // ends the work

	mu    sync.Mutex
	put   map[string]bool
	acked map[string]int
}

// produce puts groups of the numbers from first on, each until it is known to be kept.
func (c *crew) produce(first int) {
	for i := first; c.ctx.Err() == nil; i++ {
		g := groupformtest.Group(i)
		_, err := c.q.PutAll(context.Background(), []*quintain.Group{g})
		for passing(err) {
			_, err = c.q.PutAll(context.Background(), []*quintain.Group{g})
		}
		if err != nil {
			c.t.Errorf("put: %v", err)
			return
		}
		c.mu.Lock()
		c.put[g.ID] = true
		c.mu.Unlock()
	}
}

// consume takes groups and acknowledges them, each batch until it is known to be done; it ends
// when the work is over and nothing is left.
func (c *crew) consume() {
	for {
		over := c.ctx.Err() != nil
		list, err := c.q.Lease(context.Background(), queue.Want{Consumer: "a", Max: 5})
		if passing(err) {
			continue
		}
		if err != nil {
			c.t.Errorf("lease: %v", err)
			return
		}
		if len(list) == 0 && over {
			return
		}
		var seqs []uint64
		for _, d := range list {
			seqs = append(seqs, d.Seq)
		}
		err = c.q.Ack(context.Background(), "a", seqs...)
		for passing(err) {
			err = c.q.Ack(context.Background(), "a", seqs...)
		}
		if err != nil {
			c.t.Errorf("ack: %v", err)
			return
		}
		c.mu.Lock()
		for _, d := range list {
			c.acked[d.ID]++
		}
		c.mu.Unlock()
	}
}

// count is how many groups were put so far.
func (c *crew) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.put)
}

// await waits until n groups were put.
func (c *crew) await(n int) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for c.count() < n && !c.t.Failed() {
		<-tick.C
	}
}

// TestClusterLosesNothing kills one node after another of a cluster of three, under load,
// and starts it again. What was kept is delivered, once.
func TestClusterLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Log("three servers and their elections: not in short mode")
		return
	}
	nodes := newCluster(t)
	q := nodes.open()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := &crew{t: t, q: q, ctx: ctx, put: make(map[string]bool), acked: make(map[string]int)}
	var work sync.WaitGroup
	for k := range 3 {
		work.Go(func() { c.produce(1_000_000 * (k + 1)) })
	}
	work.Go(c.consume)
	for i := range nodes.procs {
		c.await(c.count() + 40)
		nodes.kill(i)
		c.await(c.count() + 40) // two of three go on
		nodes.start(i)
		nodes.awaitPeers()
	}
	stop()
	work.Wait()
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q = nodes.open()
	defer queuetest.Close(t, q)
	waiting := queuetest.IDs(q)
	for id := range c.put {
		if n := c.acked[id]; n != 1 && !(n == 0 && slices.Contains(waiting, id)) {
			t.Errorf("group %s was acknowledged %d times, and does not wait", id, n)
		}
	}
	for _, id := range waiting {
		if c.acked[id] > 0 {
			t.Errorf("group %s waits, and was acknowledged", id)
		}
	}
	if s := q.Stats(); s.Lost > 0 || s.Corrupt > 0 {
		t.Errorf("%d groups are missing, %d corrupt", s.Lost, s.Corrupt)
	}
	t.Logf("%d groups put, %d acknowledged, three nodes killed", len(c.put), len(c.acked))
}

// awaitPeers waits until the copies of all nodes are up to date: a cluster of three
// bears the loss of one, not of a second one that has not caught up.
func (c *cluster) awaitPeers() {
	c.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !nats.Replicated(c.t.Context(), c.store) {
		if time.Now().After(deadline) {
			c.t.Fatal("a node does not catch up")
		}
		<-time.After(100 * time.Millisecond)
	}
}
