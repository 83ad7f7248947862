package watch

import (
	"errors"
	"io/fs"
	"net/http"
	"sync"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// A liveTrace is the trace of a run, which may begin later.
type liveTrace struct {
	sources []trace.Folder

	mu     sync.Mutex
	reader *trace.Reader // nil: no trace yet

	counting sync.Mutex
	counted  int          // number of groups in all
	all      trace.Counts // see sums
}

// refresh reads additions.
func (t *liveTrace) refresh() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reader != nil {
		return t.reader.Refresh()
	}
	r, err := trace.Join(t.sources...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	t.reader = r
	return nil
}

// now is the reader, or nil before there is a trace.
func (t *liveTrace) now() *trace.Reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reader
}

// len is the number of groups.
func (t *liveTrace) len() int {
	if r := t.now(); r != nil {
		return r.Len()
	}
	return 0
}

// find returns the entries that match q.
func (t *liveTrace) find(q trace.Query) []trace.Entry {
	if r := t.now(); r != nil {
		return r.Find(q)
	}
	return nil
}

// page returns the entries that match q, and the number of all matches.
func (t *liveTrace) page(q trace.Query) ([]trace.Entry, int) {
	if r := t.now(); r != nil {
		return r.Page(q)
	}
	return nil, 0
}

// count counts the matches of q.
func (t *liveTrace) count(q trace.Query) trace.Counts {
	if r := t.now(); r != nil {
		return r.Count(q)
	}
	return trace.Counts{}
}

// sums counts all groups, once per number of groups, for any number of callers, who must not
// change the maps.
func (t *liveTrace) sums() trace.Counts {
	t.counting.Lock()
	defer t.counting.Unlock()
	if n := t.len(); t.all.Tasks == nil || n != t.counted {
		t.counted, t.all = n, t.count(trace.Query{})
	}
	return t.all
}

// read reads the group in a call's address.
func (t *liveTrace) read(c *web.Call) (*trace.Record, trace.Ref, error) {
	at, err := trace.ParseRef(c.R.URL.Query().Get("at"))
	if err != nil {
		return nil, at, web.Errorf(http.StatusBadRequest, "%v", err)
	}
	r := t.now()
	if r == nil {
		return nil, at, web.Errorf(http.StatusNotFound, "there is no trace yet")
	}
	record, err := r.Read(at)
	if err != nil {
		return nil, at, web.Errorf(http.StatusNotFound, "the group cannot be read; a full trace drops its oldest groups: %v", err)
	}
	return record, at, nil
}
