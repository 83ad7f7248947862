package problems_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/codegrade/problems"
)

// TestTheProgramsOfEachSource runs all solutions and public tests of the test files in the
// sandbox of this machine.
func TestTheProgramsOfEachSource(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) < 12 {
		t.Fatalf("%v, error %v", files, err)
	}
	unusable := map[string]string{ // what is printed beside the counts
		"codeforces": "row 4: interaction_format: ",
	}
	for _, file := range files {
		var out bytes.Buffer
		c := problems.New(&out)
		c.Write = filepath.Join(t.TempDir(), "good.jsonl")
		if err := c.Run(t.Context(), file); err != nil {
			t.Errorf("%s: %v\n%s", file, err, &out)
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		first, _, _ := strings.Cut(out.String(), "\n")
		if want := unusable[name]; want == "" && !strings.HasSuffix(first, " 0 rows cannot") || want != "" && !strings.HasPrefix(first, want) || strings.Contains(out.String(), "fail") {
			t.Errorf("%s: %s", name, &out)
		}
		good, err := os.ReadFile(c.Write)
		if err != nil || len(good) == 0 {
			t.Errorf("%s: %d bytes are written, error %v", name, len(good), err)
		}
	}
}
