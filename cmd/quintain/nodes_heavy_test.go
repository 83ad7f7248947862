//go:build heavy

package main

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

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// asNode, set in the environment, makes the test binary a server of a NATS cluster: the options
// that TestMain reads.
const asNode = "TEST_AS_NATS"

// A natsNode is one of three NATS servers.
type natsNode struct {
	Name, Dir, Host string
	Port, Route     int
	Routes          []string // addresses of all three
}

// serveNode is a NATS server until it is killed, if the environment says so.
func serveNode() bool {
	text := os.Getenv(asNode)
	if text == "" {
		return false
	}
	if err := runNode(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFailed)
	}
	return true
}

// runNode runs a NATS server.
func runNode(text string) error {
	var n natsNode
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return err
	}
	o := &natsserver.Options{
		ServerName: n.Name, Host: n.Host, Port: n.Port, JetStream: true, StoreDir: n.Dir, SyncAlways: true, NoSigs: true, NoLog: true,
		Cluster: natsserver.ClusterOpts{Name: "test", Host: n.Host, Port: n.Route, NoAdvertise: true},
	}
	for _, route := range n.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: route})
	}
	s, err := natsserver.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}

// startNodes starts a cluster of three processes for the test, and returns its address.
func startNodes(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, 6)
	var urls, routes []string
	for _, port := range ports[3:] {
		routes = append(routes, fmt.Sprintf("127.0.0.1:%d", port))
	}
	for i := range 3 {
		n := natsNode{fmt.Sprintf("n%d", i), filepath.Join(t.TempDir(), "store"), "127.0.0.1", ports[i], ports[3+i], routes}
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(self)
		c.Env, c.Stderr = append(os.Environ(), asNode+"="+string(text)), os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait() // fails, because of the kill
		})
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", n.Port))
	}
	all := strings.Join(urls, ",")
	nc, err := nats.Connect(all, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the cluster takes no orders", func() bool {
		_, err := js.AccountInfo(t.Context())
		return err == nil
	})
	return all
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

// within waits until ok holds; after two minutes it fails the test.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(2 * time.Minute)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(what)
		}
	}
}
