package watch_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestHostileText finds hostile model output on every page.
func TestHostileText(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"a script", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"the end of an element", "</pre></main><img src=x onerror=alert(1)>", "&lt;/pre&gt;&lt;/main&gt;&lt;img src=x onerror=alert(1)&gt;"},
		{"text that runs backwards", "a\u202eb", `a<mark class="unseen">⟨U+202E⟩</mark>b`},
		{"a space without width", "a\u200bb", `a<mark class="unseen">⟨U+200B⟩</mark>b`},
		{"a letter that cannot be seen", "a\u3164b", `a<mark class="unseen">⟨U+3164⟩</mark>b`},
		{"letters of tags", "a\U000e0041b", `a<mark class="unseen">⟨U+E0041⟩</mark>b`},
		{"codes of a terminal", "a\x1b[31mb", `a<mark class="unseen">␛</mark>[31mb`},
		{"the end of a line that overwrites it", "a\rb", `a<mark class="unseen">␍</mark>b`},
		{"another space", "a\u00a0b", `a<mark class="unseen">⟨U+00A0⟩</mark>b`},
		{"a megabyte without a space", strings.Repeat("x", 1<<20), "… <a href="},
		{"a megabyte that cannot be seen", strings.Repeat("\u200b", 1<<20/3), "… <a href="},
	} {
		r := group("chain_sum", 0, c.text, c.text+"!")
		r.Episodes[0].Turns[0].Observed[0].Content, r.Episodes[0].Turns[0].Why, r.Episodes[0].Error = c.text, c.text, c.text
		r.Episodes[1].Outcome, r.Drop, r.Problem.Prompt = quintain.InfraFailed, "failed", c.text
		r.Episodes[1].Error = c.text
		s := serve(t, "", r)
		_, list, _ := get(t, s, "/watch/groups?text=a")
		at := regexp.MustCompile(`group\?at=[0-9-]+`).FindString(list)
		if at == "" {
			_, list, _ = get(t, s, "/watch/groups")
			at = regexp.MustCompile(`group\?at=[0-9-]+`).FindString(list)
		}
		for _, path := range []string{"/watch/" + at, "/watch/faults", "/watch/groups"} {
			status, body, _ := get(t, s, path)
			short := strings.HasSuffix(path, "groups") // it has the beginnings of texts
			if status != http.StatusOK || !short && !strings.Contains(body, c.want) {
				t.Errorf("%s: %s: %d, there is no %s", c.why, path, status, c.want)
			}
			if strings.Contains(body, "<script>") || strings.Contains(body, "<img") || len(body) > 12<<20 {
				t.Errorf("%s: %s has it as HTML, or %d bytes", c.why, path, len(body))
			}
		}
	}
}

func TestALongEpisodeHasPages(t *testing.T) {
	r := group("chain_sum", 0, "4")
	for range 100_000 {
		r.Episodes[0].Turns = append(r.Episodes[0].Turns, quintain.Turn{Reply: "x"})
	}
	s := serve(t, "", r)
	_, list, _ := get(t, s, "/watch/groups")
	at := regexp.MustCompile(`group\?at=[0-9-]+`).FindString(list)
	_, body, _ := get(t, s, "/watch/"+at+"&turn=99990")
	if !strings.Contains(body, "100,001 turns") && !strings.Contains(body, "100001 turns") || !strings.Contains(body, "Earlier turns") || strings.Contains(body, "Later turns") || len(body) > 1<<20 {
		t.Errorf("a page of %d bytes", len(body))
	}
}

func FuzzQueries(f *testing.F) {
	for _, seed := range []string{"at=1-8-0&episode=0&turn=-1", "at=1-8-0&turn=9223372036854775807", "by=score&after=1-8-0", "after=9-9-9&order=up", "level=1&min_score=1e999", "name=train%2Fscore&columns=1", "text=%ff", "by=spread&order=up&problem=%ff", "name=countdown&level=1&index=3&answer=%ff"} {
		f.Add(seed)
	}
	s := serve(f, rows, group("chain_sum", 0, "4", "5"))
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/watch/run", "/watch/groups", "/watch/group", "/watch/tokens", "/watch/text", "/watch/series", "/watch/faults", "/watch/workers", "/watch/task", "/watch/evaluations"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path+"?", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.URL.RawQuery = strings.NewReplacer(" ", "+", "\n", "", "\r", "", "#", "").Replace(query)
			reply, err := s.Client().Do(request)
			if err != nil {
				continue // cannot be sent
			}
			reply.Body.Close()
			if reply.StatusCode >= http.StatusInternalServerError {
				t.Fatalf("%s?%s: %d", path, query, reply.StatusCode)
			}
		}
	})
}
