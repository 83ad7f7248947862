package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/web"
)

// A standbyHub is a hub that may wait for its queue.
type standbyHub struct {
	addr  string
	stop  context.CancelFunc
	ended chan error // of Open, Run and Close
	runs  chan struct{}
}

// standbyConfig is a hub with store.nats_standby on a free port, with another port beside.
func standbyConfig(t *testing.T, nats string) host.Config {
	t.Helper()
	to, store := web.Default(), host.DefaultStore()
	to.Port, store.NATSURL, store.NATSStandby = freePort(t), nats, true
	return host.Config{
		Data: t.TempDir(), Program: "test", Server: to, Hub: hub.Default(), Store: store, Log: slog.New(slog.DiscardHandler),
		Apart: host.Apart{Name: "x.port", Host: "127.0.0.1", Port: freePort(t), Routes: []web.Route{
			{Method: "GET", Path: "/apart", Serve: func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`"here"`)) }},
		}},
	}
}

// freePort returns an unused port of the loopback.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startStandby opens and runs a hub until stop, or the end of the test.
func startStandby(t *testing.T, c host.Config) *standbyHub {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &standbyHub{addr: fmt.Sprintf("http://127.0.0.1:%d", c.Server.Port), stop: stop, ended: make(chan error, 1), runs: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(func() {
		h, err := host.Open(ctx, c)
		if err == nil {
			close(s.runs)
			err = errors.Join(h.Run(ctx), h.Close())
		}
		s.ended <- err
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
		http.DefaultClient.CloseIdleConnections()
	})
	for !answers(t, s.addr) { // the port opens at once
		<-time.After(time.Millisecond)
	}
	return s
}

// answers reports whether a port is open.
func answers(t *testing.T, addr string) bool {
	c, err := net.Dial("tcp", strings.TrimPrefix(addr, "http://"))
	if err != nil {
		return false
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return true
}

// A reply is what a client sees.
type seen struct {
	status int
	after  string // Retry-After
	body   string
}

// request asks on a connection of its own, as probes do. A connection that fails is an error.
func request(ctx context.Context, method, url, body string) (seen, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return seen{}, err
	}
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return seen{}, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	return seen{reply.StatusCode, reply.Header.Get("Retry-After"), string(text)}, err
}

// A prober asks a path again and again, as the kubelet does.
type prober struct {
	path            string
	asked, failed   int
	succeeded, last int // replies of status 200, in all and in a row
}

// probe asks once.
func (p *prober) probe(t *testing.T, addr string) {
	t.Helper()
	p.asked++
	got, err := request(t.Context(), http.MethodGet, addr+p.path, "")
	if err != nil {
		t.Errorf("%s: %v", p.path, err)
	}
	if got.status == http.StatusOK {
		p.succeeded, p.last = p.succeeded+1, p.last+1
	} else {
		p.failed, p.last = p.failed+1, 0
	}
}

// TestProbesLeaveAStandbyAlone has the probes of Kubernetes look at a standby while the owner
// lives, while there is no NATS server, and until the standby is the owner.
func TestProbesLeaveAStandbyAlone(t *testing.T) {
	dir := t.TempDir()
	server := natsServer(t, dir, -1)
	port := server.Addr().(*net.TCPAddr).Port
	first := startStandby(t, standbyConfig(t, server.ClientURL()))
	<-first.runs
	second := startStandby(t, standbyConfig(t, server.ClientURL()))
	liveness, startup, readiness := &prober{path: "/healthz"}, &prober{path: "/healthz"}, &prober{path: "/readyz"}
	look := func(n int) {
		for range n {
			for _, p := range []*prober{liveness, startup, readiness} {
				p.probe(t, second.addr)
			}
		}
	}
	look(40)
	server.Shutdown()
	server.WaitForShutdown()
	look(40)
	natsServer(t, dir, port)
	for owner := (&prober{path: "/readyz"}); owner.last == 0; owner.probe(t, first.addr) {
		look(1)
	}
	look(40)
	if readiness.succeeded > 0 {
		t.Error("a standby is ready")
	}
	first.stop()
	if err := <-first.ended; err != nil {
		t.Errorf("the owner ended with %v", err)
	}
	for readiness.last < 2 && t.Context().Err() == nil {
		look(1)
	}
	look(10)
	if liveness.failed > 0 || startup.failed > 0 {
		t.Errorf("of %d liveness probes %d failed, of %d startup probes %d", liveness.asked, liveness.failed, startup.asked, startup.failed)
	}
	if readiness.last < 12 {
		t.Error("the new owner does not stay ready")
	}
	second.stop() // before its server
	if err := <-second.ended; err != nil {
		t.Errorf("the new owner ended with %v", err)
	}
}

// TestAStandbySaysWhoseItIs: a standby answers all but /healthz with 503 that names the owner, on both of its ports.
// When it owns the queue, the hub answers there.
func TestAStandbySaysWhoseItIs(t *testing.T) {
	server := natsServer(t, t.TempDir(), -1)
	first := startStandby(t, standbyConfig(t, server.ClientURL()))
	<-first.runs
	c := standbyConfig(t, server.ClientURL())
	c.Server.KeyFile = filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(c.Server.KeyFile, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := startStandby(t, c)
	apart := fmt.Sprintf("http://127.0.0.1:%d", c.Apart.Port)
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	me := fmt.Sprintf("process %d on %s", os.Getpid(), name)
	ask := func(method, url, body string) seen {
		t.Helper()
		got, err := request(t.Context(), method, url, body)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		return got
	}
	var ready struct {
		Standby bool
		Owner   string
		Since   time.Time
	}
	for ready.Owner == "" { // until it has looked
		got := ask("GET", second.addr+"/readyz", "")
		if err := json.Unmarshal([]byte(got.body), &ready); err != nil || got.status != http.StatusServiceUnavailable || got.after == "" || !ready.Standby {
			t.Fatalf("%+v, error %v", got, err)
		}
	}
	if ready.Owner != me || ready.Since.IsZero() {
		t.Errorf("the owner is %+v, want %s", ready, me)
	}
	for _, url := range []string{second.addr + "/", second.addr + "/metrics", second.addr + "/scored_data", second.addr + "/v1/runs/default/groups", apart + "/apart", apart + "/readyz"} {
		got := ask("POST", url, strings.Repeat("x", 1<<20))
		var why struct{ Detail string }
		if err := json.Unmarshal([]byte(got.body), &why); err != nil || got.status != http.StatusServiceUnavailable || got.after == "" || !strings.Contains(why.Detail, "on standby") || !strings.Contains(why.Detail, me) {
			t.Errorf("%s: %+v, error %v", url, got, err)
		}
	}
	if got := ask("GET", apart+"/healthz", ""); got.status != http.StatusOK {
		t.Errorf("/healthz of the port apart: %+v", got)
	}
	r, err := http.NewRequest(http.MethodGet, second.addr+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "10.0.0.7:8000" // by which the kubelet comes
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Body.Close(); reply.StatusCode != http.StatusOK {
		t.Errorf("a probe from another machine gets %s", reply.Status)
	}
	first.stop()
	for ask("GET", second.addr+"/readyz", "").status != http.StatusOK {
	}
	if got := ask("GET", second.addr+"/metrics", ""); got.status != http.StatusUnauthorized {
		t.Errorf("the owner asks for no key: %+v", got)
	}
	for ask("GET", apart+"/apart", "").status != http.StatusOK {
	}
}

// TestAWaitingStandbyEnds: it ends at once and without a trace, with a NATS server and without.
func TestAWaitingStandbyEnds(t *testing.T) {
	server := natsServer(t, t.TempDir(), -1)
	first := startStandby(t, standbyConfig(t, server.ClientURL()))
	<-first.runs
	for _, nats := range []string{server.ClientURL(), fmt.Sprintf("nats://127.0.0.1:%d", freePort(t))} {
		second := startStandby(t, standbyConfig(t, nats))
		if got, err := request(t.Context(), "GET", second.addr+"/healthz", ""); err != nil || got.status != http.StatusOK {
			t.Errorf("%+v, error %v", got, err)
		}
		second.stop()
		if err := <-second.ended; !errors.Is(err, host.ErrStopped) {
			t.Errorf("the standby ended with %v", err)
		}
		if answers(t, second.addr) {
			t.Error("its port is open")
		}
	}
	if got, err := request(t.Context(), "GET", first.addr+"/readyz", ""); err != nil || got.status != http.StatusOK {
		t.Errorf("the owner: %+v, error %v", got, err)
	}
}

// TestAStandbyTellsOfATakenPort before it waits.
func TestAStandbyTellsOfATakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, set := range []func(*host.Config){
		func(c *host.Config) { c.Server.Port = port },
		func(c *host.Config) { c.Apart.Port = port },
	} {
		c := standbyConfig(t, "nats://127.0.0.1:1") // for which it would wait
		set(&c)
		if _, err := host.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d of 127.0.0.1 is in use", port)) {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestATakeoverClosesNoPort has clients ask a standby all the while, on connections that they
// keep and on new ones, until it is the owner: each gets a reply.
func TestATakeoverClosesNoPort(t *testing.T) {
	server := natsServer(t, t.TempDir(), -1)
	first := startStandby(t, standbyConfig(t, server.ClientURL()))
	<-first.runs
	second := startStandby(t, standbyConfig(t, server.ClientURL()))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: i%2 == 0}}
			defer client.CloseIdleConnections()
			for taken := 0; taken < 20; {
				body := fmt.Sprintf(`{"tokens":[[%d],[%d]],"masks":[[1],[2]],"scores":[1,0]}`, i, taken)
				reply, err := client.Post(second.addr+"/scored_data", "application/json", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, reply.Body); err != nil {
					t.Error(err)
				}
				reply.Body.Close()
				switch reply.StatusCode {
				case http.StatusOK:
					taken++
				case http.StatusServiceUnavailable:
				default:
					t.Errorf("the reply is %s", reply.Status)
					return
				}
			}
		})
	}
	first.stop()
	if err := <-first.ended; err != nil {
		t.Error(err)
	}
	all.Wait()
}

// TestATakeoverIsAnnounced has an owner and a standby write their address to one file.
func TestATakeoverIsAnnounced(t *testing.T) {
	server := natsServer(t, t.TempDir(), -1)
	file := filepath.Join(t.TempDir(), "address")
	start := func() *standbyHub {
		c := standbyConfig(t, server.ClientURL())
		c.Server.Announce = file
		return startStandby(t, c)
	}
	announced := func() string {
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		return string(text)
	}
	first := start()
	for announced() == "" {
		<-time.After(time.Millisecond)
	}
	second := start()
	for { // until it stands by
		got, err := request(t.Context(), http.MethodGet, second.addr+"/readyz", "")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(got.body, `"owner":"`) && !strings.Contains(got.body, `"owner":""`) {
			break
		}
		<-time.After(time.Millisecond)
	}
	if got := announced(); got != first.addr+"\n" {
		t.Errorf("beside a standby the file has %q, want %s", got, first.addr)
	}
	first.stop()
	if err := <-first.ended; err != nil {
		t.Error(err)
	}
	for announced() == first.addr+"\n" {
		<-time.After(time.Millisecond)
	}
	if got := announced(); got != second.addr+"\n" {
		t.Errorf("after the takeover the file has %q, want %s", got, second.addr)
	}
}

// A signal while a standby takes over is no fault; any other error is one, and so is that of a process alone.
func TestAStandbyIsStopped(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	failed := errors.New("state run: context canceled")
	for _, test := range []struct {
		why     string
		ctx     context.Context
		err     error
		standby bool
		stopped bool
	}{
		{"stopped while it takes over", over, failed, true, true},
		{"a fault of its own", t.Context(), failed, true, false},
		{"alone", over, failed, false, false},
		{"no error", over, nil, true, false},
	} {
		of := host.Store{NATSStandby: test.standby}
		if err := of.Stopped(test.ctx, test.err); errors.Is(err, host.ErrStopped) != test.stopped || !errors.Is(err, test.err) {
			t.Errorf("%s: %v", test.why, err)
		}
	}
}
