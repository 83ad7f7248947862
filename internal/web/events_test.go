package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestEventLogForgets keeps only the last events, starts over for a follower of an earlier
// process, and shows a few at a time.
func TestEventLogForgets(t *testing.T) {
	var j EventLog
	for range keptEvents + 5 {
		j.Add("x", map[string]any{})
	}
	for _, after := range []uint64{2, 1 << 40} {
		next, events := after, 0
		for {
			list, _ := j.since(next)
			if len(list) > shownEvents {
				t.Fatalf("%d events at once, want %d", len(list), shownEvents)
			}
			if len(list) == 0 {
				break
			}
			if want := j.first + 5; events == 0 && list[0].number != want {
				t.Errorf("after %d: the first is %d, want %d", after, list[0].number, want)
			}
			events += len(list)
			next = list[len(list)-1].number
		}
		if events != keptEvents {
			t.Errorf("after %d: %d events, want %d", after, events, keptEvents)
		}
	}
}

// TestEventLogGoesOn numbers events above those of an earlier process, so followers miss
// none.
func TestEventLogGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var earlier, later EventLog
		if list, _ := earlier.since(7); len(list) > 0 {
			t.Errorf("%d events before there is one", len(list))
		}
		for range 3 {
			earlier.Add("x", map[string]any{})
		}
		list, _ := earlier.since(0)
		time.Sleep(time.Second)
		later.Add("y", map[string]any{})
		if got, _ := later.since(list[2].number); len(list) != 3 || len(got) != 1 || got[0].number <= list[2].number {
			t.Errorf("%v, then %v", list, got)
		}
		if got, _ := earlier.since(later.now()); len(got) != 3 {
			t.Errorf("%d events after a number to come, want all", len(got))
		}
	})
}

// A diary notes the time of each write.
type diary struct {
	*httptest.ResponseRecorder
	start time.Time
	notes []string
}

// Write implements [http.ResponseWriter].
func (d *diary) Write(b []byte) (int, error) {
	if kinds := regexp.MustCompile(`event: \w+`).FindAllString(string(b), -1); len(kinds) > 0 {
		d.notes = append(d.notes, fmt.Sprint(time.Since(d.start), kinds))
	}
	return len(b), nil
}

// TestFollowersRest shows an event after a pause at once, and events soon after it together.
func TestFollowersRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j EventLog
		s, err := New(Config{Name: "test", Routes: []Route{{Method: "GET", Path: "/events", Serve: j.Stream}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		d := &diary{httptest.NewRecorder(), time.Now(), nil}
		var following sync.WaitGroup
		following.Go(func() {
			s.ServeHTTP(d, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/events", nil))
		})
		for _, at := range []struct {
			kind string
			next time.Duration
		}{{"a", 10 * time.Millisecond}, {"b", 10 * time.Millisecond}, {"c", time.Second}, {"d", time.Second}} {
			synctest.Wait()
			j.Add(at.kind, map[string]any{})
			time.Sleep(at.next)
		}
		leave()
		following.Wait()
		if want := []string{"0s [event: a]", "100ms [event: b event: c]", "1.02s [event: d]"}; !slices.Equal(d.notes, want) {
			t.Errorf("%q, want %q", d.notes, want)
		}
	})
}
