package watch_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/watch"
)

// crews are workers that take a lease each time that somebody asks for them.
type crews struct{ granted atomic.Int64 }

func (c *crews) Roster() fleet.Roster {
	return fleet.Roster{
		Workers: []fleet.Worker{
			{Name: "<node>", Instance: "ABCDEFGHIJKLMNOP", Slots: 64, Leases: 3, Groups: 1200, Returned: 5, Fenced: 6, Since: epoch, LastSeen: epoch},
			{Name: "liar", Instance: "0123456789012345", Slots: 8, Fault: "episodes: <none>"},
		},
		Lost: []fleet.Worker{{Name: "gone\u202e", Instance: "x", Slots: 16, Expired: 7, LastSeen: epoch}}, Held: 3, Wanted: 512, Granted: int(c.granted.Add(1)),
		Oldest: []fleet.HeldLease{{Number: 41, Attempt: 2, Problem: "gcd.v1.s1.l0.3", Worker: "<node>", Since: epoch}},
		Ended:  map[fleet.Ending]int{fleet.Played: 3, fleet.Lie: 1}, Poison: []fleet.Poison{{Problem: "gcd.v1.s1.l0.9", Workers: 3, At: epoch}},
	}
}

// staff opens pages that show workers, if there are some.
func staff(t *testing.T, of watch.Fleet) (*watch.Server, *web.Server) {
	t.Helper()
	pages, err := watch.New(watch.Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if of != nil {
		pages.ShowFleet(of)
	}
	server, err := web.New(web.Config{Name: "test", Routes: pages.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	return pages, server
}

// The page of workers is that of a run which leases its problems, and there is none otherwise.
func TestWorkers(t *testing.T) {
	_, server := staff(t, &crews{})
	s := serveOn(t, server)
	status, body, _ := get(t, s, "/watch/workers")
	if status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{
		"Workers 2 Their slots 72 Wanted slots 512 Leases held 3", "&lt;node&gt; ABCDEFGH 64 3 1,200 5 6 2026-01-02 03:04:05 UTC", "It lies, and gets nothing more: episodes: &lt;none&gt;",
		"played 3 75.0 % the group came back", "expired 0 0.0 %", "lie 1 25.0 %", "gcd.v1.s1.l0.9 3 2026", "gone⟨U+202E⟩ x 16 0 7 2026", "41 gcd.v1.s1.l0.3 &lt;node&gt; 2 2026",
	} {
		if !strings.Contains(text(body), want) {
			t.Errorf("there is no %q in\n%s", want, text(body))
		}
	}
	if _, home, _ := get(t, s, watch.Home); !strings.Contains(home, `<a href="workers">Workers</a>`) {
		t.Errorf("no link leads to it: %s", home)
	}
	_, server = staff(t, nil)
	s = serveOn(t, server)
	if status, body, _ := get(t, s, "/watch/workers"); status != http.StatusNotFound || !strings.Contains(body, "this run has no workers") {
		t.Errorf("without workers: status %d, %s", status, body)
	}
	if _, home, _ := get(t, s, watch.Home); strings.Contains(home, "workers") {
		t.Errorf("without workers there is a link: %s", home)
	}
}

// Open pages learn that the workers did something, also when the folder did not grow.
func TestPagesFollowTheWorkers(t *testing.T) {
	pages, server := staff(t, &crews{})
	s := serveOn(t, server)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := pages.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer running.Wait()
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/watch/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	events := bufio.NewScanner(reply.Body)
	left := 2
	for left > 0 && events.Scan() {
		if strings.HasPrefix(events.Text(), "data: ") {
			left--
		}
	}
	if left > 0 {
		t.Errorf("two leases are not two events: %v", events.Err())
	}
}
