package fleet

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
)

// weigh asks for weights, and returns status, version and file.
func (s *site) weigh(query string) (status int, version, file string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/weights"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if reply.Uncompressed {
		s.t.Error("the weights came zipped")
	}
	return reply.StatusCode, reply.Header.Get("ETag"), string(text)
}

func TestWeightsAreThoseOfAnotherVersion(t *testing.T) {
	w := NewWeights()
	s := newSiteWith(t, newDesk(t, 1), nil, w)
	file := strings.Repeat("weights ", 1000)
	if status, _, _ := s.weigh(""); status != http.StatusNoContent {
		t.Errorf("before the first: status %d", status)
	}
	s.Publish()(7, []byte(file))
	for _, test := range []struct {
		why, query    string
		status        int
		version, file string
	}{
		{"the first", "", http.StatusOK, `"7"`, file},
		{"after an older one", "?after=6&wait=100", http.StatusOK, `"7"`, file},
		{"after the same", "?after=7", http.StatusNoContent, "", ""},
		{"after a newer one, of data that is put back", "?after=8&wait=100", http.StatusOK, `"7"`, file},
	} {
		if status, version, got := s.weigh(test.query); status != test.status || version != test.version || got != test.file {
			t.Errorf("%s: status %d, version %s, %d bytes", test.why, status, version, len(got))
		}
	}
	for _, query := range []string{"?after=x", "?after=-2", "?wait=-1", "?wait=NaN"} {
		if status, _, _ := s.weigh(query); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d", query, status)
		}
	}
	s.stop()
	if status, _, _ := s.weigh(""); status != http.StatusServiceUnavailable {
		t.Errorf("after the run: status %d", status)
	}
	if status, _, _ := newSite(t, newDesk(t, 1), nil).weigh(""); status != http.StatusNotFound {
		t.Errorf("of a run that trains nothing: status %d", status)
	}
}

// Whoever waits for weights has them as soon as they are there, all the same bytes.
func TestAllWhoWaitGetTheSameFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, file := NewWeights(), []byte("weights")
		w.Publish(1, []byte("older"))
		var waiting sync.WaitGroup
		for range 100 {
			waiting.Go(func() {
				ctx, end := context.WithTimeout(t.Context(), time.Minute)
				defer end()
				if version, got := w.after(ctx, 1); version != 2 || &got[0] != &file[0] {
					t.Errorf("version %d, %q", version, got)
				}
				if version, got := w.after(ctx, 2); version != 2 || got != nil {
					t.Errorf("a minute later version %d, %q", version, got)
				}
			})
		}
		synctest.Wait()
		w.Publish(2, file)
		waiting.Wait()
	})
}

// Tokens of weights that the run never published are a lie.
func TestVersionsThatNeverWereAreRefused(t *testing.T) {
	for _, test := range []struct {
		why     string
		version int32
		status  int
	}{
		{"published", 3, http.StatusOK},
		{"of another run, or of the future", 4, http.StatusUnprocessableEntity},
		{"unknown", -1, http.StatusUnprocessableEntity},
	} {
		w := NewWeights()
		w.Publish(3, []byte("weights"))
		s := newSiteWith(t, newDesk(t, 1), nil, w)
		s.join(1)
		f := played(1)
		for i := range f.Episodes {
			f.Episodes[i] = quintain.Trajectory{Outcome: quintain.Scored, Turns: []quintain.Turn{{
				Wrote: []quintain.Token{1}, LogProbs: []float32{-1}, Versions: []int32{test.version}, Finish: quintain.Stop,
			}}}
		}
		if status := s.finish(s.take(1, 1)[0], f); status != test.status {
			t.Errorf("%s: status %d, want %d", test.why, status, test.status)
		}
	}
}
