package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A groupFile is a file of groups, one line of JSON each: a [run.Sender] that wants a
// number of them, or a [run.Sink] of all kept groups. Each line is written in one call.
// Many goroutines may use it.
type groupFile struct {
	started chan struct{} // one element per admitted group that was not dropped, up to the wanted number
	over    chan struct{} // closed once the wanted number is written

	mu      sync.Mutex
	out     *os.File
	line    []byte
	codec   *groupform.Codec // for Send
	written int              // by Send
}

// mostNumber is the largest number in the name of a file.
const mostNumber = 10_000

// NewGroupFile creates a new file at path, or with a number at the end of its name if that
// exists. As a sender it wants a number of groups, 1 or more; 0: it is a sink.
func NewGroupFile(path string, want int) (*groupFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	stem, ending := strings.TrimSuffix(path, filepath.Ext(path)), filepath.Ext(path)
	for n := 1; ; n++ {
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && n <= mostNumber {
			path = fmt.Sprintf("%s_%d%s", stem, n, ending)
			continue
		}
		if err != nil {
			return nil, err
		}
		return &groupFile{started: make(chan struct{}, want), over: make(chan struct{}), out: out, codec: groupform.NewCodec(0)}, nil
	}
}

// Name returns the name of the file.
func (f *groupFile) Name() string { return f.out.Name() }

// Beside returns the name of a file beside it: NAME.KIND.jsonl beside NAME.jsonl.
func (f *groupFile) Beside(kind string) string {
	ending := filepath.Ext(f.Name())
	return strings.TrimSuffix(f.Name(), ending) + "." + kind + ending
}

// write writes a group. The caller holds f.mu.
func (f *groupFile) write(g *quintain.Group) error {
	f.line = append(atropos.AppendWhole(f.line[:0], g), '\n')
	_, err := f.out.Write(f.line)
	return err
}

// Note implements [run.Sink].
func (f *groupFile) Note(e run.Event) error {
	played, ok := e.(run.Played)
	if !ok || played.Group == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.write(played.Group)
}

// Enter implements [run.Sender].
func (f *groupFile) Enter(ctx context.Context) error {
	select {
	case f.started <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Ended implements [run.Sender].
func (f *groupFile) Ended(kept bool) {
	if !kept {
		<-f.started
	}
}

// Send implements [run.Sender].
func (f *groupFile) Send(_ context.Context, groups []queue.Delivery, _ func([]queue.Delivery) error) ([]rollout.Drop, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range groups {
		g, err := f.codec.Decode(d.Body)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", d.ID, err)
		}
		if err := f.write(g); err != nil {
			return nil, fmt.Errorf("group %s: %w", d.ID, err)
		}
		if f.written++; f.written == cap(f.started) {
			close(f.over)
		}
	}
	return make([]rollout.Drop, len(groups)), nil
}

// Step implements [run.Sender].
func (f *groupFile) Step() int { return 0 }

// Over implements [run.Sender].
func (f *groupFile) Over() <-chan struct{} { return f.over }

// Close syncs and closes the file.
func (f *groupFile) Close() error { return errors.Join(f.out.Sync(), f.out.Close()) }
