package doctor

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
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
		{"a later one", run.RecordFormat + 1, false, false, "use the program that wrote it, or a later one"},
	} {
		p, r, text := DataPart{Path: "queue", Content: "records"}, DataReport{Folder: "d"}, bytes.Buffer{}
		p.judgeRun(c.format)
		r.add(p)
		if err := r.Write(&text); err != nil || r.Reads != c.reads || (p.Upgrade != "") != c.upgrade || !strings.Contains(text.String(), c.says) {
			t.Errorf("%s: %+v, error %v\n%s", c.why, r, err, text.String())
		}
	}
}

// What is damaged is told without the text of Go's libraries, and nobody is sent to a later program.
func TestDamageIsNoNewerFormat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := datadir.Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	text, version := []byte("{\"step\":1}\n{\"step\":2a}\n{}\n"), append([]byte("\x89QWT\r\n\x1a\n\x01\x40"), make([]byte, 90)...)
	if err := errors.Join(folder.Close(), os.WriteFile(folder.Join(datadir.Training), text, 0o600), os.WriteFile(folder.Join(datadir.Checkpoint), version, 0o600)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	reads, err := ShowData(t.Context(), dir, false, &out)
	for _, want := range []string{"training.jsonl line 2: it is damaged: put back a copy", "weights file is damaged: its first bytes"} {
		if err != nil || reads || !strings.Contains(out.String(), want) || strings.Contains(out.String(), "later one") {
			t.Errorf("error %v, want %q in\n%s", err, want, out.String())
		}
	}
}
