package watch_test

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
)

// A said is a reply with its score.
type said struct {
	answer string
	score  float64
}

// scored returns a group whose replies have the given answers and scores, right at 1.
func scored(index int, drop string, replies ...said) *trace.Record {
	r := group("chain_sum", index)
	r.Drop, r.Advantages = drop, nil
	for _, one := range replies {
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: quintain.RoleSystem, Content: "Be brief."}, {Role: quintain.RoleUser, Content: "1+1="}},
			Reply:    one.answer, Answer: one.answer, Reward: one.score, Right: one.score == 1, Finish: quintain.Stop, Wrote: []quintain.Token{'4'},
		}
		r.Episodes = append(r.Episodes, quintain.Trajectory{Problem: r.Problem, Outcome: quintain.Scored, Vocabulary: quintain.UTF8, Turns: []quintain.Turn{turn}})
		r.Scores = append(r.Scores, one.score)
	}
	return r
}

// fourGroups are groups of different spreads: 0.75, 0, 1 and 0.25.
func fourGroups() []*trace.Record {
	return []*trace.Record{
		scored(0, "", said{"2", 1}, said{"3", 0}, said{"3", 0}, said{"", 0}),
		scored(1, "equal_scores", said{"7", 0}, said{"7", 0}),
		scored(2, "", said{"2", 1}, said{"4", 0}),
		scored(3, "", said{"2", 1}, said{"1", 0.5}, said{"1", 0.5}, said{"2", 1}),
	}
}

func TestTheGroupThatTaughtMostIsFirst(t *testing.T) {
	groups := fourGroups()
	for i, r := range groups {
		r.Problem.Prompt = "p" + strconv.Itoa(i)
	}
	s := serve(t, "", groups...)
	for path, want := range map[string]string{
		"groups?by=spread": "2 0 3 1", "groups?by=spread&order=up": "1 3 0 2", "groups": "3 2 1 0", "groups?by=spread&drop=kept": "2 0 3",
		"groups?max_score=0": "1", "groups?drop=dropped": "1",
	} {
		_, body, _ := get(t, s, "/watch/"+path)
		var got []string
		for _, m := range regexp.MustCompile(`dir="auto">p(\d)<`).FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s lists %s, want %s", path, text, want)
		}
	}
	_, body, _ := get(t, s, "/watch/groups")
	for _, want := range []string{
		"<dt>equal_scores<dd>all replies scored alike", `<a href="groups?by=spread&amp;drop=kept">Taught most</a>`,
		`<rect class="right" x="0.00" y="0.0" width="5.00" height="20.0"/>`, "<span>1 of 4 right</span>", "<span>2 of 4 right, 2 partly</span>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s in %s", want, body)
		}
	}
}

func TestAGroupSaysWhatDiffersAndFoldsWhatDoesNot(t *testing.T) {
	s := serve(t, "", fourGroups()...)
	_, list, _ := get(t, s, "/watch/groups?order=up")
	var pages []string
	for _, link := range regexp.MustCompile(`group\?at=[^"]*`).FindAllString(list, -1) {
		_, body, _ := get(t, s, "/watch/"+html.UnescapeString(link))
		pages = append(pages, body)
	}
	if len(pages) != 4 {
		t.Fatalf("%d pages", len(pages))
	}
	for i, wants := range [][]string{
		{
			`<strong>1 of 4 right.</strong> <span>The right one answered <code dir="auto">2</code>.</span>`,
			`<span>The wrong ones answered <code dir="auto">3</code> (2), nothing (1).</span>`,
			`2 × <span class="score">0.000</span>, <span class="verdict">wrong</span>`, `data-episode="2" aria-label="Tokens of reply 2"`,
			"<h2>The task's prompt</h2>", "<h2>What the model read</h2><h3>system</h3>", ">1+1=</pre>", "<strong>kept</strong>: its replies can be trained on", "<dt>Spread<dd>0.750",
		},
		{"<strong>equal_scores</strong>: all replies scored alike", `<span>All 2 wrong ones answered <code dir="auto">7</code>.</span>`, "2 × <span"},
		{`<span class="verdict">right</span>`},
		{`2 × <span class="score">0.500</span>, <span class="verdict">partly right</span>`, "All 2 partly-right ones answered"},
	} {
		for _, want := range wants {
			if !strings.Contains(pages[i], want) {
				t.Errorf("group %d: there is no %s in\n%s", i, want, pages[i])
			}
		}
	}
	if best, rest := strings.Index(pages[0], `class="score">1.000`), strings.Index(pages[0], `class="score">0.000`); best < 0 || best > rest {
		t.Error("the best reply is not the first")
	}
	if strings.Contains(pages[1], `class="verdict right"`) || strings.Contains(pages[1], `class="right"`) {
		t.Error("a score of 0 is shown as right")
	}
}

func TestStepsFollowTheFilterAndTheOrder(t *testing.T) {
	s := serve(t, "", fourGroups()...)
	step := func(body, rel string) string {
		m := regexp.MustCompile(`<a rel="` + rel + `" href="([^"]*)"`).FindStringSubmatch(body)
		if m == nil {
			return ""
		}
		return "/watch/" + html.UnescapeString(m[1])
	}
	for _, c := range []struct {
		list string
		want string // spreads along the way
	}{
		{"groups?by=spread&drop=kept", "1.000 0.750 0.250"}, {"groups?by=spread&order=up", "0.000 0.250 0.750 1.000"},
		{"groups?text=1%2B1%3D&order=up&drop=kept", "0.750 1.000 0.250"}, {"groups?min_score=0.6", "0.250"},
	} {
		_, body, _ := get(t, s, "/watch/"+c.list)
		at := "/watch/" + html.UnescapeString(regexp.MustCompile(`group\?at=[^"]*`).FindString(body))
		var there []string
		for last := ""; at != ""; last, at = at, step(body, "next") {
			_, body, _ = get(t, s, at)
			there = append(there, regexp.MustCompile(`<dt>Spread<dd>([\d.]+)`).FindStringSubmatch(body)[1])
			if before := step(body, "prev"); before != last {
				t.Errorf("%s: before %s is %q, want %q", c.list, at, before, last)
			}
		}
		if got := strings.Join(there, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.list, got, c.want)
		}
	}
}
