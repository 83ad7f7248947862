package remote_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/policy/remote"
)

// records stores nothing of its own.
type records struct {
	text  []byte
	fails error
}

func (r *records) State(context.Context, string) ([]byte, error) { return r.text, r.fails }

func (r *records) SetState(_ context.Context, _ string, text []byte) error {
	if r.fails == nil {
		r.text = text
	}
	return r.fails
}

func TestAVersionNeverFalls(t *testing.T) {
	kept := &records{}
	v, err := remote.OpenVersion(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	for _, test := range []struct {
		why   string
		told  int32
		disk  error
		falls bool
		now   int32
	}{
		{"nobody has told it, and -1 tells nothing", -1, nil, true, remote.UnknownVersion},
		{"the first weights", 0, nil, false, 0},
		{"it may leap", 7, nil, false, 7},
		{"again, as after a lost reply", 7, nil, false, 7},
		{"it does not fall", 6, nil, true, 7},
		{"an unsaved version does not count", 8, full, false, 7},
		{"and may be told again", 8, nil, false, 8},
		{"the highest", 1<<31 - 1, nil, false, 1<<31 - 1},
	} {
		kept.fails = test.disk
		before, changed := v.Now(), v.Changed()
		err := v.Tell(t.Context(), test.told)
		_, falls := errors.AsType[*remote.FallError](err)
		if falls != test.falls || !falls && !errors.Is(err, test.disk) {
			t.Errorf("%s: error %v", test.why, err)
		}
		woken := false
		select {
		case <-changed:
			woken = true
		default:
		}
		if now := v.Now(); now != test.now || woken != (now != before) {
			t.Errorf("%s: version %d, woken %t; want %d, and to be woken by changes alone", test.why, now, woken, test.now)
		}
		kept.fails = nil
		if again, err := remote.OpenVersion(t.Context(), kept); err != nil || again.Now() != test.now {
			t.Errorf("%s: after a restart %v, error %v, want %d", test.why, again, err, test.now)
		}
	}
	if err := v.Forget(t.Context()); err != nil || v.Now() != remote.UnknownVersion {
		t.Errorf("after Forget the version is %d, error %v", v.Now(), err)
	}
	if err := v.Tell(t.Context(), 1); err != nil {
		t.Errorf("another run tells 1: %v", err)
	}
}

// What is told for a server goes before the version of the run, and stays until it is told anew.
func TestVersionsOfServers(t *testing.T) {
	kept := &records{}
	v, err := remote.OpenVersion(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why     string
		told    remote.Told
		falls   bool
		a, b    int32 // of two servers
		changes bool
		stored  string
	}{
		{"none", remote.Told{Version: 5}, false, 5, 5, true, `{"format":1,"version":5}`},
		{"one", remote.Told{Version: 5, Servers: map[string]int32{"http://b/v1/": 3}}, false, 5, 3, true, `{"format":1,"version":5,"servers":{"http://b":3}}`},
		{"again", remote.Told{Version: 5, Servers: map[string]int32{"http://b": 3}}, false, 5, 3, false, `{"format":1,"version":5,"servers":{"http://b":3}}`},
		{"the run alone", remote.Told{Version: 6}, false, 6, 3, true, `{"format":1,"version":6,"servers":{"http://b":3}}`},
		{"a lower one of the run", remote.Told{Version: 5, Servers: map[string]int32{"http://b": 9}}, true, 6, 3, false, `{"format":1,"version":6,"servers":{"http://b":3}}`},
		{"a server falls, as after its restart", remote.Told{Version: 6, Servers: map[string]int32{"http://b": 0}}, false, 6, 0, true, `{"format":1,"version":6,"servers":{"http://b":0}}`},
		{"another in its place, ahead of the run", remote.Told{Version: 6, Servers: map[string]int32{"http://a": 7}}, false, 7, 6, true, `{"format":1,"version":6,"servers":{"http://a":7}}`},
		{"one server twice", remote.Told{Version: 6, Servers: map[string]int32{"http://a": 7, "http://a/": 4}}, false, 4, 6, true, `{"format":1,"version":6,"servers":{"http://a":4}}`},
		{"none any more", remote.Told{Version: 6, Servers: map[string]int32{}}, false, 6, 6, true, `{"format":1,"version":6}`},
	} {
		changed := v.Changed()
		err := v.TellAll(t.Context(), test.told)
		if _, falls := errors.AsType[*remote.FallError](err); falls != test.falls || !falls && err != nil {
			t.Errorf("%s: error %v", test.why, err)
		}
		woken := false
		select {
		case <-changed:
			woken = true
		default:
		}
		if woken != test.changes || string(kept.text) != test.stored {
			t.Errorf("%s: woken %t and stored %s; want %t and %s", test.why, woken, kept.text, test.changes, test.stored)
		}
		if v, err = remote.OpenVersion(t.Context(), kept); err != nil {
			t.Fatalf("%s: after a restart: %v", test.why, err)
		}
		if told := v.Told(); told.Of("http://a/v1") != test.a || told.Of("http://b") != test.b {
			t.Errorf("%s: after a restart %+v, want a at %d and b at %d", test.why, told, test.a, test.b)
		}
	}
	if err := v.TellAll(t.Context(), remote.Told{Version: 6, Servers: map[string]int32{"http://a": 7}}); err != nil {
		t.Fatal(err)
	}
	if err := v.Forget(t.Context()); err != nil || v.Told().Of("http://a") != remote.UnknownVersion {
		t.Errorf("after Forget it is %+v, error %v", v.Told(), err)
	}
}

// A server lags from the moment when there are newer weights than its own, not from when its
// own last changed.
func TestLags(t *testing.T) {
	s, begin := remote.NewServerLags("server_"), time.Now()
	for i, test := range []struct {
		why    string
		of     map[string]int32
		newest int32
		want   string
	}{
		{"unknown versions", map[string]int32{"a": -1, "b": -1}, -1, "a -1 0 0s, b -1 0 0s"},
		{"one is known", map[string]int32{"a": 3, "b": -1}, -1, "a 3 0 0s, b -1 0 0s"},
		{"b is behind", map[string]int32{"a": 3, "b": 2}, 3, "a 3 0 0s, b 2 1 1s"},
		{"both are", map[string]int32{"a": 3, "b": 2}, 4, "a 3 1 0s, b 2 2 2s"},
		{"b gains, and lags since version 4", map[string]int32{"a": 5, "b": 3}, 4, "a 5 0 0s, b 3 2 1s"},
		{"a is down: there were newer weights", map[string]int32{"b": 3}, 4, "b 3 2 2s"},
		{"b has them", map[string]int32{"b": 5}, 4, "b 5 0 0s"},
		{"the run was reset", map[string]int32{"b": 0}, -1, "b 0 0 0s"},
		{"a server restarts", map[string]int32{"a": 0, "b": 1}, -1, "a 0 1 0s, b 1 0 0s"},
	} {
		now := begin.Add(time.Duration(i) * time.Second)
		s.Note(test.of, test.newest, now)
		var all []string
		for _, l := range s.Lags(now) {
			all = append(all, fmt.Sprint(l.URL, " ", l.Version, " ", l.Versions, " ", l.Since))
		}
		if got := strings.Join(all, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			found[f.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
		}
	}
	for name, want := range map[string]float64{"server_version a": 0, "server_version b": 1, "server_lag_versions a": 1, "server_lag_versions b": 0, "server_lag_seconds b": 0} {
		if got, ok := found[name]; !ok || got != want {
			t.Errorf("metric %s is %v (%t), want %v", name, got, ok, want)
		}
	}
	if found["server_lag_seconds a"] == 0 {
		t.Error("server a lags for no time")
	}
}

func TestLowest(t *testing.T) {
	for _, test := range []struct {
		of   map[string]int32
		want int32
	}{
		{nil, -1},
		{map[string]int32{"a": -1}, -1},
		{map[string]int32{"a": -1, "b": 4, "c": 3, "d": 7}, 3},
		{map[string]int32{"a": 0, "b": -1}, 0},
	} {
		if got := remote.Lowest(maps.Values(test.of)); got != test.want {
			t.Errorf("of %v: %d, want %d", test.of, got, test.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"format":1,"version":3}`, "<nil>"},
		{`{`, "the JSON ends too early"},
		{`{"format":2,"version":3}`, "this program reads format 1"},
		{`{"format":1,"version":-2}`, "want -1 or more"},
		{`{"format":1,"version":4294967296}`, "cannot unmarshal"},
	} {
		_, err := remote.OpenVersion(t.Context(), &records{text: []byte(test.text)})
		if !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: error %v, want %q", test.text, err, test.want)
		}
	}
}
