package nats_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// childNode is the environment variable that makes a child process a cluster's node: a
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
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: c.Route, NoAdvertise: true},
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
	js    jetstream.JetStream
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
	c.js = connect(t, c.url(), natsio.MaxReconnects(-1), natsio.RetryOnFailedConnect(true))
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

// kill ends node i as a power cut would.
func (c *cluster) kill(i int) {
	_ = c.procs[i].Process.Kill()
	_ = c.procs[i].Wait() // fails, because of the kill
}

// url lists the servers.
func (c *cluster) url() string {
	list := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		list[i] = "nats://" + n.address()
	}
	return strings.Join(list, ",")
}

func (n nodeConfig) address() string { return fmt.Sprintf("127.0.0.1:%d", n.Port) }

// leader is the number of the node that leads a stream.
func (c *cluster) leader(stream string) int {
	c.t.Helper()
	for i, n := range c.nodes {
		if n.Name == c.replicas(stream).Leader {
			return i
		}
	}
	c.t.Fatalf("stream %s has no leader", stream)
	return 0
}

// replicas returns the state of a stream's copies; zero if unknown.
func (c *cluster) replicas(stream string) jetstream.ClusterInfo {
	st, err := c.js.Stream(c.t.Context(), stream)
	if err != nil || st.CachedInfo().Cluster == nil {
		return jetstream.ClusterInfo{}
	}
	return *st.CachedInfo().Cluster
}

// awaitMeta waits until the cluster takes orders.
func (c *cluster) awaitMeta() {
	c.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		if _, err := c.js.AccountInfo(c.t.Context()); err == nil {
			return
		} else if time.Now().After(deadline) {
			c.t.Fatal(err)
		}
		<-time.After(100 * time.Millisecond)
	}
}

// awaitPeers waits until all copies are up to date: a cluster of three survives the loss of
// one node, not of a second that lags.
func (c *cluster) awaitPeers(streams ...string) {
	c.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for _, name := range streams {
		for !current(c.replicas(name)) {
			if time.Now().After(deadline) {
				c.t.Fatalf("a node does not catch up with stream %s", name)
			}
			<-time.After(100 * time.Millisecond)
		}
	}
}

// current reports whether all three copies are up to date.
func current(info jetstream.ClusterInfo) bool {
	if info.Leader == "" || len(info.Replicas) != 2 {
		return false
	}
	for _, r := range info.Replicas {
		if !r.Current || r.Offline {
			return false
		}
	}
	return true
}
