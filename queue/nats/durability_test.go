package nats_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/quintain-rl/quintain/queue/nats"
)

// exported lets the account of the queue ask servers for their settings.
const exported = `
system_account: SYS
accounts: {
  SYS: {users: [{user: sys, password: sys}], exports: [{service: "$SYS.REQ.SERVER.PING.JSZ"}]}
  APP: {jetstream: enabled, users: [{user: app, password: app}], imports: [{service: {account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ"}}]}
}
no_auth_user: app`

// TestWarnsOfAServerThatDoesNotSync tries servers with several settings.
func TestWarnsOfAServerThatDoesNotSync(t *testing.T) {
	for _, test := range []struct {
		why    string
		sync   string
		more   string
		synced bool
		want   string // part of the warning; empty: none
	}{
		{"a client that cannot know", "always", "", false, "does not tell whether it syncs"},
		{"the user knows", "always", "", true, ""},
		{"the server tells that it syncs", "always", exported, false, ""},
		{"the server tells that it does not", `"2m"`, exported, false, "does not sync each write"},
	} {
		t.Run(test.why, func(t *testing.T) {
			dir := t.TempDir()
			config := fmt.Sprintf("listen: \"127.0.0.1:-1\"\njetstream: {store_dir: %q, sync_interval: %s}\n%s", dir, test.sync, test.more)
			path := filepath.Join(dir, "server.conf")
			if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			o, err := server.ProcessConfigFile(path)
			if err != nil {
				t.Fatal(err)
			}
			o.NoSigs, o.NoLog = true, true
			s, err := server.NewServer(o)
			if err != nil {
				t.Fatal(err)
			}
			s.Start()
			defer s.WaitForShutdown()
			defer s.Shutdown()
			if !s.ReadyForConnections(time.Minute) {
				t.Fatal("the server does not start")
			}
			var log bytes.Buffer
			store, err := nats.Open(t.Context(), s.ClientURL(), nats.Options{Synced: test.synced, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			if got := log.String(); strings.Contains(got, "WARN") != (test.want != "") || !strings.Contains(got, test.want) {
				t.Errorf("the log says %q, want %q", got, test.want)
			}
		})
	}
}
