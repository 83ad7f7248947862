package watch

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// TestASearchGoesOn searches for a text in only the oldest of 4,500 groups: at once, and by
// the links of a server without time for it.
func TestASearchGoesOn(t *testing.T) {
	dir := t.TempDir()
	w, err := trace.NewWriter(filepath.Join(dir, datadir.Trace), trace.Head{}, trace.Default())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4_500 {
		turn := quintain.Turn{Reply: "hay"}
		if i == 0 {
			turn.Reply = "a needle"
		}
		problem := quintain.Problem{Task: "chain_sum", Index: i, Prompt: "problem " + strconv.Itoa(i) + "."}
		if err := w.Write(&trace.Record{Problem: problem, Time: time.Unix(int64(i), 0), Episodes: []quintain.Trajectory{{Problem: problem, Outcome: quintain.Scored, Turns: []quintain.Turn{turn}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	further := regexp.MustCompile(`<a rel="next" href="([^"]*)">Search further</a>`)
	for _, c := range []struct {
		patient bool
		links   int
		last    string
	}{{true, 0, "of 4,500 searched groups have this text."}, {false, 2, "of 500 searched groups have this text."}} {
		s, err := New(Config{Data: dir})
		if err != nil {
			t.Fatal(err)
		}
		if c.patient {
			s.searchTime = 1 << 62
		} else {
			s.searchTime = 0
		}
		server, err := web.New(web.Config{Name: "view", Routes: s.Routes()})
		if err != nil {
			t.Fatal(err)
		}
		links, body := 0, askFor(server, "groups?text=NEEDLE&task=chain_sum")
		for ; further.MatchString(body); links++ {
			if strings.Contains(body, "problem 0.") || !strings.Contains(body, "of 2,000 searched groups have this text; more are left to search.") {
				t.Fatalf("after %d links: %s", links, body)
			}
			body = askFor(server, strings.ReplaceAll(further.FindStringSubmatch(body)[1], "&amp;", "&"))
		}
		if links != c.links || !strings.Contains(body, "1 "+c.last) || !strings.Contains(body, "problem 0.") || strings.Contains(body, `rel="next"`) {
			t.Errorf("patient %v: after %d links: %s", c.patient, links, body)
		}
	}
}

// askFor returns a page, or the status instead.
func askFor(server *web.Server, path string) string {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/watch/"+path, nil)
	r.Host = "127.0.0.1"
	server.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return strconv.Itoa(w.Code)
	}
	return w.Body.String()
}
