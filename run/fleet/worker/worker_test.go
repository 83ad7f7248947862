package worker_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
)

// has reports whether a text has all parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func TestAWorkerPlaysWhatItIsGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 20)
		p := c.start(nil)
		c.until(func() bool { return len(c.finished) == 20 })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		if c.asked != 3 || c.most > 5 {
			t.Errorf("it asked for %d leases, want 3: two groups and one beyond; it held %d at once, want at most 2 more, on their way back", c.asked, c.most)
		}
		if took := time.Since(p.began); took > 11*time.Second {
			t.Errorf("20 groups, two at a time of a second each, took %v", took)
		}
		for number, f := range c.finished {
			if len(f.Episodes) != 4 || f.Returned || f.Again {
				t.Fatalf("lease %d: finish %+v, want 4 episodes", number, f)
			}
			for _, e := range f.Episodes {
				if e.Problem.Task != "" || !e.Outcome.Rewarded() || e.Turns[0].Versions[0] != 7 {
					t.Errorf("lease %d: episode %+v, want a reward, version 7, and no problem", number, e)
				}
			}
		}
		if r := c.told[0]; len(c.told) != 1 || r.Name != "here" || r.Slots != 8 || r.Program != "quintain 1" || len(r.Instance) < 16 || r.Tasks == "" {
			t.Errorf("registrations %+v", c.told)
		}
		if last := c.calls[len(c.calls)-1]; last != "DELETE worker" {
			t.Errorf("the last call is %s", last)
		}
		has(t, p.text(), "playing here for run", "--slots 16 idles", "20 groups played with 80 episodes, of which the run keeps 20 groups; 0 leases returned, 0 fenced")
	})
}

func TestAWorkerTakesTheVersionsThatItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 1)
		p := c.start(nil)
		c.until(func() bool { return len(c.finished) == 1 })
		c.set(func() { c.version = 8 })
		c.until(func() bool { return slices.Contains(c.calls, "POST beat") })
		synctest.Wait()
		c.set(func() { c.left = 1 })
		c.until(func() bool { return len(c.finished) == 2 })
		if v := c.finished[2].Episodes[0].Turns[0].Versions[0]; v != 8 {
			t.Errorf("version %d after a beat that told 8", v)
		}
		if err := p.end(); err != nil {
			t.Error(err)
		}
	})
}

// While the coordinator is away the worker plays what it holds, and delivers all of it later.
func TestAnOutageOfTheCoordinatorLosesNothing(t *testing.T) {
	for _, code := range []int{-1, http.StatusServiceUnavailable, http.StatusBadGateway} {
		synctest.Test(t, func(t *testing.T) {
			c := newCoordinator(t, 12)
			var away atomic.Bool
			c.fault = func(*http.Request) int {
				if away.Load() {
					return code
				}
				return 0
			}
			p := c.start(nil)
			c.until(func() bool { return len(c.finished) >= 3 })
			away.Store(true)
			pause.For(t.Context(), time.Minute)
			back := time.Now()
			away.Store(false)
			c.until(func() bool { return len(c.finished) >= 6 })
			if took := time.Since(back); took > 3*time.Second {
				t.Errorf("the groups came %v after the outage", took)
			}
			c.until(func() bool { return len(c.finished) == 12 })
			if err := p.end(); err != nil {
				t.Error(err)
			}
			if n := len(c.told); n != 1 {
				t.Errorf("%d registrations, want 1", n)
			}
			has(t, p.text(), "waiting for the coordinator: ", "the coordinator answers again", "the coordinator does not take groups", "the coordinator takes groups again", "12 groups played")
			if n := strings.Count(p.text(), "waiting for the coordinator"); n != 1 {
				t.Errorf("it says %d times that it waits for the coordinator", n)
			}
		})
	}
}

// A full disk of the coordinator does not fill the memory of the worker.
func TestAWorkerKeepsFewGroupsThatTheCoordinatorDoesNotTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 50)
		var full atomic.Bool
		full.Store(true)
		c.fault = func(r *http.Request) int {
			if full.Load() && kind(r) == "POST finish" {
				return http.StatusInsufficientStorage
			}
			return 0
		}
		p := c.start(nil)
		pause.For(t.Context(), 10*time.Minute)
		c.mu.Lock()
		most, finished := c.most, len(c.finished)
		c.mu.Unlock()
		if most > 6 || finished > 0 {
			t.Errorf("it held %d leases, want at most 6; %d finished", most, finished)
		}
		full.Store(false)
		c.until(func() bool { return len(c.finished) == 50 })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		has(t, p.text(), `HTTP 507 Insufficient Storage: the server said "the reason"`)
	})
}

func TestAFencedGroupIsThrownAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 6)
		c.change = func(l *fleet.Lease) {
			if l.Number == 2 {
				delete(c.open, 2)
			}
		}
		p := c.start(nil)
		c.until(func() bool { return len(c.open) > 0 })
		c.set(func() { c.open[2] = "another" })
		c.until(func() bool { return len(c.finished) == 5 })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		has(t, p.text(), "5 groups played", "1 fenced")
	})
}

// Leases that are no longer the worker's end at once, and are not handed back.
func TestAGoneLeaseIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 3)
		p := c.start(func(w *worker.Config) { w.Player.Script.Delay = time.Hour })
		c.until(func() bool { return len(c.open) == 3 })
		began := time.Now()
		c.set(func() { c.gone = []uint64{1, 2, 3} })
		c.set(func() { c.left = 1 })
		c.until(func() bool { return c.last == 4 }) // there is room again
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("there was room after %v, want the next beat", took)
		}
		close(p.cut)
		if err := p.end(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(c.returned, []uint64{4}) || len(c.finished) != 0 {
			t.Errorf("returned %v, finished %v; want 4 returned alone", c.returned, c.finished)
		}
		has(t, p.text(), "0 groups played", "1 lease returned, 3 fenced")
	})
}

// A worker that was cut off for long registers anew, and its old groups go nowhere.
func TestAnUnknownInstanceRegistersAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 3)
		p := c.start(func(w *worker.Config) { w.Player.Script.Delay = 20 * time.Second })
		c.until(func() bool { return len(c.open) == 3 })
		c.set(func() {
			c.unknown = []string{c.told[0].Instance}
			c.left, c.open = 3, map[uint64]string{}
		})
		c.until(func() bool { return len(c.finished) == 3 })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		if len(c.told) != 2 || c.told[0].Instance == c.told[1].Instance || c.lateTakes > 0 {
			t.Errorf("registrations %+v and %d finishes of the old one", c.told, c.lateTakes)
		}
		has(t, p.text(), "does not know this worker any more", "3 groups played", "3 fenced")
	})
}

// What cannot be mended by waiting ends the worker with the reason and the remedy.
func TestRefusalsEndTheWorker(t *testing.T) {
	for _, test := range []struct {
		why    string
		at     string
		status int
		change func(*fleet.Lease)
		want   []string
	}{
		{"another program or other tasks", "POST workers", http.StatusConflict, nil, []string{"quintain 1", "quintain 2", "with the tasks", "the coordinator's program", "the reason"}},
		{"no key", "POST workers", http.StatusUnauthorized, nil, []string{"--coordinator-key-file", "the reason"}},
		{"no run", "POST leases", http.StatusNotFound, nil, []string{"--workers", "worker.run"}},
		{"a lie", "POST finish", http.StatusUnprocessableEntity, nil, []string{"does not take the group of", "lease 1", "the reason"}},
		{"an instance that lied", "POST beat", http.StatusForbidden, nil, []string{"refuses this worker"}},
		{"another prompt", "", 0, func(l *fleet.Lease) { l.Problem.Prompt += " " }, []string{"lease 1", "quintain 1", "quintain 2", "reasoning_gym.v"}},
		{"another index", "", 0, func(l *fleet.Lease) { l.Problem.Level = 3 }, []string{"lease 1", ".l3."}},
		{"another stream", "", 0, func(l *fleet.Lease) { l.Stream = 2 }, []string{"lease 1 of stream 2", "of 2 streams"}},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCoordinator(t, 1)
				c.change = test.change
				c.fault = func(r *http.Request) int {
					if kind(r) == test.at {
						return test.status
					}
					return 0
				}
				p := c.start(func(w *worker.Config) {
					w.Play.Program = "quintain 2"
					if test.at == "POST beat" {
						w.Player.Script.Delay = time.Hour
					}
				})
				<-p.done
				err := p.err
				if err == nil {
					t.Fatal("no error")
				}
				has(t, err.Error(), test.want...)
				if test.at != "POST workers" && !slices.Contains(c.calls, "DELETE worker") {
					t.Errorf("it took no leave: %v", c.calls)
				}
			})
		})
	}
}

func TestASignalReturnsWhatHasNotBegunAndGivesTheRestItsGrace(t *testing.T) {
	for _, test := range []struct {
		why                string
		delay              time.Duration
		cut, away          bool
		finished, returned int
		most               time.Duration
	}{
		{"groups end within the grace period", 8 * time.Second, false, false, 2, 1, 9 * time.Second},
		{"groups do not end within it", time.Hour, false, false, 0, 3, 11 * time.Second},
		{"a second signal", time.Hour, true, false, 0, 3, time.Second},
		{"the coordinator is away", 8 * time.Second, false, true, 0, 0, 26 * time.Second},
		{"the coordinator is away, and a second signal comes", time.Hour, true, true, 0, 0, 11 * time.Second},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCoordinator(t, 3)
				var away atomic.Bool
				c.fault = func(*http.Request) int {
					if away.Load() {
						return -1
					}
					return 0
				}
				p := c.start(func(w *worker.Config) { w.Player.Script.Delay = test.delay })
				c.until(func() bool { return len(c.open) == 3 })
				synctest.Wait()
				away.Store(test.away)
				began := time.Now()
				p.stop(errStop)
				if !test.away {
					c.until(func() bool { return len(c.returned) == 1 })
					if took := time.Since(began); took > time.Second {
						t.Errorf("what had not begun came back after %v", took)
					}
				}
				if test.cut {
					close(p.cut)
				}
				if err := p.end(); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > test.most {
					t.Errorf("it took %v, want at most %v", took, test.most)
				}
				if len(c.finished) != test.finished || len(c.returned) != test.returned {
					t.Errorf("%d finished and %v returned, want %d and %d", len(c.finished), c.returned, test.finished, test.returned)
				}
				if test.away {
					has(t, p.text(), "3 not delivered", "it finds out within 15s")
				} else if last := c.calls[len(c.calls)-1]; last != "DELETE worker" {
					t.Errorf("the last call is %s", last)
				}
			})
		})
	}
}

func TestAWorkerWaitsForTheCoordinatorToPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 1)
		answers := []int{-1, http.StatusServiceUnavailable, 0}
		c.fault = func(*http.Request) int {
			code := answers[0]
			answers = answers[1:]
			return code
		}
		said := ""
		s := worker.Defaults()
		s.Coordinator = "@" + filepath.Join(t.TempDir(), "address")
		client, err := worker.NewClient(s, "", c)
		if err != nil {
			t.Fatal(err)
		}
		write := time.AfterFunc(time.Minute, func() {
			if err := os.WriteFile(s.Coordinator[1:], []byte("http://coordinator:8000\n"), 0o600); err != nil {
				t.Error(err)
			}
		})
		defer write.Stop()
		play, err := client.Play(t.Context(), func(format string, args ...any) { said += fmt.Sprintf(format, args...) + "\n" })
		if err != nil || play.Program != "quintain 1" {
			t.Errorf("play %+v, error %v", play, err)
		}
		has(t, said, "waiting for the coordinator: ", "address: no such file", "; quintain run --announce "+s.Coordinator[1:]+" writes it\n", "\nthe coordinator answers\n")
		if n := strings.Count(said, "\n"); n != 2 {
			t.Errorf("it said %d lines, want 2: %s", n, said)
		}
	})
}

func TestAnAddressIsReadAgainAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 1)
		path := filepath.Join(t.TempDir(), "address")
		write := func(host string) {
			if err := os.WriteFile(path, []byte("http://"+host), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("old")
		c.fault = func(r *http.Request) int {
			if r.URL.Host == "old" {
				write("new")
				return -1
			}
			return 0
		}
		s := worker.Defaults()
		s.Coordinator = "@" + path
		client, err := worker.NewClient(s, "", c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Play(t.Context(), func(string, ...any) {}); err != nil {
			t.Error(err)
		}
	})
}

// The machine of the coordinator stops answering, and another takes over elsewhere.
func TestBeatsFollowTheCoordinatorThatIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 0)
		path := filepath.Join(t.TempDir(), "address")
		announce := func(host string) {
			if err := os.WriteFile(path, []byte("http://"+host), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		announce("old")
		var frozen, moved atomic.Bool
		c.fault = func(r *http.Request) int {
			switch {
			case r.URL.Host == "new" && kind(r) == "POST beat":
				moved.Store(true)
			case r.URL.Host == "old" && frozen.Load():
				<-r.Context().Done()
				return -1
			}
			return 0
		}
		p := c.start(func(to *worker.Config) {
			s := to.Settings
			s.Coordinator = "@" + path
			var err error
			if to.Client, err = worker.NewClient(s, "secret", c); err != nil {
				t.Fatal(err)
			}
		})
		c.until(func() bool { return slices.Contains(c.calls, "POST beat") })
		frozen.Store(true)
		announce("new")
		began := time.Now()
		c.until(moved.Load)
		if took := time.Since(began); took > 26*time.Second {
			t.Errorf("the first beat at the new address came after %v, want one that an idle worker spares, two that get no answer and one more", took)
		}
		if err := p.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestSettingsThatCannotPlay(t *testing.T) {
	for address, want := range map[string]string{"": "worker.coordinator: is missing", "coordinator:8000": "want one with http://"} {
		if _, err := (worker.Settings{Coordinator: address}).Client(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("address %q: error %v, want %q", address, err, want)
		}
	}
}
