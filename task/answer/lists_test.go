package answer

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestLists(t *testing.T) {
	for _, lists := range [][][]string{{{"a", "b"}, {"ab"}}, {{}}, {{`"`, `\`, "é\n", "<", "["}}, {{"a"}, {}, {"b"}}, {{"a b", ""}}} {
		text := WriteLists(lists)
		var plain [][]string
		if err := json.Unmarshal([]byte(text), &plain); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		got, err := ReadLists(text)
		if err != nil || !slices.EqualFunc(got, lists, slices.Equal[[]string]) || !slices.EqualFunc(plain, lists, slices.Equal[[]string]) {
			t.Errorf("%s is read as %q, error %v", text, got, err)
		}
	}
	spaced := "\t[ [\n\"a\" , \"b\" ]\r,[ \"c\"] ]\n"
	if got, err := ReadLists(spaced); err != nil || WriteLists(got) != `[["a", "b"], ["c"]]` {
		t.Errorf("%q is read as %q, error %v", spaced, got, err)
	}
	for _, bad := range []string{"", "{}", "null", `"a"`, `["a"]`, `[["a"], "b"]`, `[[1]]`, `[[["a"]]]`, `[[null]]`, `[["a"]`, `[["a"]] x`, `[['a']]`, `[["a",]]`, `[["a"],]`, `[["a" "b"]]`, `[["a]]`, `[["a"]]]`, "[[\"a\"]]\u00a0", "[[\"a\nb\"]]", `[["\x"]]`} {
		if lists, err := ReadLists(bad); err == nil {
			t.Errorf("%s is read as %q", bad, lists)
		}
	}
}
