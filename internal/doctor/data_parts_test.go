package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/run"
)

// A record of an older format is read, and written anew when the run goes on; one of a later format
// is refused.
func TestFormatsOfTheRecordOfARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why            string
		format         int
		reads, upgrade bool
		says           string
	}{
		{"that of this program", run.RecordFormat, true, false, "upgrades nothing"},
		{"the oldest that is read", run.OldestRecord, true, true, "the record of the run gets format 4"},
		{"older still", run.OldestRecord - 1, false, false, "this program reads formats 3 to 4"},
		{"a later one", run.RecordFormat + 1, false, false, "If a newer one wrote it, use that"},
	} {
		p, r, text := DataPart{Path: "queue", Content: "records"}, DataReport{Folder: "d"}, bytes.Buffer{}
		p.judgeRun(c.format)
		r.add(p)
		if err := r.Write(&text); err != nil || r.Reads != c.reads || (p.Upgrade != "") != c.upgrade || !strings.Contains(text.String(), c.says) {
			t.Errorf("%s: %+v, error %v\n%s", c.why, r, err, text.String())
		}
	}
}

// A damaged line is told without the text of Go's library.
func TestDamagedLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "training.jsonl")
	if err := os.WriteFile(path, []byte("{\"step\":1a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "training.jsonl: line 1: is no JSON object: it is damaged"
	if err := lines(path); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
