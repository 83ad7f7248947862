package watch_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A tree of calls shows as a list of them, each with its place, its tools and where it is
// trained.
func TestAGroupShowsATreeOfCalls(t *testing.T) {
	line, tree := scored(0, "", said{"2", 1}, said{"3", 0}), scored(1, "", said{"2", 1}, said{"3", 0})
	e := &tree.Episodes[0]
	first := e.Turns[0]
	for k, c := range []quintain.Call{
		{ID: "a", Parent: -1, Class: "root", Tools: []byte(`[{"type":"function","function":{"name":"add<"}}]`)},
		{ID: "b", Parent: 0, Class: "extends"},
		{ID: "c", Parent: 0, Class: "branches", Branch: "subagent", Tools: []byte(`[]`)},
		{ID: "d", Parent: 1, Class: "retry", Unused: "not delivered"},
		{ID: "e", Parent: 1, Class: "extends"},
	} {
		turn := first
		if turn.Call = &c; k > 0 {
			e.Turns = append(e.Turns, turn)
			continue
		}
		e.Turns[0] = turn
	}
	s := serve(t, "", line, tree)
	_, list, _ := get(t, s, "/watch/groups?order=up")
	links := regexp.MustCompile(`group\?at=[^"]*`).FindAllString(list, -1)
	_, body, _ := get(t, s, "/watch/"+html.UnescapeString(links[0]))
	if strings.Contains(body, "Call 1") || strings.Contains(body, "in0") {
		t.Errorf("a line shows as a tree: %s", body)
	}
	_, body, _ = get(t, s, "/watch/"+html.UnescapeString(links[1]))
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, "")
	for _, want := range []string{
		"Call 1, begins a conversation, root Trained in sequence 1. Tools: add&lt;.",
		"Call 2, continues call 1, extends Trained in sequence 1. system",
		"Call 3, continues call 1, branches, branch subagent Trained in sequence 2. Tools: none.",
		"Call 4, continues call 2, retry Not trained: the reply was not used, not delivered.",
		"Call 5, continues call 2, extends Trained in sequence 1.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in %s", want, text)
		}
	}
	at := regexp.MustCompile(`id="(c[^"]*)-0-2"`).FindStringSubmatch(body)
	if at == nil || !strings.Contains(body, `<a href="#`+at[1]+`-0-2">call 2</a>`) || !strings.Contains(body, `<div class="turn in1" id="`+at[1]+`-0-3">`) {
		t.Errorf("no links or no indentation in %s", body)
	}
	_, body, _ = get(t, s, "/watch/"+html.UnescapeString(links[1])+"&turn=1")
	if !strings.Contains(body, "continues call 1,") || !strings.Contains(body, "continues <a") {
		t.Errorf("a page of later turns links to those that it has: %s", body)
	}
}
