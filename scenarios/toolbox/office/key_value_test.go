package office

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// call is a call with arguments by name and value in turn.
func call(name string, args ...string) quintain.ToolCall {
	in := map[string]string{}
	for i := 0; i < len(args); i += 2 {
		in[args[i]] = args[i+1]
	}
	return toolbox.Call(name, in)
}

// made makes calls in a new world, and returns it with the last result.
func made(t *testing.T, start toolbox.Start, calls ...quintain.ToolCall) (toolbox.World, string) {
	t.Helper()
	w := start.World()
	said := ""
	for i, c := range calls {
		if of, ok := w.(toolbox.Clocked); ok {
			of.At(i + 1)
		}
		m, err := w.Tools().Answer(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		said = m.Content
	}
	return w, said
}

func TestStoresAreJudged(t *testing.T) {
	t.Parallel()
	move := pairs{
		Kind: moveMoney, From: "a:", Page: 2, Strict: true, Moves: []transfer{{"a:x", "a:y", 10}},
		Entries: []pair{{"a:x", "50"}, {"a:y", "5"}, {"z", "1"}}, Client: []change{{Call: 2, Key: "a:x", Add: 7}, {Call: 3, Key: "z", Value: "2"}},
	}
	elect := pairs{
		Kind: electNewest, From: "n:", To: "top", Page: 1, Entries: []pair{{"n:a", "1"}, {"n:b", "2"}, {"top", "-"}}, Client: []change{{Call: 2, Key: "n:a", Add: 5}},
	}
	merge := pairs{Kind: mergeCounters, From: "o:", To: "p:", Page: 3, Entries: []pair{{"o:a", "1"}, {"o:b", "2"}, {"p:a", "10"}, {"q:a", "7"}}}
	for _, test := range []struct {
		why   string
		of    pairs
		calls []quintain.ToolCall
		right bool
	}{
		{"nothing", move, nil, false},
		{"taken, then given, what the client added is kept", move, []quintain.ToolCall{
			call("get", "key", "a:x"), call("cas", "key", "a:x", "old", "50", "new", "40"), call("cas", "key", "a:x", "old", "57", "new", "47"), call("put", "key", "a:y", "value", "15"),
		}, true},
		{"what the client added is lost", move, []quintain.ToolCall{call("get", "key", "a:x"), call("put", "key", "a:x", "value", "40"), call("put", "key", "a:y", "value", "15")}, false},
		{"given before taken", move, []quintain.ToolCall{call("put", "key", "a:y", "value", "15"), call("get", "key", "a:x"), call("put", "key", "a:x", "value", "47")}, false},
		{"the newest", elect, []quintain.ToolCall{call("scan", "prefix", "n:"), call("put", "key", "top", "value", "a")}, true},
		{"what was the newest", elect, []quintain.ToolCall{call("put", "key", "top", "value", "b"), call("scan", "prefix", "n:")}, false},
		{"merged", merge, []quintain.ToolCall{
			call("put", "key", "p:a", "value", "11"), call("put", "key", "p:b", "value", "2"), call("delete", "key", "o:a"), call("delete", "key", "o:b"),
		}, true},
		{"deleted", merge, []quintain.ToolCall{call("delete", "key", "o:a"), call("delete", "key", "o:b")}, false},
		{"not deleted", merge, []quintain.ToolCall{call("put", "key", "p:a", "value", "11"), call("put", "key", "p:b", "value", "2")}, false},
	} {
		if err := task.Check(test.of); err != nil {
			t.Fatal(err)
		}
		w, _ := made(t, test.of, test.calls...)
		if j := w.Judge(test.of.count()); (j.State == "") != test.right {
			t.Errorf("%s: %+v, want right %v", test.why, j, test.right)
		}
	}
}

// TestStoresAreMaps compares a store with a sorted list.
func TestStoresAreMaps(t *testing.T) {
	t.Parallel()
	r := rng.New(1, "store")
	keys := []string{"a", "a:", "a:1", "a:2", "b", "a:10", "ä"}
	for range 500 {
		page := r.Between(1, 4)
		w := pairs{Kind: renamePrefix, From: "x", To: "y", Page: page}.World()
		var list []pair
		for range 30 {
			c, want := drawCall(r, keys, &list, page)
			m, err := w.Tools().Answer(t.Context(), c)
			if err != nil || !strings.HasPrefix(m.Content, want) || want == "" {
				t.Fatalf("%v: %+v gets %q, want %q", list, c, m.Content, want)
			}
		}
		for _, one := range list {
			if w.State()[one.Key] != one.Value || len(w.State()) != len(list) {
				t.Fatalf("%v, want %v", w.State(), list)
			}
		}
	}
}

// drawCall draws a call, makes it with a list, and returns the beginning of its result.
func drawCall(r *rng.Rand, keys []string, list *[]pair, page int) (c quintain.ToolCall, want string) {
	key, value, old := rng.Pick(r, keys), text(r.Between64(1, 3)), text(r.Between64(1, 3))
	at, has := slices.BinarySearchFunc(*list, key, func(p pair, k string) int { return strings.Compare(p.Key, k) })
	switch name := rng.Pick(r, []string{"get", "put", "delete", "scan", "cas"}); {
	case name == "put":
		if has {
			(*list)[at].Value = value
		} else {
			*list = slices.Insert(*list, at, pair{key, value})
		}
		return call(name, "key", key, "value", value), "Set."
	case name == "scan":
		after := rng.Pick(r, keys)
		lines := []string{}
		for _, one := range *list {
			if strings.HasPrefix(one.Key, key) && one.Key > after {
				lines = append(lines, one.Key+" = "+one.Value)
			}
		}
		switch n := len(lines); {
		case n == 0:
			lines = []string{"No keys."}
		case n > page:
			lines = append(lines[:page], "There are more.")
		default:
			lines = append(lines, "There are no more.")
		}
		return call(name, "prefix", key, "after", after), strings.Join(lines, "\n")
	case name == "cas" && has && (*list)[at].Value == old:
		(*list)[at].Value = value
		return call(name, "key", key, "old", old, "new", value), "Set."
	case name == "cas" && has:
		return call(name, "key", key, "old", old, "new", value), "Not set: the value is " + (*list)[at].Value
	case name == "cas":
		return call(name, "key", key, "old", old, "new", value), fmt.Sprintf("Error: argument key: there is no %q", key)
	case !has:
		return call(name, "key", key), fmt.Sprintf("Error: argument key: there is no %q", key)
	case name == "delete":
		*list = slices.Delete(*list, at, at+1)
		return call(name, "key", key), "Deleted."
	default:
		return call(name, "key", key), (*list)[at].Value
	}
}
