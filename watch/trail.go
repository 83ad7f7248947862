package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// A trail is the trace of a run, which may begin later.
type trail struct {
	folder string

	mu     sync.Mutex
	reader *trace.Reader // nil: there is no trace yet

	counting sync.Mutex
	counted  int          // groups that the following is of
	all      trace.Counts // of all groups
	lags     map[int]int  // see sums
	lagged   time.Time    // when they were counted
}

// refresh reads what was added.
func (t *trail) refresh() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reader != nil {
		return t.reader.Refresh()
	}
	r, err := trace.Open(t.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	t.reader = r
	return nil
}

// now is the reader; nil: there is no trace yet.
func (t *trail) now() *trace.Reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reader
}

// len is the number of groups.
func (t *trail) len() int {
	if r := t.now(); r != nil {
		return r.Len()
	}
	return 0
}

// find returns the entries that match q.
func (t *trail) find(q trace.Query) []trace.Entry {
	if r := t.now(); r != nil {
		return r.Find(q)
	}
	return nil
}

// count counts what matches q.
func (t *trail) count(q trace.Query) trace.Counts {
	if r := t.now(); r != nil {
		return r.Count(q)
	}
	return trace.Counts{}
}

// The histogram of staleness is of so many groups, and made anew so often: it has to read
// them.
const (
	lagGroups = 100
	lagEvery  = 10 * time.Second
)

// sums counts all groups, and by how many versions the oldest token of each of the newest
// groups that were kept was behind the policy then. It counts once for each number of
// groups, however many ask. The caller must not change the maps.
func (t *trail) sums() (all trace.Counts, lags map[int]int) {
	t.counting.Lock()
	defer t.counting.Unlock()
	n := t.len()
	if t.lags != nil && n == t.counted {
		return t.all, t.lags
	}
	t.counted, t.all = n, t.count(trace.Query{})
	if t.lags != nil && time.Since(t.lagged) < lagEvery {
		return t.all, t.lags
	}
	t.lagged, t.lags = time.Now(), map[int]int{}
	for _, e := range t.find(trace.Query{Drop: trace.Kept, Newest: true, Limit: lagGroups}) {
		r, err := t.now().Read(e.Ref)
		if err != nil {
			continue // it was just removed, or is damaged
		}
		if oldest, known := oldestVersion(r); known {
			t.lags[r.Version-oldest]++
		}
	}
	return t.all, t.lags
}

// oldestVersion is the lowest version of the weights that sampled a token of a group.
func oldestVersion(r *trace.Record) (oldest int, known bool) {
	for i := range r.Episodes {
		for _, t := range r.Episodes[i].Turns {
			at := slices.IndexFunc(t.Versions, func(v int32) bool { return v >= 0 }) // they never fall
			if at >= 0 && (!known || int(t.Versions[at]) < oldest) {
				oldest, known = int(t.Versions[at]), true
			}
		}
	}
	return oldest, known
}

// read reads the group that a call asks for.
func (t *trail) read(c *web.Call) (*trace.Record, trace.Ref, error) {
	at, err := parseRef(c.R.URL.Query().Get("at"))
	if err != nil {
		return nil, at, web.Errorf(http.StatusBadRequest, "%v", err)
	}
	r := t.now()
	if r == nil {
		return nil, at, web.Errorf(http.StatusNotFound, "there is no trace yet")
	}
	record, err := r.Read(at)
	if err != nil {
		return nil, at, web.Errorf(http.StatusNotFound, "the group cannot be read; it may have been removed because the trace is full: %v", err)
	}
	return record, at, nil
}

// formatRef writes the place of a record for an address.
func formatRef(r trace.Ref) string { return fmt.Sprintf("%d-%d-%d", r.Segment, r.Block, r.Record) }

// parseRef undoes formatRef.
func parseRef(text string) (r trace.Ref, err error) {
	var parts [3]int64
	words := strings.Split(text, "-")
	if len(words) != len(parts) {
		return r, fmt.Errorf("%q is not the place of a group", text)
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 62)
		if err != nil {
			return r, fmt.Errorf("%q is not the place of a group", text)
		}
		parts[i] = int64(n)
	}
	return trace.Ref{Segment: int(parts[0]), Block: parts[1], Record: int(parts[2])}, nil
}
