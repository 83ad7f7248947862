package nats_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/quintain-rl/quintain/internal/doctor"
	"github.com/quintain-rl/quintain/policy/fake"
)

// The doctor finds the servers that are there.
func TestTheDoctorFindsServers(t *testing.T) {
	t.Parallel()
	s, err := fake.New(fake.Config{Server: fake.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	at := httptest.NewServer(s)
	defer at.Close()
	js, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	js.Start()
	defer js.WaitForShutdown()
	defer js.Shutdown()
	if !js.ReadyForConnections(time.Minute) {
		t.Fatal("NATS does not start")
	}
	found := doctor.Examine(t.Context(), doctor.Settings{Data: t.TempDir(), URLs: []string{at.URL}, NATS: js.ClientURL(), Ports: []string{"0"}})
	if f := finding(t, found, "server"); f.Level != doctor.OK || !strings.Contains(f.Found, at.URL) {
		t.Errorf("%+v", f)
	}
	if f := finding(t, found, "NATS"); f.Level != doctor.Warn || !strings.Contains(f.Found, server.VERSION) { // only its system account tells of syncs
		t.Errorf("%+v", f)
	}
	if f := finding(t, found, "port"); f.Level != doctor.OK {
		t.Errorf("%+v", f)
	}
}

// finding returns what the doctor says of a check.
func finding(t *testing.T, found []doctor.Finding, check string) doctor.Finding {
	t.Helper()
	for _, f := range found {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("%s was not checked: %v", check, found)
	return doctor.Finding{}
}
