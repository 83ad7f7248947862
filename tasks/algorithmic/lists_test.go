package algorithmic

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	for _, lists := range [][][]string{{{"a", "b"}, {"ab"}}, {{}}, {{`"`, `\`, "é\n", "<", "["}}, {{"a"}, {}, {"b"}}} {
		text := writeLists(lists)
		var plain [][]string
		if err := json.Unmarshal([]byte(text), &plain); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		got, err := readLists(text)
		if err != nil || !slices.EqualFunc(got, lists, slices.Equal[[]string]) || !slices.EqualFunc(plain, lists, slices.Equal[[]string]) {
			t.Errorf("%s is read as %q, error %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "{}", "null", `"a"`, `["a"]`, `[["a"], "b"]`, `[[1]]`, `[[["a"]]]`, `[[null]]`, `[["a"]`, `[["a"]] x`, `[['a']]`} {
		if lists, err := readLists(bad); err == nil {
			t.Errorf("%s is read as %q", bad, lists)
		}
	}
}
