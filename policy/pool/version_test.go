package pool_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/policy/pool"
)

// load gives a server of a rack the weights of a version.
func (r *rack) load(server, version int) {
	update := httptest.NewRequest(http.MethodPost, "/update_weight_version", strings.NewReader(fmt.Sprintf(`{"new_version":"%d"}`, version)))
	r.servers[server].ServeHTTP(httptest.NewRecorder(), update)
}

// asked generates 20 times, and returns how many of the requests each server got.
func (r *rack) asked() (all []int) {
	for _, s := range r.servers {
		all = append(all, -s.Stats().Asked)
	}
	r.generate(20)()
	for i, s := range r.servers {
		all[i] += s.Stats().Asked
	}
	return all
}

// A server whose weights are too old gets nothing while others are up, and is named once. If all
// are too old, all are used: nobody waits for ever.
func TestServersWithTooOldWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var oldest atomic.Int32
		var log bytes.Buffer
		r := newRack(t, 2, slow(), func(c *pool.Config) {
			c.Oldest, c.Log = oldest.Load, slog.New(slog.NewTextHandler(&log, nil))
		})
		defer r.end()
		for _, test := range []struct {
			why    string
			a, b   int
			oldest int32
			down   string
			used   string
			named  int // times, in the log
		}{
			{"both are of use", 4, 4, 3, "", "ab", 0},
			{"one is as old as may be", 5, 3, 3, "", "ab", 0},
			{"one is too old", 6, 3, 4, "", "a", 1},
			{"the other is down", 6, 3, 4, "a", "b", 1},
			{"it is back", 6, 3, 4, "", "a", 1},
			{"both are too old", 6, 3, 8, "", "ab", 1},
			{"one has new weights", 6, 9, 8, "", "b", 2},
			{"both have", 8, 9, 8, "", "ab", 2},
			{"one is too old again", 10, 9, 10, "", "a", 2},
		} {
			r.load(0, test.a)
			r.load(1, test.b)
			for i, name := range []string{"a", "b"} {
				if r.set(name, r.servers[i]); name == test.down {
					r.set(name, nil)
				}
			}
			oldest.Store(test.oldest)
			time.Sleep(time.Minute) // until probes have found all that answer
			r.Ask(t.Context())
			used := ""
			for i, n := range r.asked() {
				if n > 0 {
					used += string(rune('a' + i))
				}
			}
			if named := strings.Count(log.String(), "no more requests"); used != test.used || named != test.named {
				t.Errorf("%s: %q are used, named %d times; want %q and %d", test.why, used, named, test.used, test.named)
			}
		}
	})
}

// What a server reports goes before what was told for it, and that before what was told for all.
func TestVersionsOfServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := map[string]int32{"http://a": 9, "http://b": 8}
		quiet := func(h http.Handler) http.Handler { // it reports no version
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/get_model_info" {
					http.NotFound(w, r)
					return
				}
				h.ServeHTTP(w, r)
			})
		}
		r := newRack(t, 3, slow(), func(c *pool.Config) {
			c.Version = func(url string) int32 {
				if version, ok := told[url]; ok {
					return version
				}
				return 7
			}
		})
		defer r.end()
		r.load(0, 3)
		for i, name := range []string{"b", "c"} {
			r.set(name, quiet(r.servers[i+1]))
		}
		time.Sleep(time.Minute)
		r.Ask(t.Context())
		want := []pool.Weights{{URL: "http://a", Version: 3, Said: true, Used: true}, {URL: "http://b", Version: 8, Used: true}, {URL: "http://c", Version: 7, Used: true}}
		if got := r.Versions(); !slices.Equal(got, want) {
			t.Errorf("versions %v, want %v", got, want)
		}
		r.set("a", nil)
		r.set("b", nil)
		time.Sleep(time.Minute)
		if got := r.Versions(); !slices.Equal(got, want[2:]) {
			t.Errorf("versions %v of the servers that are up, want %v", got, want[2:])
		}
		if outputs, err := r.Generate(t.Context(), prompt("p")); err != nil || outputs[0].Versions[0] != 0 {
			t.Errorf("output %v, error %v, want the version in the reply", outputs, err)
		}
	})
}
