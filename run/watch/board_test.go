package watch_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// An episode whose values are known is shown move by move, its board as a table.
func TestAGameIsShownMoveByMove(t *testing.T) {
	r := group("chain_sum", 0, "4", "42")
	lost := &r.Episodes[0].Turns[0]
	lost.Value, lost.Illegal, lost.Answer = new(0.75), true, "<i>b2</i>"
	lost.Observed = []quintain.Message{{Role: quintain.RoleSystem, Content: "the rules"}, {Role: quintain.RoleUser, Content: "Go on.\n\n```\n# <b>\n. \u202e\n```\nYour move."}}
	s := serve(t, "", r)
	_, list, _ := get(t, s, "/watch/groups")
	at := regexp.MustCompile(`group\?at=([0-9-]+)`).FindStringSubmatch(list)[1]
	_, body, _ := get(t, s, "/watch/group?at="+at)
	for _, want := range []string{"value 0.75, regret 0.25, a blunder", "All in all: regret 0.25 in 1 turn, an illegal one; the first blunder is turn 1", `<a href="step?at=` + at + `&amp;episode=0&amp;turn=0">Move by move</a>`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("the group has not once %s in\n%s", want, body)
		}
	}
	status, body, header := get(t, s, "/watch/step?at="+at+"&episode=0&turn=0")
	if status != http.StatusOK || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("status %d with the policy %q", status, header.Get("Content-Security-Policy"))
	}
	for _, want := range []string{
		"<tr><td>#<td>&lt;b&gt; <tr><td>.<td>⟨U+202E⟩ </tbody>", "Go on. Your move.</pre>", "<dt>Value<dd>0.750</div><div><dt>Regret<dd>0.250, a blunder</div>", "<dd>illegal</div>",
		`<td class="n">0.750<td class="n">0.250<td>illegal, the first blunder`, "&lt;i&gt;b2&lt;/i&gt;", "<span>This is the first</span>", "<span>This is the last</span>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
	if strings.Contains(body, "the rules") || strings.Contains(body, "<dt>Best") {
		t.Errorf("the page has the rules, or the best moves of what is no game:\n%s", body)
	}
	for _, path := range []string{"episode=0&turn=1", "episode=2&turn=0", "episode=x&turn=0", "episode=0&turn=-1", "episode=0", ""} {
		if status, _, _ := get(t, s, "/watch/step?at="+at+"&"+path); status != http.StatusNotFound {
			t.Errorf("%q gets status %d", path, status)
		}
	}
}
