package dialect_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
)

// Items of Responses in any order and with any ids become messages that hold each text, call
// and result once, in the order of the items.
func TestAnyItemsBecomeMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		var items []string
		said := map[string]string{} // texts by sort, in order
		for n := range 1 + random.IntN(10) {
			owner := []string{"", "a", "b"}[random.IntN(3)]
			id := func(prefix, suffix string) string {
				if owner == "" {
					return ""
				}
				return fmt.Sprintf(`,"id":"%s%s%s"`, prefix, owner, suffix)
			}
			text := fmt.Sprintf("t%d ", n)
			sort := []string{"content", "reasoning", "calls", "results", "users"}[random.IntN(5)]
			switch said[sort] += text; sort {
			case "content":
				items = append(items, `{"role":"assistant","content":"`+text+`"`+id("msg_", "")+`}`)
			case "reasoning":
				items = append(items, `{"type":"reasoning","content":[{"type":"reasoning_text","text":"`+text+`"}]`+id("rs_", "")+`}`)
			case "calls":
				items = append(items, `{"type":"function_call","name":"`+text+`","arguments":"","call_id":"`+text+`"`+id("fc_", "_0")+`}`)
			case "results":
				items = append(items, `{"type":"function_call_output","call_id":"c","output":"`+text+`"}`)
			case "users":
				items = append(items, `{"role":"user","content":"`+text+`"}`)
			}
		}
		body := `{"input":[` + strings.Join(items, ",") + `]}`
		q := decode(t, "responses", body)
		read := map[string]string{}
		for i, m := range q.Messages {
			switch m.Role {
			case quintain.RoleUser:
				read["users"] += m.Content
			case quintain.RoleTool:
				read["results"] += m.Content
			default:
				read["content"] += m.Content
				read["reasoning"] += m.Reasoning
			}
			owner, _, _ := dialect.Anchor(q.Anchors[i])
			for _, c := range m.ToolCalls {
				read["calls"] += c.Name
				if at := strings.Index(body, `"call_id":"`+c.ID+`","id":"fc_`); at >= 0 && !strings.HasPrefix(body[at:], `"call_id":"`+c.ID+`","id":"fc_`+owner+`_`) {
					t.Fatalf("round %d: the call %s of another reply stands in that of %q:\n%s\n%s", round, c.ID, owner, body, show(t, q))
				}
			}
		}
		for sort, want := range said {
			if sort != "calls" && read[sort] != want || sort == "calls" && !sameWords(read[sort], want) {
				t.Fatalf("round %d: %s are %q, want %q:\n%s\n%s", round, sort, read[sort], want, body, show(t, q))
			}
		}
		sameAgain(t, q)
	}
}

// sameWords reports whether two texts have the same words: a call may move before an earlier
// one to that of its reply.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
