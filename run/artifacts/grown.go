package artifacts

import (
	"log/slog"
	"os"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/run"
)

// A grown is a sink that watches a file of lines, which have no checksums: a mark keeps the size of
// the file and the sum of its content after each step.
type grown struct {
	path string
	mark *wal.Mark[grownTo]

	mu sync.Mutex
	grownTo
}

// A grownTo is how far a file is known.
type grownTo struct {
	Size int64
	Sum  uint32 // CRC-32C
}

// openGrown tells log if the file is not as its mark says. Nothing else goes by the mark.
func openGrown(path string, log *slog.Logger) *grown {
	at := datadir.MarkBeside(path)
	var said grownTo
	list, copied := wal.ReadMark[grownTo](at)
	if len(list) > 0 {
		said = list[0]
	}
	g := &grown{path: path}
	g.read(said.Size)
	switch {
	case g.Size < said.Size && copied:
		log.Warn("the end of a file is missing, or came while its folder was copied: put back a copy, or go on without these lines", "file", path, "bytes", said.Size-g.Size)
	case g.Size < said.Size:
		log.Error("the end of a file is missing: put back a copy, or go on without these lines", "file", path, "bytes", said.Size-g.Size)
	case g.Sum != said.Sum:
		log.Error("lines of a file are not as they were written: put back a copy, or go on with them", "file", path, "within", said.Size)
	}
	g.mark = wal.OpenMark[grownTo](wal.NewPool(1), at, 1)
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
	for g.Size < most {
		n, err := f.ReadAt(b[:min(int64(len(b)), most-g.Size)], g.Size)
		g.Size, g.Sum = g.Size+int64(n), wal.Sum(g.Sum, b[:n])
		if err != nil {
			return
		}
	}
}

// begin looks at the file anew, once it is open for writing.
func (g *grown) begin() {
	g.grownTo = grownTo{}
	g.follow()
	g.mark.Note(g.grownTo)
}

// follow notes what was written.
func (g *grown) follow() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if info, err := os.Stat(g.path); err == nil && info.Mode().IsRegular() && info.Size() > g.Size {
		g.read(info.Size())
		g.mark.Note(g.grownTo)
	}
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
