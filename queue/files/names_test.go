package files

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// openLogged opens a queue with segments of the usual size.
func openLogged(t *testing.T, d *waltest.Disk, log *bytes.Buffer) *queue.Queue {
	t.Helper()
	s, err := openFolder(d, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// A copy of a segment whose name is another spelling of its number is left alone. Nothing that
// was put is lost, even if the process is killed.
func TestCopyWithAnotherNameOfTheSameNumber(t *testing.T) {
	for _, copied := range []string{"1.groups", "+1.groups", "+0000001.groups", "0000001.groups", "000000001.groups", "0.groups", "-1.groups", "x.groups"} {
		d := waltest.New()
		q := openLogged(t, d, new(bytes.Buffer))
		putSmall(t, q, 0, 19)
		closeStore(t, q)
		d.Put(copied, d.Files[segmentName(1)].Data)
		before := bytes.Clone(d.Files[copied].Data)

		var log bytes.Buffer
		q = openLogged(t, d, &log)
		if want := fmt.Sprintf("is ignored\" file=%s\n", copied); !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log is %q, want %q", copied, log.String(), want)
		}
		putSmall(t, q, 20, 24)
		if consume(t, q, nil); q.Stats().Acked != 25 {
			t.Errorf("%s: %d groups were acknowledged, want 25", copied, q.Stats().Acked)
		}
		putSmall(t, q, 25, 44)
		after := openLogged(t, d, new(bytes.Buffer)) // as after a kill
		if st := after.Stats(); st.Waiting.Groups != 20 || st.Lost != 0 {
			t.Errorf("%s: %d groups wait and %d are lost, want 20 and 0", copied, st.Waiting.Groups, st.Lost)
		}
		if now := d.Files[copied]; now == nil || !bytes.Equal(now.Data, before) {
			t.Errorf("%s is changed or gone", copied)
		}
	}
}
