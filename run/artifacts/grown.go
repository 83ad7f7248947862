package artifacts

import (
	"hash/crc32"
	"log/slog"
	"os"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run"
)

// A grown is a sink that watches a file of lines, which have no checksums: a mark keeps the size of
// the file and the sum of its content after each step.
type grown struct {
	path string
	mark *datadir.Mark

	mu   sync.Mutex
	size int64
	sum  uint32 // CRC-32C
}

// openGrown tells log if the file is not as its mark says. Nothing else goes by the mark.
func openGrown(path string, log *slog.Logger) *grown {
	at := datadir.MarkBeside(path)
	said := datadir.ReadMark(at, 2)
	g := &grown{path: path}
	g.read(int64(said[0]))
	switch {
	case g.size < int64(said[0]):
		log.Error("the end of a file is missing: put back a copy, or go on without these lines", "file", path, "bytes", int64(said[0])-g.size)
	case uint64(g.sum) != said[1]:
		log.Error("lines of a file are not as they were written: put back a copy, or go on with them", "file", path, "within", said[0])
	}
	g.mark = datadir.OpenMark(at)
	return g
}

// read reads on, up to a size.
func (g *grown) read(most int64) {
	f, err := os.Open(g.path)
	if err != nil {
		return
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	for g.size < most {
		n, err := f.ReadAt(b[:min(int64(len(b)), most-g.size)], g.size)
		g.size, g.sum = g.size+int64(n), crc32.Update(g.sum, crc32.MakeTable(crc32.Castagnoli), b[:n])
		if err != nil {
			return
		}
	}
}

// begin looks at the file anew, once it is open for writing.
func (g *grown) begin() {
	g.size, g.sum = 0, 0
	g.follow()
}

// follow notes what was written.
func (g *grown) follow() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if info, err := os.Stat(g.path); err == nil && info.Mode().IsRegular() {
		g.read(info.Size())
	}
	g.mark.Note(uint64(g.size), uint64(g.sum))
}

// Note implements [run.Sink].
func (g *grown) Note(e run.Event) error {
	switch e.(type) {
	case run.Stepped, run.Examined:
		g.follow()
	}
	return nil
}

// Close notes what was written in the end.
func (g *grown) Close() error {
	g.follow()
	return g.mark.Close()
}
