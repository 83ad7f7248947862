package files

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain/internal/wal"
)

// A manifest lists a store's files and how much of each was durable. It may lag behind:
// files made, rewritten or removed since are known by their own content.
type manifest struct {
	store uint64 // the store's random identity, from which the salts of its files follow
	last  uint64 // highest sequence number given
	files map[string]listed
}

// A listed is a file's entry in the manifest: enough to read its frames without its header.
type listed struct {
	salt   uint32
	next   uint64
	sealed int64
}

const (
	manifestName  = "manifest"
	manifestTitle = "quintain queue, manifest 3"
)

// errManifest reports a damaged manifest.
var errManifest = errors.New("is damaged")

// encode returns the manifest as text; see docs/formats/stream.md.
func (m manifest) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nstore %016x last %d files %d\n", manifestTitle, m.store, m.last, len(m.files))
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		f := m.files[name]
		fmt.Fprintf(&b, "%s salt %08x next %d sealed %d\n", name, f.salt, f.next, f.sealed)
	}
	return wal.WithSum(b.Bytes())
}

// decodeManifest undoes encode, and reads nothing else.
func decodeManifest(b []byte) (m manifest, err error) {
	lines, ok := wal.CutSum(b)
	if !ok || len(lines) < 2 {
		return m, errManifest
	}
	if lines[0] != manifestTitle {
		return m, fmt.Errorf("begins with %q, want %q: use the program that wrote it", lines[0], manifestTitle)
	}
	lines = lines[1:]
	files := 0
	if _, err := fmt.Sscanf(lines[0], "store %x last %d files %d", &m.store, &m.last, &files); err != nil || files != len(lines)-1 {
		return m, errManifest
	}
	m.files = make(map[string]listed, files)
	for _, line := range lines[1:] {
		var f listed
		var name string
		if _, err := fmt.Sscanf(line, "%s salt %x next %d sealed %d", &name, &f.salt, &f.next, &f.sealed); err != nil {
			return m, errManifest
		}
		m.files[name] = f
	}
	return m, nil
}

// readManifest reads the manifest of a folder.
func readManifest(in wal.Folder) (m manifest, err error) {
	b, err := wal.ReadFile(in, manifestName)
	if err != nil {
		return m, err
	}
	return decodeManifest(b)
}
