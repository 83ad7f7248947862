package watch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/trace"
)

// folder is the pages of a data folder with groups and rows of numbers.
func folder(t testing.TB, rows string, groups ...*trace.Record) *watch.Server {
	t.Helper()
	pages, err := watch.New(watch.Config{Data: fill(t, rows, groups...), Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// export exports the page of a data folder.
func export(t testing.TB, pages *watch.Server) string {
	t.Helper()
	var b bytes.Buffer
	if err := pages.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestExport(t *testing.T) {
	hostile := "</script><script>alert(1)</script>\u202e<img src=x onerror=alert(1)>"
	r := group("chain_sum", 0, hostile, "42")
	r.Episodes[0].Turns[0].Reply, r.Problem.Prompt = hostile, hostile
	page := export(t, folder(t, rows, r, group("countdown", 1, "4", "5"), failed(2, "status 503: "+hostile)))
	for _, want := range []string{
		`<h2 id="run">Run</h2>`, "the newest 3 of 3 groups", `data-name="train/score"`, `"step":[{"name":"train/score","x":[1,2],"y":[0.25,0.5]}`,
		`"time":[{"name":"train/score","x":[100,105],"y":[0.25,0.5]}`, "<h2>status 0: ", `<th scope="row">spell_backward<td data-name="Category">`,
		"1 of 2 right, score 0.500, kept", "<code>reasoning_gym.v2/countdown.v1.s1.l2.1</code>", `"logprobs":[null,null,-0.5,-2]`,
		`&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;<mark class="unseen">⟨U+202E⟩</mark>&lt;img src=x`,
	} {
		if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
			t.Errorf("there is no %s", want)
		}
	}
	if at := regexp.MustCompile(`<img|alert\(1\)</script>|(href|src|action)="[^#?d"][^"]*"`).FindString(page); at != "" {
		t.Errorf("the page has %s", at)
	}
}

// TestExportRunsOnlyItsOwn compares the page's policy with its scripts and styles.
func TestExportRunsOnlyItsOwn(t *testing.T) {
	page := export(t, folder(t, rows, group("chain_sum", 0, "4")))
	guard := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if guard == nil || !strings.HasPrefix(guard[1], "default-src 'none'; script-src 'sha256-") || strings.Contains(guard[1], "unsafe") {
		t.Fatalf("the policy is %q", guard)
	}
	inline := regexp.MustCompile(`(?s)<(?:script|script type="module"|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(page, -1)
	if len(inline) != 4 || strings.Count(guard[1], "'sha256-") != 4 {
		t.Fatalf("%d scripts and styles, the policy is %s", len(inline), guard[1])
	}
	for _, text := range inline {
		sum := sha256.Sum256([]byte(text[1]))
		if !strings.Contains(guard[1], "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the policy does not allow %.60s", text[1])
		}
	}
}

func TestExportHasBounds(t *testing.T) {
	var many []*trace.Record
	for i := range 70 {
		many = append(many, group("chain_sum", i, "4"))
	}
	if page := export(t, folder(t, "", many...)); !strings.Contains(page, "the newest 50 of 70 groups") || strings.Contains(page, "l2.19</code>") || !strings.Contains(page, "l2.20</code>") {
		t.Error("it does not have the newest 50 groups")
	}
	for i, r := range many {
		many[i] = group("chain_sum", i, strings.Repeat("x", 60_000), strings.Repeat("y", 60_000), strings.Repeat("z", 60_000))
		wrote := &many[i].Episodes[1].Turns[0].Wrote
		for range 90_000 {
			*wrote = append(*wrote, 'a')
		}
		many[i].Time = r.Time
	}
	page := export(t, folder(t, "", many...))
	if got := strings.Count(page, `<details class="group">`); got < 1 || got > 4 || len(page) > 30<<20 {
		t.Errorf("%d groups in %d bytes", got, len(page))
	}
	if got := strings.Count(page, `<script type="application/json" data-episode="1">`); got != 2 {
		t.Errorf("the tokens of %d long replies, want 2", got)
	}
}

func TestExportOfNothing(t *testing.T) {
	pages, err := watch.New(watch.Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := pages.Export(t.Context(), os.Stdout); !errors.Is(err, watch.ErrNothing) {
		t.Errorf("%v, want %v", err, watch.ErrNothing)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	path := filepath.Join(t.TempDir(), "page.html")
	pages = folder(t, rows, group("chain_sum", 0, "4"))
	if err := datadir.WriteTo(path, func(to io.Writer) error { return pages.Export(ctx, to) }); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("%v are left, error %v", left, err)
	}
}
