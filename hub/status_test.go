package hub

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStatusWait answers an environment that waits as soon as its status is another, with the
// same fields, and sends the mark to nobody who does not ask.
func TestStatusWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{})
		f.begin(4)
		f.env(4, "null")
		const mine = `{"env_id":0}`
		plain := f.do("GET", "/status-env", mine)
		first := f.do("GET", "/status-env?wait=30", mine)
		mark := first.Header().Get("Quintain-Status")
		if plain.Header().Get("Quintain-Status") != "" || mark == "" || plain.Body.String() != first.Body.String() {
			t.Fatalf("%v %s, and %v %s", plain.Header(), plain.Body, first.Header(), first.Body)
		}
		begin := time.Now()
		if w := f.do("GET", "/status-env?wait=30&seen="+mark, mine); w.Body.String() != plain.Body.String() || time.Since(begin) != 30*time.Second {
			t.Errorf("%s after %v", w.Body, time.Since(begin))
		}
		begin = time.Now()
		go func() {
			time.Sleep(7 * time.Second)
			f.put(group(1, 4, 0))
		}()
		w := f.do("GET", "/status-env?wait=30&seen="+mark, mine)
		if took := time.Since(begin); w.Body.String() == plain.Body.String() || took < 7*time.Second || took > 8*time.Second {
			t.Errorf("%s after %v", w.Body, took)
		}
		if w := f.do("GET", "/status-env?wait=30", `{"env_id":9}`); w.Code != 422 {
			t.Errorf("an unknown environment: %d", w.Code)
		}
		if w := f.do("GET", "/status-env?wait=soon", mine); w.Code != 422 {
			t.Errorf("an invalid wait: %d", w.Code)
		}
	})
}
