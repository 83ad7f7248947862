package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// A served is a hub over a NATS server, and a client of that server.
type served struct {
	url string
	js  jetstream.JetStream
	end <-chan error // the error of the host's Run

	server *server.Server
}

// natsServer runs a NATS server on a port, -1 for any free one, for the test.
func natsServer(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, SyncAlways: true, NoSigs: true, NoLog: true,
	})
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
	return s
}

// serve runs a hub over a NATS server for the test.
func serve(t *testing.T) *served {
	t.Helper()
	s := natsServer(t, t.TempDir(), -1)
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	to, store := web.Default(), host.DefaultStore()
	to.Port, store.NATSURL = 0, s.ClientURL()
	h, err := host.Open(t.Context(), host.Config{
		Data: t.TempDir(), Program: "test", Server: to, Hub: hub.Default(), Store: store, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	end := make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() { end <- h.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return &served{url: "http://" + h.Addr().String(), js: js, end: end, server: s}
}

// ask makes a request, and checks the status of the reply.
func (s *served) ask(t *testing.T, status int, method, path, body string) http.Header {
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer reply.Body.Close()
	if reply.StatusCode != status {
		t.Errorf("%s %s: status %d, want %d", method, path, reply.StatusCode, status)
	}
	return reply.Header
}

// TestAHubWhoseQueueWasTakenEnds writes to the streams as another owner would.
func TestAHubWhoseQueueWasTakenEnds(t *testing.T) {
	s := serve(t)
	record, err := json.Marshal(map[string]any{"number": 99, "owner": "somebody else", "since": time.Now()})
	if err == nil {
		_, err = s.js.Publish(t.Context(), "quintain.state.queue.owner", record)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := <-s.end; !errors.Is(err, queue.ErrFenced) || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("the hub ended with %v", err)
	}
}

// TestADeletedRunLeavesNoStreams deletes a run that has a group.
func TestADeletedRunLeavesNoStreams(t *testing.T) {
	s := serve(t)
	s.ask(t, http.StatusCreated, "PUT", "/v1/runs/one", "")
	s.ask(t, http.StatusOK, "POST", "/v1/runs/one/scored_data", `{"tokens":[[1],[2]],"masks":[[1],[2]],"scores":[1,0]}`)
	s.ask(t, http.StatusOK, "DELETE", "/v1/runs/one", "")
	var names []string
	for name := range s.js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"quintain", "quintain-log"}) {
		t.Errorf("streams %v are left", names)
	}
}
