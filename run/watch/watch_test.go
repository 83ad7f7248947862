package watch_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/trace"
)

// epoch is the time of the tests' groups.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// group returns a record of a task's problem with a reply for each score.
func group(task string, index int, replies ...string) *trace.Record {
	r := &trace.Record{
		Problem: quintain.Problem{Task: task, Scenario: "reasoning_gym.v2", Version: 1, Seed: 1, Level: 2, Index: index, Prompt: "What is 1 + 1?", Instance: quintain.NewRecord(2)},
		Version: 7, Time: epoch.Add(time.Duration(index) * time.Second),
	}
	for i, reply := range replies {
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: quintain.RoleUser, Content: "What is 1 + 1?"}}, Reply: reply, Finish: quintain.Stop, Reward: float64(i), Why: "because",
			Read: []quintain.Token{'W', '?'}, Wrote: []quintain.Token{'4', 0x1b}, LogProbs: []float32{-0.5, -2}, Versions: []int32{6, 7},
		}
		r.Episodes = append(r.Episodes, quintain.Trajectory{Problem: r.Problem, Outcome: quintain.Scored, Vocabulary: quintain.UTF8, Turns: []quintain.Turn{turn}})
		r.Scores = append(r.Scores, float64(i))
		r.Advantages = append(r.Advantages, []float64{0, 0, float64(2*i - 1), float64(2*i - 1)})
	}
	return r
}

// failed is a group with one episode, which failed.
func failed(index int, why string) *trace.Record {
	r := group("chain_sum", index, "")
	r.Episodes[0].Outcome, r.Episodes[0].Error, r.Scores, r.Drop = quintain.InfraFailed, why, nil, "failed"
	return r
}

// serve serves the pages of a data folder with groups and rows of numbers.
func serve(t testing.TB, rows string, groups ...*trace.Record) *httptest.Server {
	t.Helper()
	return open(t, fill(t, rows, groups...))
}

// fill makes a data folder with groups and rows of numbers.
func fill(t testing.TB, rows string, groups ...*trace.Record) string {
	t.Helper()
	dir := t.TempDir()
	w, err := trace.NewWriter(filepath.Join(dir, datadir.Trace), trace.Head{Run: "the <run>", Program: "quintain test"}, trace.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range groups {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, datadir.Metrics), []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open serves the pages of a folder.
func open(t testing.TB, dir string) *httptest.Server {
	t.Helper()
	pages, err := watch.New(watch.Config{Data: dir, Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Config{Name: "view", Routes: append(pages.Routes(), watch.Front())})
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, server)
}

// serveOn serves for the test.
func serveOn(t testing.TB, server *web.Server) *httptest.Server {
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	return s
}

// get asks for a path, and returns the status and the reply with single spaces, and with
// plus signs, which html/template escapes.
func get(t testing.TB, s *httptest.Server, path string) (status int, body string, header http.Header) {
	t.Helper()
	reply, err := s.Client().Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, strings.ReplaceAll(strings.Join(strings.Fields(string(text)), " "), "&#43;", "+"), reply.Header
}

const rows = `{"step":1,"time":100,"values":{"train/score":0.25,"train/score/chain_sum":0.25,"train/dropped_per_s/stale":3}}
{"step":2,"time":105,"values":{"train/score":0.5,"learn/entropy":1.5}}
not a row
{"step":3,"time":110,"values":{"train/score":0.75`

func TestPages(t *testing.T) {
	s := serve(t, rows, group("chain_sum", 0, "4", "42"), group("countdown", 1, "the needle", "5"), failed(2, "status 503 after 17 ms\nbusy"), failed(3, "status 503 after 9 ms"))
	at := regexp.MustCompile(`group\?at=[0-9-]+`)
	_, list, _ := get(t, s, "/watch/groups?task=chain_sum&drop=kept")
	first := "/watch/" + at.FindString(list)
	for _, c := range []struct {
		why, path string
		want      []string
		not       []string
	}{
		{"the root leads to the run", "/", []string{"<title>Run calm lark · Quintain</title>", "<small>the &lt;run&gt;, quintain test</small>", "<h2 id=\"all\">4 groups, 24 tokens read and sampled</h2>"}, nil},
		{"the run has its tables", "/watch/run", []string{
			`<th scope="row"><a href="groups?drop=failed">failed</a><td class="n">2<td class="n">50.0 %`, `<a href="groups?drop=kept">kept</a><td class="n">2<td class="n">50.0 %`,
			`<a href="groups?task=countdown">countdown</a>`, `<td class="n" data-label="Groups">1<td class="n" data-label="Mean score">0.500`,
			`<a href="faults"><b>2 groups</b></a> have an episode that failed or was stopped`,
		}, nil},
		{"the run has charts of what there is", "/watch/run", []string{
			`<span data-name="train/score" title="train/score"><i></i><b>score on training problems</b> <output title="0.5">0.500</output></span> <small>at <span class="step">step 2</span></small>`,
			`data-name="train/dropped_per_s/stale" title="train/dropped_per_s/stale"><i></i><b>stale</b>`,
		}, []string{"learn/kl", "0.75", "aria-label=\"chain_sum"}},
		{"groups by task", "/watch/groups?task=countdown", []string{"1 of 4 groups match", "countdown:2</a><span class=\"piece\" dir=\"auto\">What is 1 + 1?</span>"}, []string{"chain_sum:2"}},
		{"groups by level", "/watch/groups?level=3", []string{"0 of 4 groups match"}, []string{"<table"}},
		{"groups by score", "/watch/groups?min_score=0.5&by=score", []string{"2 of 4 groups match", `aria-sort="descending"`}, []string{"without a score"}},
		{"groups as strips of scores", "/watch/groups?task=chain_sum&drop=kept", []string{
			`</svg> <span>1 of 2 right</span><td class="n" data-name="Score">0.500<td class="n" data-name="Spread">1.000<td class="n" data-name="Version">7`,
			`data-name="Played"><time datetime="2026-01-02T03:04:05Z">`,
		}, nil},
		{"groups by text", "/watch/groups?text=NEEDLE", []string{"1 of 4 searched groups have this text", "countdown:2</a>"}, []string{"chain_sum:2"}},
		{"a group", first, []string{
			"<strong>1 of 2 right.</strong> <span>The right one answered <code dir=\"auto\">42</code>.</span> <span>The wrong one answered <code dir=\"auto\">4</code>.</span>",
			`<span class="score">1.000</span>, <span class="verdict">right</span>`, "advantage -1.000", "advantage +1.000",
			`<span class="same">4</span></pre>`, `<span class="same">4</span>2</pre>`, `<p class="why">because</p>`, "what the model read",
		}, nil},
		{"failures of one cause are one", "/watch/faults", []string{"2 of 2 groups", "<h2>status 0 after 0 ms</h2>", `2 episodes, the newest <time datetime="2026-01-02T03:04:08Z">2026-01-02 03:04:08 UTC</time>`}, nil},
	} {
		status, body, header := get(t, s, c.path)
		if status != http.StatusOK || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self';") {
			t.Errorf("%s: %d with the policy %q", c.why, status, header.Get("Content-Security-Policy"))
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: there is no %s in\n%s", c.why, want, body)
			}
		}
		for _, not := range c.not {
			if strings.Contains(body, not) {
				t.Errorf("%s: there is %s", c.why, not)
			}
		}
	}
}

func TestRequestsThatCannotBeCarriedOut(t *testing.T) {
	s := serve(t, rows, group("chain_sum", 0, "4"))
	for _, c := range []struct {
		why, path string
		want      int
	}{
		{"no place", "/watch/group", 400},
		{"no place of a group", "/watch/group?at=1-2", 400},
		{"a place below 0", "/watch/group?at=1--2-3", 400},
		{"nothing is there", "/watch/group?at=1-99-0", 404},
		{"no such segment", "/watch/tokens?at=7-8-0&episode=0", 404},
		{"an order that is none", "/watch/groups?by=luck", 400},
		{"a level that is no number", "/watch/groups?level=x", 400},
		{"a score that is no number", "/watch/groups?min_score=NaN", 400},
		{"too many points", "/watch/series?columns=100000", 400},
		{"a file that is not there", "/watch/static/..%2Fwatch.go", 404},
	} {
		if status, body, _ := get(t, s, c.path); status != c.want {
			t.Errorf("%s: %d, want %d: %s", c.why, status, c.want, body)
		}
	}
}

func TestTokens(t *testing.T) {
	g := group("chain_sum", 0, "4", "5")
	turns := &g.Episodes[1].Turns
	*turns = append(*turns, quintain.Turn{Wrote: []quintain.Token{63}, Realigned: true}, quintain.Turn{Read: []quintain.Token{87}, Fork: true})
	s := serve(t, "", g)
	_, list, _ := get(t, s, "/watch/groups")
	at := regexp.MustCompile(`at=[0-9-]+`).FindString(list)
	_, body, _ := get(t, s, "/watch/tokens?episode=1&"+at)
	const want = `{"vocabulary":"utf-8","version":7,"texts":{"27":"␛","52":"4","63":"?","87":"W"},"ids":[87,63,52,27,63,87],"sampled":[0,0,1,1,1,0],"turns":[0,4,5],"drifts":["clean","realigned","forked"],` +
		`"logprobs":[null,null,-0.5,-2,null,null],"versions":[-1,-1,6,7,-1,-1],"advantages":[]}`
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if _, body, _ = get(t, s, "/watch/tokens?episode=0&"+at); !strings.Contains(body, `"advantages":[0,0,-1,-1]`) {
		t.Errorf("got  %s\nwant advantages", body)
	}
}

func TestSeriesKeepTheExtremes(t *testing.T) {
	var lines strings.Builder
	for i := range 50_000 {
		value, negative := "0", "-1.5e1"
		if i == 5_000 {
			value = "9"
		}
		if i == 33_333 {
			value = negative
		}
		lines.WriteString(`{"step":` + strconv.Itoa(i) + `,"time":1,"values":{"train/score":` + value + "}}\n")
	}
	s := serve(t, lines.String())
	_, body, _ := get(t, s, "/watch/series?name=train/score&name=nobody&columns=10")
	var got []struct{ X, Y []float64 }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0].X) > 40 || len(got[1].X) != 0 {
		t.Fatalf("got %s", body)
	}
	there := map[float64]float64{}
	for i, x := range got[0].X {
		there[x] = got[0].Y[i]
	}
	if _, last := there[49_999]; there[5_000] != 9 || there[33_333] != -15 || !last {
		t.Errorf("got %s", body)
	}
}

// TestRowsInAnyForm reads JSON in other forms than ours, and skips lines that are not rows.
func TestRowsInAnyForm(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	s := serve(t, strings.Join([]string{
		`{"step":1,"time":10,"values":{"a":1,"b":2}}`,
		` { "values" : { "b" : 4 , "\u0061" : 3 } , "time" : 20 , "step" : 2 } `,
		`{"step":3,"time":30,"values":{"a":"x","b":5}}`,
		`{"step":4,"time":40,"values":{"` + long + `":6}}`,
		`{"step":5,"time":50,"values":{"b":1e2}}`,
		`{"step":6,"time":60,"values":{"a":`,
	}, "\n"))
	const want = `[{"name":"a","x":[1,2],"y":[1,3]},{"name":"b","x":[1,2,5],"y":[2,4,100]}]`
	if _, body, _ := get(t, s, "/watch/series?name=a&name=b"); body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

// TestALongFileIsReadInParts asks for the page before and after a long file, with more names
// than are kept, is read.
func TestALongFileIsReadInParts(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"step":0,"time":1,"values":{"train/score":1`)
	for i := range 2_500 {
		b.WriteString(`,"` + strconv.Itoa(i) + `":1`)
	}
	b.WriteString("}}\n")
	for i := 1; b.Len() < 20<<20; i++ {
		b.WriteString(`{"step":` + strconv.Itoa(i) + `,"time":1,"values":{"train/score":1}` + strings.Repeat(" ", 1000) + "}\n")
	}
	b.WriteString(`{"step":-7,"time":1,"values":{"train/score":2}}` + "\n")
	pages := folder(t, b.String())
	server, err := web.New(web.Config{Name: "view", Routes: pages.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, server)
	if _, body, _ := get(t, s, watch.Home); !strings.Contains(body, "<p>Reading the numbers; 20 % left.</p>") {
		t.Errorf("there is no word of what is left:\n%s", body)
	}
	export(t, pages) // reads everything
	if _, body, _ := get(t, s, watch.Home); strings.Contains(body, "are left") || !strings.Contains(body, `at <span class="step">step -7</span>`) {
		t.Errorf("not all was read:\n%s", body)
	}
	if _, body, _ := get(t, s, "/watch/series?name=1998&name=1999"); body != `[{"name":"1998","x":[0],"y":[1]},{"name":"1999","x":[],"y":[]}]` {
		t.Errorf("the names beyond 2,000: %s", body)
	}
}

func TestAFolderThatIsEmpty(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "nothing"))
	for path, want := range map[string]string{
		"/watch/run": "There is no trace yet: tables", "/watch/groups": "0 of 0 groups match.", "/watch/faults": "No episode of the trace failed or was stopped",
		"/watch/groups?text=a": "0 of 0 searched groups have this text", "/watch/series?name=a": `"x":[]`,
	} {
		if status, body, _ := get(t, s, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, there is no %q in %s", path, status, want, body)
		}
	}
}

func TestFilesAreAskedForOnce(t *testing.T) {
	s := serve(t, "")
	_, _, header := get(t, s, "/watch/static/charts.js")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/watch/static/charts.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("If-None-Match", header.Get("ETag"))
	reply, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if kind := header.Get("Content-Type"); reply.StatusCode != http.StatusNotModified || !strings.HasPrefix(kind, "text/javascript") {
		t.Errorf("%d and %q, want %d and text/javascript", reply.StatusCode, kind, http.StatusNotModified)
	}
}

// TestThoseWhoWatchHearOfGrowth follows a folder while a run begins to write it.
func TestThoseWhoWatchHearOfGrowth(t *testing.T) {
	dir := t.TempDir()
	pages, err := watch.New(watch.Config{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Config{Name: "view", Routes: pages.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server)
	defer s.Close()
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
	if err := os.WriteFile(filepath.Join(dir, datadir.Metrics), []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if !strings.Contains(data, `"groups":0,"rows":2`) {
				t.Errorf("the event is %s", data)
			}
			return
		}
	}
	t.Errorf("no event: %v", lines.Err())
}

// TestTheProcessOfARun finds the machine on the page of a run's own process, and not on that
// of a viewer.
func TestTheProcessOfARun(t *testing.T) {
	for _, shown := range []bool{true, false} {
		pages, err := watch.New(watch.Config{Data: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if shown {
			pages.ShowMachine()
		}
		server, err := web.New(web.Config{Name: "view", Routes: pages.Routes()})
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := get(t, serveOn(t, server), watch.Home)
		for _, want := range []string{
			`<dt>Processors in use<dd>(not known|[\d.]+ of \d+)</div>`, `<dt>Memory<dd>(not known|[\d.]+ [kMGT]?B)</div>`,
			`<dt>Goroutines<dd>\d+</div>`, `<dt>Disk of the data folder<dd>(not known|[\d.e+]+ [kMGT]?B free of [\d.e+]+ [kMGT]?B)</div>`,
		} {
			if regexp.MustCompile(want).MatchString(body) != shown {
				t.Errorf("shown: %v, but the page has %s: %v\n%s", shown, want, !shown, body)
			}
		}
	}
}

// TestABrowserGetsErrorsAsPages asks for pages that do not exist, or not as they are asked for.
func TestABrowserGetsErrorsAsPages(t *testing.T) {
	s := serve(t, rows, group("gcd", 0, "4", "5"))
	for _, test := range []struct {
		why, path, accept string
		status            int
		page              bool
		says              string
	}{
		{"a mistyped page", "/watch/gruops", "text/html", 404, true, "There is no such page: the links above"},
		{"a group that is none", "/watch/group?at=x", "text/html,*/*", 400, true, `<a href="groups">Groups</a>`},
		{"no page of ours", "/wacth/run", "text/html", 404, true, "There is no such page."},
		{"for a program", "/watch/gruops", "*/*", 404, false, `{"detail":`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", test.accept)
		reply, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		if err := errors.Join(err, reply.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if html := strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html"); reply.StatusCode != test.status || html != test.page || !strings.Contains(string(body), test.says) {
			t.Errorf("%s: %d %s\n%s", test.why, reply.StatusCode, reply.Header, body)
		}
	}
}
