//go:build heavy

package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// startNATS starts a NATS server in this process, for the test.
func startNATS(t *testing.T) (url string) {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// TestHubsOnNATS has one hub own the groups and another one on standby. When somebody
// takes the groups from the first, it ends with an error; when that one gives no sign of
// life, the other takes over.
func TestHubsOnNATS(t *testing.T) {
	t.Parallel()
	server := startNATS(t)
	first, url := startHub(t, "--data", t.TempDir(), "--nats-url", server)
	askHub(t, 200, "POST "+url+"/scored_data", "", `{"tokens":[[1],[2]],"masks":[[1],[2]],"scores":[1,0]}`)
	second := start("hub", "--port", "0", "--data", t.TempDir(), "--nats-url", server, "--with", "store.nats_standby=true")
	await(t, second, "waiting to see")
	third := start("hub", "--port", "0", "--data", t.TempDir(), "--nats-url", server, "--with", "store.nats_standby=true")
	await(t, third, "waiting to see")
	stopHub(t, third) // Ctrl-C ends one that waits, and that is no failure

	nc, err := nats.Connect(server)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err == nil {
		_, err = js.Publish(t.Context(), "quintain.state.queue.owner", []byte(`{"number":9,"owner":"somebody else"}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if status := first.wait(t); status != exitFailed || !strings.Contains(first.stderr.String(), "taken the queue over: somebody else") {
		t.Errorf("the first hub ends with status %d\n%s", status, first.stderr.String())
	}
	await(t, second, "1 group waiting")
	stopHub(t, second)
}
