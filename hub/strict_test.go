package hub

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestStrict checks Atropos' ways: bursts of batches, newest first, counted when formed.
func TestStrict(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{Compat: Strict}})
	f.begin(1)
	f.put(group(1, 1, -1), group(2, 1, -1), group(3, 1, -1))
	for i, want := range []string{"3", "2"} {
		if got := f.batch(); got != want || f.run.Step() != 3 {
			t.Errorf("batch %s at step %d, want %s at 3", got, f.run.Step(), want)
		}
		if i == 0 {
			f.put(group(4, 1, -1)) // waits for the end of the burst
		}
	}
	f.restart()
	f.want("GET", "/status", "", `{"current_step":3,"queue_size":1}`)
	for _, want := range []string{"2", "1", "4", "null"} {
		if got := f.batch(); got != want {
			t.Errorf("batch %s, want %s", got, want)
		}
	}
	f.register(2, 9)
	f.want("GET", "/info", "", `{"batch_size":1,"max_token_len":64}`)
	f.want("GET", "/status", "", `{"current_step":4,"queue_size":0}`)
	f.put(group(5, 2, -1), group(6, 1, -1))
	if got := f.batch(); got != "null" {
		t.Errorf("batch %s, want none: a size that does not fit stalls the original", got)
	}
}

// TestStrictBursts bounds a burst by the size of its record.
func TestStrictBursts(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{Compat: Strict}})
	f.begin(1)
	const many = maxBurst + 500
	for first := 0; first < many; first += 500 {
		var list []string
		for i := range 500 {
			list = append(list, group(first+i+1, 1, -1))
		}
		if w := f.do("POST", "/scored_data_list", "["+strings.Join(list, ",")+"]"); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
	}
	if got := f.batch(); got != fmt.Sprint(maxBurst) || f.run.Step() != maxBurst {
		t.Errorf("batch %s at step %d, want %d", got, f.run.Step(), maxBurst)
	}
}
