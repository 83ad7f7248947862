package hub

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
)

// TestVersion tells versions, each before a restart.
func TestVersion(t *testing.T) {
	f := newFixture(t, nil, Config{})
	for _, test := range []struct {
		why, body string
		status    int
		version   int // shown after that
	}{
		{"the first", `{"version":0}`, 200, 0},
		{"a leap", `{"version":5}`, 200, 5},
		{"again, as after a lost reply", `{"version":5}`, 200, 5},
		{"lower", `{"version":4}`, 409, 5},
		{"below 0", `{"version":-1}`, 422, 5},
		{"above 32 bits", `{"version":2147483648}`, 422, 5},
		{"no number", `{"version":"six"}`, 422, 5},
		{"missing", `{}`, 422, 5},
		{"no JSON", `version=6`, 422, 5},
		{"deep", strings.Repeat("[", 5000), 400, 5},
		{"the highest", `{"version":2147483647}`, 200, 2147483647},
	} {
		if w := f.do("POST", mainPath+"/version", test.body); w.Code != test.status {
			t.Errorf("%s: %d %s, want %d", test.why, w.Code, w.Body, test.status)
		}
		f.restart()
		f.want("GET", mainPath+"/version", "", fmt.Sprintf(`{"version":%d,"acked":0,"step":0}`, test.version))
	}
	f.want("GET", "/reset_data", "", "Reset successful")
	f.want("GET", mainPath+"/version", "", `{"version":-1,"acked":0,"step":0}`)
}

// TestVersionsOfServers tells versions of single servers, each before a restart.
func TestVersionsOfServers(t *testing.T) {
	f := newFixture(t, nil, Config{})
	for _, test := range []struct {
		why, body string
		status    int
		shown     string
	}{
		{"one", `{"version":5,"servers":{"http://b:1/v1":4}}`, 200, `{"version":5,"acked":0,"step":0,"servers":{"http://b:1":4}}`},
		{"the run alone", `{"version":6}`, 200, `{"version":6,"acked":0,"step":0,"servers":{"http://b:1":4}}`},
		{"a lower one of the run", `{"version":5,"servers":{"http://b:1":6}}`, 409, `{"version":6,"acked":0,"step":0,"servers":{"http://b:1":4}}`},
		{"an address that is none", `{"version":7,"servers":{"b":6}}`, 422, `{"version":6,"acked":0,"step":0,"servers":{"http://b:1":4}}`},
		{"others in their place", `{"version":6,"servers":{"http://c":7,"http://a":0}}`, 200, `{"version":6,"acked":0,"step":0,"servers":{"http://a":0,"http://c":7}}`},
		{"none any more", `{"version":6,"servers":{}}`, 200, `{"version":6,"acked":0,"step":0}`},
	} {
		progress := f.run.Progress()
		before := f.do("GET", mainPath+"/version", "").Body.String()
		if w := f.do("POST", mainPath+"/version", test.body); w.Code != test.status || test.status == 200 && w.Body.String() != test.shown {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, test.status, test.shown)
		}
		woken := false
		select {
		case <-progress:
			woken = true
		default:
		}
		if woken != (before != test.shown) {
			t.Errorf("%s: woken %t, and the versions were %s", test.why, woken, before)
		}
		f.restart()
		f.want("GET", mainPath+"/version", "", test.shown)
	}
	f.do("POST", mainPath+"/version", `{"version":6,"servers":{"http://b":5}}`)
	if text := f.do("GET", "/metrics", "").Body.String(); !strings.Contains(text, `quintain_hub_server_weights_version{run="default",server="http://b"} 5`) {
		t.Error("the metrics lack the version of a server")
	}
	if st := f.run.Stats(); st.Servers["http://b"] != 5 {
		t.Errorf("the statistics have the servers %v", st.Servers)
	}
}

// A training in the process of the hub has a version and a step, and wakes who waits for one.
func TestTrainingHereTellsItsStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{Local: true})
		f.run.Weights().Trained(0)
		tell := time.AfterFunc(time.Second, func() { f.run.Weights().Trained(478) })
		defer tell.Stop()
		begin := time.Now()
		f.want("GET", mainPath+"/version?wait=1m&after=0", "", `{"version":478,"acked":478,"step":478}`)
		if st := f.run.Stats(); st.Step != 478 || st.Version != 478 || time.Since(begin) != time.Second {
			t.Errorf("step %d and version %d after %v, want 478 and 478 after 1 s", st.Step, st.Version, time.Since(begin))
		}
	})
}

// TestVersionIsAwaited waits for a version above a number.
func TestVersionIsAwaited(t *testing.T) {
	for _, test := range []struct {
		why, query string
		told       int // after a second; -1: none
		version    int
		after      time.Duration
	}{
		{"without a wait", "", 3, -1, 0},
		{"the first", "?wait=1m", 0, 0, time.Second},
		{"a known version", "?wait=1m&after=-1", 3, 3, time.Second},
		{"a higher one", "?wait=1m&after=2", 3, 3, time.Second},
		{"none that is high enough", "?wait=1m&after=3", 3, 3, time.Minute},
		{"none at all", "?wait=1m", -1, -1, time.Minute},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, nil, Config{})
				begin := time.Now()
				if test.told >= 0 {
					tell := time.AfterFunc(time.Second, func() { f.do("POST", mainPath+"/version", fmt.Sprintf(`{"version":%d}`, test.told)) })
					defer tell.Stop()
				}
				f.want("GET", mainPath+"/version"+test.query, "", fmt.Sprintf(`{"version":%d,"acked":0,"step":0}`, test.version))
				if took := time.Since(begin); took != test.after {
					t.Errorf("answered after %v, want %v", took, test.after)
				}
			})
		})
	}
	f := newFixture(t, nil, Config{})
	for _, query := range []string{"?after=x", "?after=-2", "?after=2147483648", "?wait=x"} {
		if w := f.do("GET", mainPath+"/version"+query, ""); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// TestStalenessIsMeasured acknowledges groups of several versions.
func TestStalenessIsMeasured(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.register(1, 5)
	for i, version := range []int32{5, 5, -1, 6, 1 << 30} {
		g := &quintain.Group{Tokens: [][]quintain.Token{{quintain.Token(i)}}, Masks: [][]int32{{int32(i)}}, Scores: []float64{1}, Versions: [][]int32{{version}}}
		if _, err := f.config.Queue.Put(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for step, want := range []string{"map[]", "map[0:1]", "map[0:1 1:1]", "map[0:1 1:1]", "map[0:1 1:1 2:1]", "map[-1000:1 0:1 1:1 2:1]"} {
		progress := f.run.Progress()
		f.batch() // acknowledges the last one
		<-progress
		if acked, _ := f.run.Acked(); fmt.Sprint(f.run.Staleness()) != want || acked != 5+step {
			t.Errorf("%d batches are acknowledged, staleness %v; want %d, %s", acked, f.run.Staleness(), 5+step, want)
		}
	}
}
