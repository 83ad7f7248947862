package house

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentsNameWhatExists checks that the files, folders and packages that the documents name
// are there. Pages on decisions, changes and moves tell of earlier ones.
func TestDocumentsNameWhatExists(t *testing.T) {
	files := checkout(t).files
	for _, file := range files {
		if path.Ext(file) != ".md" || file == "CHANGELOG.md" || file == "docs/moved.md" || strings.HasPrefix(file, "docs/decisions/") {
			continue
		}
		for _, name := range missing(string(readText(t, file)), files) {
			t.Errorf("%s names %s, which does not exist", file, name)
		}
	}
}

// missing lists the paths of the checkout in a text, below its folders or in commands of go, that
// neither a file nor a folder has. In capitals stands what a reader replaces.
func missing(text string, files []string) (list []string) {
	there := map[string]bool{".ci/nightly.passed": true} // written by .ci/nightly
	roots := map[string]bool{}
	for _, file := range files {
		for there[file] = true; file != "."; file = path.Dir(file) {
			there[file] = true
		}
	}
	for name := range there {
		if root, _, below := strings.Cut(name, "/"); below {
			roots[regexp.QuoteMeta(root)] = true
		}
	}
	inside := strings.Join(slices.Sorted(maps.Keys(roots)), "|")
	named := regexp.MustCompile(`(?:^|[\s`+"`"+`"'=])((?:`+inside+`)/[\w./{}*…-]+)`).FindAllStringSubmatch(text, -1)
	for _, command := range regexp.MustCompile("\\bgo (?:test|run|build|vet|generate) [^`\n]*").FindAllString(text, -1) {
		named = append(named, regexp.MustCompile(` (\./[a-z][\w./-]*)`).FindAllStringSubmatch(command, -1)...)
	}
	for _, hit := range named {
		name := path.Clean(strings.TrimRight(hit[1], ".,-"))
		if !there[name] && !regexp.MustCompile(`[{*…]|\b[A-Z]{2,}|^text/plain$`).MatchString(name) {
			list = append(list, hit[1])
		}
	}
	return list
}

func TestMissing(t *testing.T) {
	text := "`hub/hub.go` and `hub/gone.go`, go test ./hub ./gone/away/..., hub/NAME.go, hub/…, other/thing, ./hub/.\n"
	if got, want := missing(text, []string{"hub/hub.go", "README.md"}), []string{"hub/gone.go", "./gone/away/..."}; !slices.Equal(slices.Compact(got), want) {
		t.Errorf("missing %q, want %q", got, want)
	}
}
