package problems

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestSet(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		s, err := Open(Opened(t, file), Settings{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		seen := map[string]bool{}
		for i := range 2 * s.Size(0) {
			p, err := s.Problem(quintain.Draw{Seed: 3, Index: i})
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.Problem(quintain.Draw{Seed: 3, Index: i})
			if err != nil || again.Prompt != p.Prompt || again.ID() != p.ID() {
				t.Errorf("%s: draw %d gives %s, then %s, %v", file, i, p.ID(), again.ID(), err)
			}
			if _, err := s.Tests(p); err != nil {
				t.Errorf("%s: draw %d: %v", file, i, err)
			}
			if row, err := s.row(p); err != nil || !strings.Contains(p.Prompt, strings.TrimSpace(row.Statement)) {
				t.Errorf("%s: draw %d: %v", file, i, err)
			} else if i < s.Size(0) {
				seen[row.ID] = true
			}
		}
		if len(seen) != s.Size(0) {
			t.Errorf("%s: the first pass has %d of %d rows", file, len(seen), s.Size(0))
		}
	}
}

func TestSetKeepsToItsFile(t *testing.T) {
	t.Parallel()
	s, err := Open(Opened(t, "testdata/apps.jsonl"), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(Opened(t, "testdata/taco.jsonl"), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Tests(p); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("a problem of another file: %v", err)
	}
	if _, err := s.Grade(p, "x"); err == nil || !strings.Contains(err.Error(), "scenario code") {
		t.Errorf("a grade without a sandbox: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, []byte(`{"question":"a","input_output":"{}"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Opened(t, empty), Settings{}); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("a file without usable rows: %v", err)
	}
}

func TestQuestionsSayWhatTheTestsWant(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"apps": "reads standard input", "livecodebench": "reads standard input", "humaneval": "Complete this code", "deepcoder": "` in Python.",
	} {
		s, err := Open(Opened(t, "testdata/"+file+".jsonl"), Settings{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for i := range s.rows {
			found = found || strings.Contains(s.rows[i].Ask(), want)
		}
		if !found {
			t.Errorf("no question of %s says %q, such as %q", file, want, s.rows[0].Ask())
		}
	}
}
