package reasoninggym

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded is a folder of answers with the scores that reasoning-gym gave them. It may lie next
// to the checkout; TestScores has a small table otherwise.
const recorded = "../../../shared/vectors/reasoning_gym"

// A vector is an entry with answers.
type vector struct {
	Entry Entry `json:"entry"`
	Cases []struct {
		Answer *string  `json:"answer"`
		Kind   string   `json:"kind"`
		Score  *float64 `json:"score"` // nil: an exception
	} `json:"cases"`
}

// Every recorded answer gets its recorded score: there is no deviation.
func TestRecordedScores(t *testing.T) {
	files, err := fs.Glob(os.DirFS(recorded), "[a-z]*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".jsonl.gz"), func(t *testing.T) {
			t.Parallel()
			replay(t, filepath.Join(recorded, file))
		})
	}
}

// replay scores the answers of a file.
func replay(t *testing.T, file string) {
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(plain)
	wrong, all := 0, 0
	for line, err := lines.ReadBytes('\n'); err == nil; line, err = lines.ReadBytes('\n') {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Cases {
			got, err := Score(v.Entry, c.Answer)
			if err != nil {
				t.Fatalf("%s: %v", c.Kind, err)
			}
			if all++; c.Score != nil && math.Abs(got-*c.Score) > 1e-9 {
				if wrong++; wrong < 12 {
					t.Errorf("%s: %.200q earns %v, want %v; right is %.100q", c.Kind, text(c.Answer), got, *c.Score, text(v.Entry.Answer))
				}
			}
		}
	}
	if all == 0 || wrong > 0 {
		t.Errorf("%d of %d answers have another score", wrong, all)
	}
}

// text returns a text that may be missing.
func text(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}
