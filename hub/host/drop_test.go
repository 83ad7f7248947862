package host

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
)

// The waiting groups of one worker taken out of a stopped hub, and all others stay.
func TestDropTakesTheGroupsOfAWorker(t *testing.T) {
	dir := t.TempDir()
	open := func() *Host {
		server := web.Default()
		server.Port = 0
		h, err := Open(t.Context(), Config{Data: dir, Program: "test", Server: server, Hub: hub.Default(), Store: DefaultStore(), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := open()
	for i, worker := range []string{"a", "b", "", "b"} {
		g := &quintain.Group{ID: fmt.Sprintf("g%d", i), Tokens: [][]quintain.Token{{1, 2}}, Masks: [][]int32{{-100, 2}}, Scores: []float64{1}, Origin: quintain.Origin{Worker: worker}}
		if _, err := h.Queue().Put(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if err := Drop(t.Context(), dir, "b", "test", io.Discard); !errors.Is(err, datadir.ErrInUse) {
		t.Errorf("of a hub that runs: error %v", err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, worker, want, fault string }{
		{dir, "c", "0 groups of worker \"c\" taken out\n", ""},
		{dir, "b", "g1\ng3\n2 groups of worker \"b\" taken out\n", ""},
		{filepath.Join(dir, datadir.Queue), "b", "0 groups of worker \"b\" taken out\n", ""},
		{dir, "", "", "--worker: is missing"},
		{t.TempDir(), "b", "", "holds no queue"},
	} {
		var out strings.Builder
		err := Drop(t.Context(), test.dir, test.worker, "test", &out)
		if out.String() != test.want || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("worker %q of %s: %q, error %v", test.worker, test.dir, out.String(), err)
		}
	}
	h = open()
	defer h.Close()
	if s := h.Queue().Stats(); s.Waiting.Groups != 2 || s.Lost != 0 {
		t.Errorf("the queue has %+v", s)
	}
}
