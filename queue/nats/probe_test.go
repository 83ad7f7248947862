package nats

import (
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why       string
		jetStream bool
		fails     string // empty: it does not
	}{
		{"a server for queues", true, ""},
		{"a server without JetStream", false, "JetStream"},
	} {
		s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: c.jetStream, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("the server does not start")
		}
		r, err := Probe(t.Context(), s.ClientURL(), Options{})
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: error %v, want %q", c.why, err, c.fails)
		case c.fails == "" && (err != nil || r.Version != natsserver.VERSION || r.Took <= 0 || r.Tells):
			t.Errorf("%s: %+v, error %v", c.why, r, err)
		}
		s.Shutdown()
		s.WaitForShutdown()
	}
}
