package kept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue"
)

// block is the size of the records that hold a log: a line rewrites the last one.
const block = 64 << 10

// A Log is a log of values, one a line. It is not safe for concurrent use.
type Log[T any] struct {
	file   *jsonl.Log[T]
	stored *text // nil: only the folder has it
}

// OpenLog opens or makes the log with the name of a file, and returns its last value; nil: it is
// empty. If there is a store, the file becomes what that has, or the other way round if that has
// nothing. The file of another run gets another name.
func OpenLog[T any](p Place, name string) (l *Log[T], last *T, err error) {
	l = &Log[T]{}
	if p.Store != nil {
		if l.stored, err = p.reconcile(name); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	l.file, last, err = jsonl.OpenLog[T](p.Folder.Join(name), p.Log)
	return l, last, err
}

// Add appends a value: in the store first, if there is one.
func (l *Log[T]) Add(value T) error {
	if l.stored != nil {
		line, err := json.Marshal(value)
		if err == nil {
			err = l.stored.add(append(line, '\n'))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.stored.name, err)
		}
	}
	return l.file.Add(value)
}

// Close closes the file.
func (l *Log[T]) Close() error { return l.file.Close() }

// reconcile makes the file of a log equal to the stored one.
func (p *Place) reconcile(name string) (*text, error) {
	stored, all, err := p.openText(name)
	if err == nil {
		err = stored.clear()
	}
	if err != nil {
		return nil, err
	}
	local, err := p.copied(name)
	if err != nil {
		return nil, err
	}
	local = whole(local)
	switch {
	case bytes.Equal(local, all):
		return stored, nil
	case len(all) == 0: // of an older program, or begun without a server
		return stored, stored.add(local)
	case !bytes.HasPrefix(all, local):
		if err := p.aside(name); err != nil {
			return nil, err
		}
	}
	return stored, datadir.WriteFile(p.Folder.Join(name), all)
}

// follows reports whether the file of a log has lines, and all of them are the stored ones.
func (p *Place) follows(name string) (bool, error) {
	_, all, err := p.openText(name)
	if err != nil {
		return false, err
	}
	local, err := p.copied(name)
	local = whole(local)
	return len(local) > 0 && bytes.HasPrefix(all, local), err
}

// A text is a stored log: its bytes, cut into blocks that are all full but the last.
type text struct {
	place *Place
	name  string
	at    int    // number of the last block
	last  []byte // its content
}

// openText reads the stored log with the name of a file. A line at its end that is not complete
// was never kept.
func (p *Place) openText(name string) (t *text, all []byte, err error) {
	t = &text{place: p, name: name}
	for n := 0; ; n++ {
		piece, err := p.get(t.key(n))
		if err != nil {
			return nil, nil, err
		}
		all = append(all, piece...)
		if len(piece) < block {
			break
		}
	}
	all = whole(all)
	t.at = max(0, len(all)-1) / block
	t.last = slices.Clone(all[t.at*block:])
	return t, all, nil
}

// clear deletes the blocks after the last, which a process left that was killed in an add.
func (t *text) clear() error {
	for n := t.at + 1; ; n++ {
		piece, err := t.place.get(t.key(n))
		if err != nil || piece == nil {
			return err
		}
		if err := t.place.put([]queue.State{{Key: t.key(n)}}); err != nil {
			return err
		}
	}
}

// key is the key of block n.
func (t *text) key(n int) string {
	base, _, _ := strings.Cut(t.name, ".")
	return fmt.Sprintf("%s-%d", base, n)
}

// add appends lines, and the first ones all together: until block 0 is there, nothing is.
func (t *text) add(lines []byte) error {
	list := pieces(slices.Concat(t.last, lines), block, t.at, t.key)
	at, last := t.at+len(list)-1, list[len(list)-1].Value
	if len(t.last) == 0 {
		list = append(list[1:], list[0])
	}
	if err := t.place.put(list); err != nil {
		return err
	}
	t.at, t.last = at, last
	return nil
}
